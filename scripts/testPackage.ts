// `npm run test:package`: tries the installed package under the pinned Node; with `-- --all-nodes` also under the oldest and newest supported ones, from npm.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nodeOf, otherNodes } from '../test/package/nodes.ts';

if (process.argv.includes('--all-nodes')) {
  for (const version of otherNodes) {
    if (existsSync(nodeOf(version))) continue;
    const folder = resolve(nodeOf(version), '../../../..');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
    console.log(`fetching node@${version}`);
    // Its own script fetches the program for this machine.
    execFileSync('npm', ['install', '--ignore-scripts=false', '--no-save', `node@${version}`], {
      cwd: folder,
      stdio: 'inherit',
    });
  }
}

execFileSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'test/package'], {
  stdio: 'inherit',
  env: { ...process.env, ...(process.argv.includes('--all-nodes') && { ALL_NODES: '1' }) },
});
