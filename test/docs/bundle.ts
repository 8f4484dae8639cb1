// The program that the docs speak of: the one that these sources make, whatever is in dist.
import { relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { root } from '../architecture/sources.ts';

/** A file of dist with its text. */
type File = readonly [path: string, text: string];

let made: Promise<readonly File[]> | undefined;

export function bundle(): Promise<readonly File[]> {
  made ??= make();
  return made;
}

const outdir = resolve(root, 'dist');

/** In chunks, like the build of scripts/build.ts. */
async function make(): Promise<readonly File[]> {
  const { outputFiles } = await build({
    entryPoints: { lull: resolve(root, 'src/cli/main.ts') },
    outdir,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
    define: { LULL_VERSION: '"0.1.0"', LULL_BUILT_FROM: '""' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outputFiles.map(({ path, text }) => [relative(outdir, path), text] as const);
}
