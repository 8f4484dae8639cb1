// The image's build context is enough to build, and its files are enough to run, tried in a folder without a container.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyContext, readRecipe, takeOver } from './dockerfile.ts';

const root = resolve(import.meta.dirname, '../..');
const recipe = readRecipe(readFileSync(join(root, 'Dockerfile'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'lull-image-'));
const [source, image] = [join(folder, 'source'), join(folder, 'image')];
const env = { PATH: process.env.PATH, LULL_COMMIT: 'c0ffee'.repeat(7).slice(0, 40), LULL_COMMIT_DATE: '2026-11-15' };

beforeAll(() => {
  copyContext(root, source);
  symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'));
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: source, env, stdio: ['ignore', 'ignore', 'pipe'] });
  takeOver(recipe, source, image);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (...words: readonly string[]): string => {
  const file = join(image, recipe.entrypoint[1] ?? '');
  return execFileSync(process.execPath, [file, ...words], { cwd: '/', encoding: 'utf8', env: { NO_COLOR: '1' } });
};

describe('the image', () => {
  it('has an entry point, runs as an unprivileged user, and contains only Node and the bundle', () => {
    expect(recipe.entrypoint[0]).toBe('/nodejs/bin/node');
    expect(recipe.user).toBe('65532:65532');
    const files = readdirSync(join(image, 'lull', 'dist'));
    expect(files.toSorted()).toEqual([
      'THIRD-PARTY-LICENSES.txt',
      'chunks',
      'dashboard',
      'lull.mjs',
      'sbom.cdx.json',
      'searchThread.mjs',
      'watchdogThread.mjs',
    ]);
  });

  it('prints the commit it was built from, without git', () =>
    expect(run('--version')).toMatch(/^lull \S+ \(commit c0ffeec0ffee of 2026-11-15\)\n$/));

  it('runs the demo with a read-only root filesystem', () => {
    for (const path of ['lull', 'lull/dist']) chmodSync(join(image, path), 0o555);
    expect(run('simulate', join(image, 'lull', 'scenarios', 'demo.yaml'), '--for', '1m')).toContain('demo');
  });

  it('runs as the same user as in the chart', () => {
    const pod = readFileSync(join(root, 'deploy', 'chart', 'templates', '_lull.tpl'), 'utf8');
    expect(pod).toContain(`runAsUser: ${recipe.user.split(':')[0]}`);
  });
});
