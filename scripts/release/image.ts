// The image as an OCI archive, built by buildah from the Dockerfile, the same bytes each time.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tar } from './archive.ts';
import type { Checkout } from './checkout.ts';

export interface ImageWish {
  /** Base images of this machine, for a trial: not what the Dockerfile pins. */
  readonly buildImage?: string | undefined;
  readonly baseImage?: string | undefined;
  readonly platforms: readonly string[];
}

/** What buildah says of its own faults stays on the terminal. */
function run(...words: readonly string[]): void {
  const { status, error } = spawnSync('buildah', words, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (error) throw new Error(`buildah cannot be run, and --image needs it: ${error.message}`);
  if (status !== 0) throw new Error(`buildah ${words[0]} failed (${status}); what it said is above`);
}

/** One manifest list with an image for each platform. */
export function buildImage({ version, commit, commitDate, commitTime }: Checkout, wish: ImageWish): Buffer {
  const name = `localhost/lull-release:${version}-${process.pid}`;
  const folder = mkdtempSync(join(tmpdir(), 'lull-image-'));
  const wanted = {
    LULL_COMMIT: commit,
    LULL_COMMIT_DATE: commitDate,
    BUILD_IMAGE: wish.buildImage,
    BASE_IMAGE: wish.baseImage,
  };
  const settings = Object.entries(wanted).flatMap(([key, value]) => (value ? ['--build-arg', `${key}=${value}`] : []));
  const isTrial = wish.buildImage !== undefined || wish.baseImage !== undefined;
  try {
    run(
      'build',
      ...['--platform', wish.platforms.join(','), '--manifest', name],
      // The time of the commit, for the image and for every file in it.
      ...['--timestamp', String(commitTime), '--identity-label=false', '--no-cache', '--network', 'host'],
      ...(isTrial ? ['--pull-never'] : []),
      ...settings,
      '.',
    );
    run('manifest', 'push', '--all', name, `oci:${folder}:${version}`);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const paths = files.map((file) => join(file.parentPath, file.name));
    return tar(
      paths.map((path) => ({ path: path.slice(folder.length + 1), bytes: readFileSync(path) })),
      commitTime,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
    spawnSync('buildah', ['manifest', 'rm', name], { stdio: 'ignore' });
  }
}
