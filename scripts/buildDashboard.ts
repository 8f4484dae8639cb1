// Builds the dashboard into dist/dashboard, and packs each file once, so that the server need not.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const out = 'dist/dashboard';
const isPackable = (name: string): boolean => /\.(html|js|css|svg)$/.test(name);

export async function buildDashboard(): Promise<void> {
  // Set whatever the shell has: another value adds the paths of the source files to the page.
  process.env.NODE_ENV = 'production';
  await build({
    root: 'dashboard',
    configFile: false,
    logLevel: 'warn',
    // JSX compiles to imports of Preact by its own name.
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    worker: { format: 'es' },
    build: {
      outDir: `../${out}`,
      emptyOutDir: true,
      target: 'es2023',
      assetsInlineLimit: 0,
      // The content security policy allows no inline scripts, and every supported browser knows modules.
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 2000,
    },
  });
  for (const name of readdirSync(out, { recursive: true, encoding: 'utf8' }).filter(isPackable)) {
    const file = join(out, name);
    const bytes = readFileSync(file);
    // The best quality takes seconds longer for a few percent.
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }
}
