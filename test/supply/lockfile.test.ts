// The lockfile serves `npm ci` with any registry: complete, with hashes, without addresses; install scripts are named one by one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completed, type Lockfile, missingIn } from '../../scripts/lockfile/completed.ts';
import { root } from '../cluster/places.ts';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const lock = JSON.parse(read('package-lock.json')) as Lockfile;
const packages = Object.entries(lock.packages).filter(([path]) => path !== '');

describe('package-lock.json', () => {
  it('has every optional package, so that `npm ci` accepts it; if this fails: npm run lockfile', () =>
    expect(missingIn(lock).map(({ name, version }) => `${name}@${version}`)).toEqual([]));

  it('names no registry', () => {
    expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
    expect(read('package-lock.json')).not.toContain('.tgz');
  });

  it('has a SHA-512 for every package that is installed on the platforms we build on', () => {
    const isOurs = (list: readonly string[] | undefined, name: string): boolean => !list || list.includes(name);
    const built = packages.filter(([, { os, cpu }]) => isOurs(os, 'linux') && isOurs(cpu, 'x64'));
    const musl = ([, { libc }]: (typeof packages)[number]): boolean => String(libc) === 'musl';
    const without = built.filter((each) => !musl(each) && !each[1].integrity?.startsWith('sha512-'));
    expect(built.length).toBeGreaterThan(100);
    expect(without.map(([path]) => path)).toEqual([]);
  });

  it('leaves out the hash only of optional packages of other platforms', () => {
    const without = packages.filter(([, { integrity }]) => integrity === undefined);
    expect(without.filter(([, { optional, cpu }]) => !optional || !cpu).map(([path]) => path)).toEqual([]);
  });
});

describe('Install scripts', () => {
  const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };

  it('are each allowed or denied in package.json, and npm denies all others', () => {
    const named = packages
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(named.toSorted()).toEqual(Object.keys(allowScripts).toSorted());
    expect(read('.npmrc').split('\n')).toContain('strict-allow-scripts=true');
  });

  it('run for only one package', () =>
    expect(Object.keys(allowScripts).filter((name) => allowScripts[name])).toEqual(['node']));
});

describe('Completing a lockfile', () => {
  const lockOf = (names: readonly string[]): string =>
    JSON.stringify({
      packages: {
        '': { name: 'x' },
        'node_modules/tool': {
          version: '1.2.3',
          license: 'MIT',
          optionalDependencies: Object.fromEntries(names.map((name) => [name, '1.2.3'])),
        },
      },
    });
  const entry = (name: string): unknown => {
    const { packages: all } = JSON.parse(completed(lockOf([name])).text) as Lockfile;
    return all[`node_modules/${name}`];
  };

  it.each([
    ['@t/cli-darwin-arm64', { os: ['darwin'], cpu: ['arm64'] }],
    ['@t/b-linux-x64-musl', { os: ['linux'], cpu: ['x64'], libc: ['musl'] }],
    ['@t/b-linux-arm64-gnu', { os: ['linux'], cpu: ['arm64'], libc: ['glibc'] }],
    ['@t/b-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'] }],
    ['@t/b-win32-x64-msvc', { os: ['win32'], cpu: ['x64'] }],
    ['@t/b-wasm32-wasi', { cpu: ['wasm32'] }],
  ])('reads the platform from the name %s', (name, platform) =>
    expect(entry(name)).toEqual({ version: '1.2.3', dev: true, license: 'MIT', optional: true, ...platform }),
  );

  it('rejects a package whose name contains no platform', () =>
    expect(() => completed(lockOf(['@t/native']))).toThrow('@t/native@1.2.3'));

  it('does not change a complete lockfile', () => {
    const { text } = completed(lockOf(['@t/cli-darwin-arm64']));
    expect(completed(text)).toEqual({ text, added: [] });
  });
});
