// Builds what is published: the one bundle that bin/lull runs, the library with its types, the page that is served, and what all of it is made of.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type BuildOptions, build } from 'esbuild';
import { buildDashboard } from './buildDashboard.ts';
import { builtFrom } from './builtFrom.ts';
import { licencesOf } from './licences.ts';
import { billOfMaterials, bundledIn, dashboardPackages } from './sbom.ts';

const { version, engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  engines: { node: string };
};
const from = builtFrom();

const shared = {
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

const [major, minor] = engines.node.replace(/[^0-9.]/g, '').split('.');

/** An older Node would fail somewhere in the middle, in words of its own. */
const checkNode = `{ const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor})) { process.stderr.write(\`lull needs Node ${major}.${minor} or newer; this is \${process.versions.node}.\\n\`); process.exit(2); } }`;

// yaml and commander still call require() for node's own modules.
const needRequire = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

const program = build({
  ...shared,
  // Each thread is a file of its own beside it.
  entryPoints: {
    lull: 'src/cli/main.ts',
    searchThread: 'src/cli/searchThread.ts',
    watchdogThread: 'src/cli/watchdogThread.ts',
  },
  define: { LULL_VERSION: JSON.stringify(version), LULL_BUILT_FROM: JSON.stringify(from) },
  banner: { js: `${needRequire}\n${checkNode}` },
});

const library = build({
  ...shared,
  entryPoints: { engine: 'src/library/engine.ts', time: 'src/library/time.ts' },
  banner: { js: needRequire },
});

/** Of the library alone: what it exports are values of the pure folders. */
function writeTypes(): void {
  rmSync('dist/types', { recursive: true, force: true });
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.library.json'], {
    stdio: 'inherit',
  });
  rmSync('dist/types/kinds', { recursive: true, force: true });
}

writeTypes();
const [bundle, parts] = await Promise.all([program, library, buildDashboard()]);
const bundled = new Set([...bundledIn(bundle.metafile), ...bundledIn(parts.metafile), ...dashboardPackages()]);
const lock = readFileSync('package-lock.json', 'utf8');
writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(billOfMaterials(lock, bundled), null, 2)}\n`);
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licencesOf(bundled));
