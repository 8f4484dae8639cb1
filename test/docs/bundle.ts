// Which program do the docs speak of? The one that these sources make, whatever lies in dist.
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { root } from '../architecture/sources.ts';

let made: Promise<string> | undefined;

export function bundle(): Promise<string> {
  made ??= make();
  return made;
}

async function make(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [resolve(root, 'src/cli/main.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
    define: { LULL_VERSION: '"0.1.0"', LULL_BUILT_FROM: '""' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outputFiles[0]?.text ?? '';
}
