// The files of a release by name: package, chart, bill of materials, and the checksums of all.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzip, tar } from './archive.ts';
import type { Checkout } from './checkout.ts';

export type Artefacts = Readonly<Record<string, Buffer>>;

/** Starts from an empty folder: files of an earlier build would be packed as well. */
export function buildProgram({ commit, commitDate }: Checkout): void {
  rmSync('dist', { recursive: true, force: true });
  const env = { ...process.env, LULL_COMMIT: commit, LULL_COMMIT_DATE: commitDate, TZ: 'UTC', LC_ALL: 'C' };
  execFileSync(process.execPath, ['scripts/build.ts'], { env, stdio: 'inherit' });
}

export const artefactsOf = ({ version, commitTime }: Checkout): Artefacts => ({
  [`lull-${version}.tgz`]: packageOf(commitTime),
  [`lull-chart-${version}.tgz`]: chartOf(commitTime),
  [`lull-${version}.cdx.json`]: readFileSync('dist/sbom.cdx.json'),
});

/** npm decides which files; how they are packed does not depend on the umask or on npm's version. */
function packageOf(commitTime: number): Buffer {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' });
  const [{ files }] = JSON.parse(text) as [{ files: { path: string }[] }];
  const entries = files.map(({ path }) => ({
    path: `package/${path}`,
    bytes: readFileSync(path),
    isProgram: path.startsWith('bin/'),
  }));
  return gzip(tar(entries, commitTime));
}

/** Like `helm package`, but with the time of the commit instead of the checkout's. */
function chartOf(commitTime: number): Buffer {
  const folder = 'deploy/chart';
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const paths = files.map((file) => join(file.parentPath, file.name).slice(folder.length + 1));
  const entries = paths.map((path) => ({ path: `lull/${path}`, bytes: readFileSync(join(folder, path)) }));
  return gzip(tar(entries, commitTime));
}

/** In the format that `sha256sum --check` reads. */
export function checksums(artefacts: Artefacts): string {
  const sum = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  const names = Object.keys(artefacts).toSorted();
  return names.map((name) => `${sum(artefacts[name] ?? Buffer.of())}  ${name}\n`).join('');
}
