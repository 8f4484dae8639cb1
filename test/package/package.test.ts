// The package works where it is installed: packed, put into an empty folder, and used there with each Node version.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../cluster/places.ts';
import { examplesIn } from './examples.ts';
import { nodes } from './nodes.ts';

const root = resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const folder = mkdtempSync(join(tmpdir(), 'lull-package-'));
const installed = join(folder, 'node_modules', 'lull');
const seed = 'scenarios/seeds/zones-business-hours.yaml';

/** Independent of this machine's npm settings, and nothing is fetched. */
const npm = (words: readonly string[], cwd: string): string => {
  const env = { ...process.env, npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
  return execFileSync('npm', words, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
};

beforeAll(() => {
  if (!existsSync(join(root, 'dist', 'engine.mjs'))) throw new Error('The package is not built: npm run build');
  const [{ filename }] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root),
  ) as [{ filename: string }];
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  npm(['install', '--ignore-scripts', `./${filename}`], folder);
  copyFileSync(join(root, seed), join(folder, 'cluster.yaml'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the package', () => {
  it('has no dependencies', () => {
    const names = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(names).toEqual(['lull']);
    const own = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(own).not.toHaveProperty('dependencies');
    expect(own).not.toHaveProperty('peerDependencies');
  });

  it('contains what runs, and neither source nor tests', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(
      expect.arrayContaining([
        'bin/lull',
        'bin/kubectl-lull',
        'dist/lull.mjs',
        'dist/searchThread.mjs',
        'dist/watchdogThread.mjs',
        'deploy/monitoring/alerts.yaml',
        'dist/sbom.cdx.json',
        'dist/THIRD-PARTY-LICENSES.txt',
        'LICENSE',
      ]),
    );
    expect(files.filter((file) => /(^|\/)(src|test|node_modules)\/|\.test\./.test(file))).toEqual([]);
    const typescript = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
    expect(typescript).toEqual([]);
  });
});

describe.each(nodes)('the package under the Node %s', (named, node) => {
  const path = [dirname(node), join(folder, 'node_modules', '.bin'), '/usr/bin', '/bin'].join(delimiter);
  const env = { PATH: path, HOME: folder, NO_COLOR: '1' };
  const run = (name: string, ...words: readonly string[]): string =>
    execFileSync(name, words, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  it('is tested with that version', () => {
    const said = run('node', '--version');
    expect(said).toMatch(named === 'pinned' ? /^v\d+/ : new RegExp(`^v${named}\\.`));
  });

  it('prints its version and the commit it was built from', () => {
    const said = run('lull', '--version');
    expect(said.startsWith(`lull ${version}`)).toBe(true);
    if (existsSync(join(root, '.git')))
      expect(said).toMatch(/\(commit [0-9a-f]{12} of \d{4}-\d\d-\d\d(, with changes)?\)/);
  });

  it('runs with npx', () => {
    const words = ['--offline', '--no', 'lull', 'version'];
    const said = execFileSync('npx', words, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
    });
    expect(said).toContain(`lull ${version}`);
  });

  it('is a plugin of kubectl', () => {
    expect(run('kubectl-lull', 'decide', '--help')).toContain('$ kubectl lull decide');
    if (existsSync(program('kubectl'))) expect(run(program('kubectl'), 'lull', 'version')).toContain(`lull ${version}`);
  });

  it('decides like the source', () => {
    const words = ['decide', '-f', 'cluster.yaml', '--at', '2026-03-11T18:00:00Z', '-o', 'json'];
    const { verdicts } = JSON.parse(run('lull', ...words)) as { verdicts: { node: string; outcome: string }[] };
    expect(verdicts.filter(({ outcome }) => outcome === 'go').map(({ node: name }) => name)).toEqual(['c-4']);
  });

  it('runs the demo, and serves its page', async () => {
    const child = spawn('lull', ['up', '--listen', ':0'], { cwd: folder, env });
    try {
      const url = await addressOf(child);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect(await (await fetch(`${url}/`)).text()).toContain('<title>');
    } finally {
      child.kill('SIGINT');
      if (child.exitCode === null) await once(child, 'exit');
    }
    expect(child.exitCode).toBe(0);
  });

  it.each(examplesIn(join(root, 'docs', 'guide', 'library.md')))(
    'runs the example of $name',
    ({ name, code, prints }) => {
      const file = join(folder, `${name.replace('/', '-')}.mjs`);
      writeFileSync(file, code);
      expect(execFileSync(node, [file], { cwd: folder, encoding: 'utf8' })).toBe(prints);
    },
  );
});

describe('the types of the library', () => {
  const settings = { strict: true, noEmit: true, skipLibCheck: false, target: 'es2024', lib: ['es2024'], types: [] };

  it.each(['nodenext', 'bundler'])('check the examples, resolved as %s', (moduleResolution) => {
    const here = join(folder, `typed-${moduleResolution}`);
    mkdirSync(here, { recursive: true });
    const examples = examplesIn(join(root, 'docs', 'guide', 'library.md'));
    for (const { name, code } of examples) {
      writeFileSync(join(here, `${name.replace('/', '-')}.mts`), code);
    }
    // The library's types do not depend on those of Node.
    writeFileSync(join(here, 'ambient.d.ts'), ambient);
    const wrong = "import { decideRound } from 'lull/engine';\ndecideRound('no', 0, {});\n";
    writeFileSync(join(here, 'wrong.mts'), wrong);
    const module = moduleResolution === 'bundler' ? 'esnext' : 'nodenext';
    const compilerOptions = { ...settings, module, moduleResolution };
    writeFileSync(join(here, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts', '*.d.ts'] }));
    const said = checked(here);
    expect(said.filter((line) => !line.startsWith('wrong.mts'))).toEqual([]);
    expect(said.join('\n')).toContain('wrong.mts(2,13): error TS2345');
  });
});

const ambient = `declare const console: { log(...words: unknown[]): void };
declare module 'node:fs' { export function readFileSync(file: string, encoding: 'utf8'): string; }`;

/** The errors, one per line. */
function checked(cwd: string): readonly string[] {
  try {
    execFileSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.'], {
      cwd,
      encoding: 'utf8',
    });
    return [];
  } catch (error) {
    const { stdout } = error as { stdout: string };
    return stdout.split('\n').filter((line) => /error TS/.test(line));
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  let said = '';
  for await (const chunk of child.stdout ?? []) {
    said += chunk;
    const url = /listening on (\S+)/.exec(said)?.[1];
    if (url) {
      // The rest is not read, and a full pipe would block it.
      child.stdout?.resume();
      return url;
    }
  }
  throw new Error(`it ended: ${said}`);
}
