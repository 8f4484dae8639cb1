// npm run size [-- --list]: how large the program is: files, lines and casts of src by folder, and how many files one decision runs through.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isTest, readSources, root, type Source, type Syntax } from '../test/architecture/sources.ts';

/** One decision in working hours, one in the evening, when consolidation is allowed, and a simulation with consolidation. */
const commands = [
  ['decide', '-f', 'scenarios/first-look.yaml', '--at', '2026-11-17T10:20:00Z'],
  ['decide', '-f', 'scenarios/first-look.yaml', '--at', '2026-11-17T20:20:00Z'],
  ['simulate', 'scenarios/half-empty.yaml'],
];

/** What the build writes into the program. */
const version = "data:text/javascript,globalThis.LULL_VERSION='0'";

interface Counts {
  files: number;
  lines: number;
  casts: number;
}

function printFolders(sources: readonly Source[]): void {
  const folders = new Map<string, Counts>();
  const total: Counts = { files: 0, lines: 0, casts: 0 };
  for (const source of sources) {
    const name = posix.dirname(source.path).split('/').slice(0, 3).join('/');
    const counts = folders.get(name) ?? { files: 0, lines: 0, casts: 0 };
    folders.set(name, counts);
    for (const each of [counts, total]) {
      each.files += 1;
      each.lines += source.text.split('\n').length - 1;
      each.casts += castsIn(source);
    }
  }
  console.log(`${'folder'.padEnd(32)}${'files'.padStart(7)}${'lines'.padStart(8)}${'casts'.padStart(7)}`);
  for (const [name, counts] of [...folders, ['src (without tests)', total] as const]) {
    const { files, lines, casts } = counts;
    console.log(
      `${name.padEnd(32)}${String(files).padStart(7)}${String(lines).padStart(8)}${String(casts).padStart(7)}`,
    );
  }
}

/** `as` in code, without `as const`. */
function castsIn({ syntax }: Source): number {
  return syntax.filter((node) => node.type === 'TSAsExpression' && !isConst(node.typeAnnotation as Syntax)).length;
}

const isConst = ({ typeName }: Syntax): boolean => (typeName as Syntax | undefined)?.name === 'const';

/** Runs `lull` from the sources and asks V8 in which files a named function ran. */
function printExecuted(command: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'lull-size-'));
  try {
    const run = spawnSync(process.execPath, ['--import', version, 'src/cli/main.ts', ...command], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, NODE_V8_COVERAGE: folder },
    });
    if (run.status !== 0) throw new Error(`lull ${command.join(' ')} failed:\n${run.stderr}`);
    const loaded = readdirSync(folder).flatMap((file) => scriptsIn(join(folder, file)));
    const executed = loaded.filter(({ functions }) => functions.some(hasRun));
    const inSim = executed.filter(({ path }) => path.startsWith('src/sim/')).length;
    const ofThose = inSim > 0 ? ` (${inSim} of them the simulator)` : '';
    console.log(`\nlull ${command.join(' ')}: ${executed.length} files run${ofThose}, ${loaded.length} loaded`);
    if (process.argv.includes('--list')) for (const { path } of executed) console.log(`  ${path}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Script {
  readonly path: string;
  readonly functions: readonly Coverage[];
}

interface Coverage {
  readonly functionName: string;
  readonly ranges: readonly { readonly count: number }[];
}

const hasRun = ({ functionName, ranges }: Coverage): boolean => functionName !== '' && (ranges[0]?.count ?? 0) > 0;

function scriptsIn(file: string): Script[] {
  const { result } = JSON.parse(readFileSync(file, 'utf8')) as { result: { url: string; functions: Coverage[] }[] };
  const prefix = pathToFileURL(join(root, 'src/')).href;
  return result
    .filter(({ url }) => url.startsWith(prefix))
    .map(({ url, functions }) => ({ path: `src/${url.slice(prefix.length)}`, functions }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

printFolders(readSources('src').filter((source) => !isTest(source)));
for (const command of commands) printExecuted(command);
