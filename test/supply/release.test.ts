// A release: the same bytes from the same commit in two folders, what it refuses, and what is in it.
import { execFileSync, spawnSync } from 'node:child_process';
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
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { helm } from '../chart/helm.ts';
import { helmBinary } from '../chart/helmBinary.ts';
import { root } from '../cluster/places.ts';

const folder = mkdtempSync(join(tmpdir(), 'lull-release-'));
const [one, other] = [join(folder, 'one'), join(folder, 'a', 'longer', 'way', 'to', 'the other')];
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const node = join(root, 'node_modules', 'node', 'bin', 'node');
const hasGit = existsSync(join(root, '.git'));

const git = (cwd: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...words], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, GIT_AUTHOR_DATE: '2026-11-01T12:00:00Z', GIT_COMMITTER_DATE: '2026-11-01T12:00:00Z' },
  });

/** The current files of this checkout, committed and tagged, as on the day of a release. */
function checkOut(to: string): void {
  const files = git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0').filter(Boolean);
  for (const file of files.filter((each) => existsSync(join(root, each)))) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    copyFileSync(join(root, file), join(to, file));
  }
  const changelog = readFileSync(join(to, 'CHANGELOG.md'), 'utf8');
  const released = changelog
    .replace('## [Unreleased]', '')
    .replace(`## [${version}]`, '')
    .replace(/^## /m, `## [${version}]\n\n## `);
  writeFileSync(
    join(to, 'CHANGELOG.md'),
    released.includes(`[${version}]`) ? released : `${released}\n## [${version}]\n`,
  );
  git(to, 'init', '--quiet', '--initial-branch=main');
  git(to, 'add', '--all');
  git(to, 'commit', '--quiet', '--message=release');
  git(to, 'tag', `v${version}`);
}

/** Real folders, as npm creates them: links would lead the bundlers back here. Hard links if they are on the same disk. */
function linkModules(to: string): void {
  const [from, there] = [join(root, 'node_modules'), join(to, 'node_modules')];
  const linked = spawnSync('cp', ['-al', from, there], { stdio: 'ignore' });
  if (linked.status === 0) return;
  rmSync(there, { recursive: true, force: true });
  execFileSync('cp', ['-R', from, there]);
}

const release = (cwd: string, umask: string, ...words: readonly string[]) =>
  spawnSync('sh', ['-c', 'umask "$1"; shift; exec "$@"', 'sh', umask, node, 'scripts/release.ts', ...words], {
    cwd,
    encoding: 'utf8',
    // Nothing of this machine may be in the build.
    env: {
      ...process.env,
      ...(umask === '022'
        ? { TZ: 'UTC', LANG: 'C', NODE_ENV: 'production' }
        : { TZ: 'Asia/Kathmandu', LANG: 'de_DE.UTF-8', NODE_ENV: 'development' }),
    },
  });

const outOf = (checkout: string): string => join(folder, `out-${checkout === one ? 'one' : 'other'}`);

describe.skipIf(!hasGit)('A release', () => {
  beforeAll(() => {
    checkOut(one);
    git(folder, 'clone', '--quiet', one, other);
    execFileSync('chmod', ['-R', 'go-rwx', 'README.md', 'bin', 'deploy', 'scenarios'], { cwd: other });
    for (const [checkout, umask] of [[one, '022'] as const, [other, '077'] as const]) {
      linkModules(checkout);
      const { status, stderr } = release(checkout, umask, '--out', outOf(checkout));
      if (status !== 0) throw new Error(stderr);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const names = ['SHA256SUMS', `lull-${version}.cdx.json`, `lull-${version}.tgz`, `lull-chart-${version}.tgz`];

  it('consists of these files', () => expect(readdirSync(outOf(one)).toSorted()).toEqual(names));

  it.each(names)(
    '%s has the same bytes, built in another folder and environment: umask, time zone, locale, NODE_ENV',
    (name) => {
      const [first, second] = [one, other].map((checkout) => readFileSync(join(outOf(checkout), name)));
      expect(second?.equals(first ?? Buffer.of())).toBe(true);
    },
  );

  it('has checksums that sha256sum agrees with', () => {
    const said = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
      cwd: outOf(one),
      encoding: 'utf8',
    });
    expect(said.trim().split('\n')).toHaveLength(3);
  });

  it('contains no path of the machine that built it', () => {
    const unpacked = join(folder, 'unpacked');
    mkdirSync(unpacked);
    execFileSync('tar', ['-xzf', join(outOf(one), `lull-${version}.tgz`), '-C', unpacked]);
    const files = readdirSync(unpacked, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const named = files.filter((file) => readFileSync(join(file.parentPath, file.name)).includes(folder));
    expect(named.map(({ name }) => name)).toEqual([]);
  });

  it('has the package that npm would pack, and npm installs it', () => {
    const list = (file: string): string[] =>
      execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).split('\n').filter(Boolean).toSorted();
    const [{ filename }] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
        cwd: one,
        encoding: 'utf8',
      }),
    ) as [{ filename: string }];
    expect(list(join(outOf(one), `lull-${version}.tgz`))).toEqual(list(join(folder, filename)));
    const place = join(folder, 'installed');
    mkdirSync(place);
    writeFileSync(join(place, 'package.json'), '{"private":true}\n');
    execFileSync('npm', ['install', '--offline', '--ignore-scripts', join(outOf(one), `lull-${version}.tgz`)], {
      cwd: place,
    });
    const said = execFileSync(join(place, 'node_modules', '.bin', 'lull'), ['--version'], { encoding: 'utf8' });
    expect(said).toBe(`lull ${version} (commit ${git(one, 'rev-parse', 'HEAD').slice(0, 12)} of 2026-11-01)\n`);
  });

  it.skipIf(helmBinary() === undefined)('has a chart that Helm accepts', () => {
    const chart = join(outOf(one), `lull-chart-${version}.tgz`);
    expect(helm(['show', 'chart', chart])).toContain(`version: ${version}`);
    expect(helm(['template', 'lull', chart, '--set', 'image.repository=x'])).toContain('kind: Deployment');
  });

  describe('is refused', () => {
    const file = (name: string): string => join(one, name);
    const restore = (): string =>
      git(one, 'checkout', '--quiet', '--force', '.') +
      git(one, 'clean', '-fdq') +
      git(one, 'tag', '--force', `v${version}`);
    const edit = (name: string, from: string | RegExp, to: string): void => {
      const text = readFileSync(file(name), 'utf8');
      writeFileSync(file(name), text.replace(from, to));
    };

    it.each([
      ['with a change', () => edit('README.md', /$/, '\n'), 'The working tree has 1 change (README.md)'],
      ['with a new file', () => writeFileSync(file('src/new.ts'), ''), 'The working tree has 1 change (src/new.ts)'],
      ['without a tag', () => git(one, 'tag', '--delete', `v${version}`), `This commit has no tag v${version}`],
      [
        'by another version',
        () => edit('package.json', `"version": "${version}"`, '"version": "9.9.9"'),
        `This commit is tagged v${version}, package.json says 9.9.9.`,
      ],
      [
        'with another chart',
        () => edit('deploy/chart/Chart.yaml', `version: ${version}`, 'version: 9.9.9'),
        'deploy/chart/Chart.yaml says 9.9.9',
      ],
      [
        'with another lockfile',
        () => edit('package-lock.json', `"version": "${version}"`, '"version": "9.9.9"'),
        'package-lock.json says 9.9.9',
      ],
      [
        'without an entry in the changelog',
        () => edit('CHANGELOG.md', `## [${version}]`, '## [0.0.0]'),
        `CHANGELOG.md has no section [${version}].`,
      ],
      [
        'with changes untold',
        () => edit('CHANGELOG.md', /^## /m, '## [Unreleased]\n\n- This.\n\n## '),
        'CHANGELOG.md lists changes as Unreleased',
      ],
      ['from a base image by tag', () => edit('Dockerfile', /@sha256:\w+/, ''), 'node:24-slim is not pinned by digest'],
      [
        'by another Node',
        () => edit('package.json', /"node": "\d+\.\d+\.\d+"/, '"node": "99.0.0"'),
        'releases are built with 99.0.0',
      ],
    ])('%s', (_, change, reason) => {
      change();
      const out = join(folder, 'refused');
      const { status, stderr } = release(one, '022', '--out', out);
      restore();
      expect([status, stderr]).toEqual([1, expect.stringContaining(reason)]);
      expect(existsSync(out)).toBe(false);
    });

    it('into a folder that is not empty', () =>
      expect(release(one, '022', '--out', outOf(one))).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('is not empty'),
      }));

    it.each([[[]], [['--owt', 'x']]])('with the arguments %j, and prints the usage', (words) => {
      const { status, stdout, stderr } = release(one, '022', ...words);
      expect([status, stdout + stderr]).toEqual([2, expect.stringContaining('npm run release -- --out DIR')]);
    });
  });
});
