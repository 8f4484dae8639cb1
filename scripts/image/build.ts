// The image as an OCI archive, built by buildah from the Dockerfile, the same bytes each time.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tar } from '../release/archive.ts';
import type { Checkout } from '../release/checkout.ts';
import { digestOf, dockerArchive, fileIn, imagesIn } from './layout.ts';
import { buildah, requirePrograms, tryBuildah } from './tools.ts';

export interface ImageWish {
  /** Base images of this machine instead of the pinned ones. */
  readonly buildImage?: string | undefined;
  readonly baseImage?: string | undefined;
  readonly platforms: readonly string[];
  /** The name of the image in a docker-archive. Absent = no docker-archive. One platform only. */
  readonly dockerName?: string | undefined;
}

export interface BuiltImage {
  /** The OCI archive. */
  readonly archive: Buffer;
  readonly dockerArchive?: Buffer;
  /** The digest by which a registry names it. */
  readonly digest: string;
  /** The bill of materials in the image. */
  readonly sbom: Buffer;
}

/** Builds one manifest list with an image for each platform. */
export function buildImage(checkout: Checkout, wish: ImageWish): BuiltImage {
  requirePrograms(['buildah']);
  const { version, commitTime } = checkout;
  const name = `localhost/lull-release:${version}-${process.pid}`;
  const folder = mkdtempSync(join(tmpdir(), 'lull-image-'));
  try {
    buildah(
      'build',
      ...['--platform', wish.platforms.join(','), '--manifest', name],
      // The time of the commit, for the image and every file in it.
      ...['--timestamp', String(commitTime), '--identity-label=false', '--no-cache', '--network', 'host'],
      ...(wish.buildImage !== undefined || wish.baseImage !== undefined ? ['--pull-never'] : []),
      ...buildArguments(checkout, wish),
      '.',
    );
    buildah('manifest', 'push', '--quiet', '--all', name, `oci:${folder}:${version}`);
    return readLayout(folder, commitTime, wish.dockerName);
  } finally {
    tryBuildah('manifest', 'rm', name);
    removeImages(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The untagged images that the build left behind; buildah names an image by the digest of its config. */
function removeImages(layout: string): void {
  if (!existsSync(join(layout, 'index.json'))) return;
  const nameless = buildah('images', '--quiet', '--no-trunc', '--filter', 'dangling=true').split('\n');
  for (const { manifest } of imagesIn(layout))
    if (nameless.includes(manifest.config.digest)) tryBuildah('rmi', manifest.config.digest.replace('sha256:', ''));
}

function buildArguments({ commit, commitDate, changes }: Checkout, wish: ImageWish): readonly string[] {
  const wanted = {
    LULL_COMMIT: commit,
    LULL_COMMIT_DATE: changes.length > 0 ? `${commitDate}, with changes` : commitDate,
    BUILD_IMAGE: wish.buildImage,
    BASE_IMAGE: wish.baseImage,
  };
  return Object.entries(wanted).flatMap(([key, value]) => (value ? ['--build-arg', `${key}=${value}`] : []));
}

function readLayout(folder: string, seconds: number, dockerName?: string): BuiltImage {
  const [first] = imagesIn(folder);
  if (!first) throw new Error('buildah did not build an image');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const paths = files.map((file) => join(file.parentPath, file.name));
  return {
    archive: tar(
      paths.map((path) => ({ path: path.slice(folder.length + 1), bytes: readFileSync(path) })),
      seconds,
    ),
    ...(dockerName !== undefined && { dockerArchive: dockerArchive(folder, dockerName, seconds) }),
    digest: digestOf(folder),
    sbom: fileIn(folder, first, 'lull/dist/sbom.cdx.json'),
  };
}
