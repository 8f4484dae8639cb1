// Builds what is published: the program that bin/lull runs, the library with its types, the dashboard, the bill of materials and the licences.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { buildDashboard } from './buildDashboard.ts';
import { builtFrom } from './builtFrom.ts';
import { licencesOf } from './licences.ts';
import { billOfMaterials, bundledIn, dashboardPackages } from './sbom.ts';

const { version, engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  engines: { node: string };
};
const from = builtFrom();
const chunks = 'chunks';

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

/** An older Node would fail later, with a message that does not name the version. */
const checkNode = `{ const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor})) { process.stderr.write(\`lull needs Node ${major}.${minor} or newer; this is \${process.versions.node}.\\n\`); process.exit(2); } }`;

// yaml and commander still call require() for node's own modules.
const needRequire = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

const node = {
  ...shared,
  define: { LULL_VERSION: JSON.stringify(version), LULL_BUILT_FROM: JSON.stringify(from) },
  banner: { js: `${needRequire}\n${checkNode}` },
} as const satisfies BuildOptions;

/**
 * What commander needs of Node's own modules. Importing one as an ECMAScript module reads all its properties, and with them the modules
 * behind these: for node:fs, node:process and node:util that takes a third as long as Node itself needs to start. node:child_process is
 * for running other programs as commands, which Lull does not do.
 */
const ownModules: Readonly<Record<string, string>> = {
  'node:child_process': 'export default {};',
  'node:fs': "export default process.getBuiltinModule('node:fs');",
  'node:process': 'export default process;',
  'node:util': "export const { stripVTControlCharacters } = process.getBuiltinModule('node:util');",
};

const lightCommander: Plugin = {
  name: 'light-commander',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ importer, path }) =>
      /[\\/]commander[\\/]/.test(importer) && path in ownModules ? { path, namespace: 'light' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'light' }, ({ path }) => ({ contents: ownModules[path] ?? '' }));
  },
};

/** Split into chunks, so that a command loads only the code it needs. */
const program = build({
  ...node,
  plugins: [lightCommander],
  entryPoints: { lull: 'src/cli/main.ts' },
  splitting: true,
  chunkNames: `${chunks}/[name]-[hash]`,
});

/** Each worker thread is one file beside the bundle. */
const threads = build({
  ...node,
  entryPoints: {
    searchThread: 'src/cli/run/searchThread.ts',
    watchdogThread: 'src/cli/run/watchdogThread.ts',
  },
});

const library = build({
  ...shared,
  entryPoints: { engine: 'src/library/engine.ts', time: 'src/library/time.ts' },
  banner: { js: needRequire },
});

/** Type declarations of the library only: it exports values of the pure folders. */
function writeTypes(): void {
  rmSync('dist/types', { recursive: true, force: true });
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.library.json'], {
    stdio: 'inherit',
  });
  rmSync('dist/types/kinds', { recursive: true, force: true });
}

writeTypes();
/** Chunks of earlier builds, which nothing loads any more. */
function removeStaleChunks(written: readonly string[]): void {
  const kept = new Set(written.map((path) => basename(path)));
  for (const name of readdirSync(`dist/${chunks}`)) if (!kept.has(name)) rmSync(`dist/${chunks}/${name}`);
}

const metafiles = (await Promise.all([program, threads, library])).map(({ metafile }) => metafile);
await buildDashboard();
removeStaleChunks(metafiles.flatMap(({ outputs }) => Object.keys(outputs)));
const bundled = new Set([...metafiles.flatMap(bundledIn), ...dashboardPackages()]);
const lock = readFileSync('package-lock.json', 'utf8');
writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(billOfMaterials(lock, bundled), null, 2)}\n`);
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licencesOf(bundled));
