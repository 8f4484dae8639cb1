// An OCI image layout on disk: its digest, its images, their files; and the same image as a docker-archive.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { tar } from '../release/archive.ts';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly platform?: { readonly os: string; readonly architecture: string };
}

interface Index {
  readonly manifests: readonly Descriptor[];
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** What a runtime needs besides the files. */
interface ImageConfig {
  readonly architecture: string;
  readonly os: string;
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
    readonly WorkingDir: string;
  };
}

export interface ImageIn {
  readonly manifest: Manifest;
  readonly config: ImageConfig;
}

const readJson = <T>(bytes: Buffer): T => JSON.parse(bytes.toString('utf8'));

const pathOf = (layout: string, digest: string): string => join(layout, 'blobs', ...digest.split(':'));

/** The digest by which a registry names the image: that of its manifest list. */
export function digestOf(layout: string): string {
  const [top] = readJson<Index>(readFileSync(join(layout, 'index.json'))).manifests;
  if (!top) throw new Error(`${layout}/index.json names no image`);
  return top.digest;
}

/** One image for each platform. */
export function imagesIn(layout: string): readonly ImageIn[] {
  const list = readJson<Index>(readFileSync(pathOf(layout, digestOf(layout))));
  return list.manifests.map(({ digest }) => {
    const manifest = readJson<Manifest>(readFileSync(pathOf(layout, digest)));
    return { manifest, config: readJson<ImageConfig>(readFileSync(pathOf(layout, manifest.config.digest))) };
  });
}

/** The uncompressed layers, the lowest first. */
export const layersOf = (layout: string, { manifest }: ImageIn): readonly Buffer[] =>
  manifest.layers.map(({ digest, mediaType }) => {
    const bytes = readFileSync(pathOf(layout, digest));
    return mediaType.endsWith('gzip') ? gunzipSync(bytes) : bytes;
  });

/** A file of the image, from the last layer that has it. */
export function fileIn(layout: string, image: ImageIn, path: string): Buffer {
  for (const layer of layersOf(layout, image).toReversed()) {
    const { status, stdout } = spawnSync('tar', ['-xO', path], { input: layer, maxBuffer: 2 ** 30 });
    if (status === 0) return stdout;
  }
  throw new Error(`The image has no file /${path}`);
}

/** For `docker load` and `ctr images import`, with the name that the image gets there. */
export function dockerArchive(layout: string, name: string, seconds: number): Buffer {
  const [image, ...others] = imagesIn(layout);
  if (!image || others.length > 0) throw new Error('A docker-archive holds an image for one platform');
  const layers = layersOf(layout, image).map((bytes) => ({
    path: `${createHash('sha256').update(bytes).digest('hex')}.tar`,
    bytes,
  }));
  const config = readFileSync(pathOf(layout, image.manifest.config.digest));
  const configPath = `${createHash('sha256').update(config).digest('hex')}.json`;
  const manifest = [{ Config: configPath, RepoTags: [name], Layers: layers.map(({ path }) => path) }];
  return tar(
    [
      { path: 'manifest.json', bytes: Buffer.from(JSON.stringify(manifest)) },
      { path: configPath, bytes: config },
      // Two layers with the same bytes are one file.
      ...new Map(layers.map((layer) => [layer.path, layer])).values(),
    ],
    seconds,
  );
}
