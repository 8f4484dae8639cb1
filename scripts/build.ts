// Builds the one bundle that bin/lull runs, and the page that it serves.

import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { buildDashboard } from './buildDashboard.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

const program = build({
  entryPoints: { lull: 'src/cli/main.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  define: { LULL_VERSION: JSON.stringify(version) },
  // yaml and commander still call require() for node's own modules.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  logLevel: 'warning',
});

await Promise.all([program, buildDashboard()]);
