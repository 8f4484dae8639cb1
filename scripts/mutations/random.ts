// A seeded sample of small edits over the pure folders, each tried against the tests that could notice it.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judged } from './judged.ts';
import { NearTests } from './nearTests.ts';
import { type Site, sitesIn } from './sites.ts';

export interface RandomOptions {
  readonly count: number;
  readonly seed: number;
  /** Only files whose path contains one of these; none = all of the pure folders. */
  readonly within: readonly string[];
  /** How many stages of tests to run at most: the nearest, all quick ones of the core, those over many cases. */
  readonly stages: number;
  /** Copies of the repository in which mutations are tried in parallel. */
  readonly copies: readonly string[];
}

/** A mutation that makes the tests hang counts as caught. */
const mostSeconds = 900;

/** Modules are loaded once for all test files: loading them is most of the time of a run. */
const inOneThread = ['--maxWorkers=1', '--pool=threads', '--no-isolate'];

type Fate = 'caught' | 'survived' | 'equivalent';

interface Tried {
  readonly site: Site;
  readonly fate: Fate;
}

/** Returns true if every sampled mutation that survived is judged. */
export async function runRandom(options: RandomOptions): Promise<boolean> {
  const sample = sampleOf(options);
  const tests = new NearTests();
  const waiting = sample.entries();
  const tried: Tried[] = [];
  const work = async (copy: string): Promise<void> => {
    for (const [index, site] of waiting) {
      const fate = reasonFor(site)
        ? 'equivalent'
        : await fateOf(site, tests.of(site.file).slice(0, options.stages), copy);
      tried.push({ site, fate });
      console.log(`${String(index + 1).padStart(4)} ${fate.padEnd(10)} ${describe(site)}`);
    }
  };
  await Promise.all(options.copies.map(work));
  printTable(tried);
  return tried.every(({ fate }) => fate !== 'survived');
}

/** Each folder gets the same share, so that small ones are not overlooked; a file gets at most as many as it has sites. */
function sampleOf({ count, seed, within }: RandomOptions): readonly Site[] {
  const sites = sitesIn(['src/engine', 'src/cluster', 'src/time']).filter(
    ({ file }) => within.length === 0 || within.some((part) => file.includes(part)),
  );
  const byFolder = Map.groupBy(sites, ({ file }) => folderOf(file));
  const random = seeded(seed);
  const share = Math.ceil(count / byFolder.size);
  const chosen = [...byFolder.values()].flatMap((those) => shuffled(those, random).slice(0, share));
  return shuffled(chosen, random).slice(0, count);
}

const folderOf = (file: string): string => file.split('/').slice(1, -1).join('/');

const reasonFor = ({ file, from, to, line }: Site): string | undefined =>
  judged.find((it) => it.file === file && it.from === from && it.to === to && lineOf(file, it.on) === line)?.why;

/** The line at which a text begins, counted from 1. */
const lineOf = (file: string, text: string): number => {
  const at = readFileSync(file, 'utf8').indexOf(text);
  return at < 0 ? -1 : readFileSync(file, 'utf8').slice(0, at).split('\n').length;
};

const describe = ({ file, line, from, to }: Site): string => `${file}:${line}  ${oneLine(from)} → ${oneLine(to)}`;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 80);

async function fateOf(
  { file, start, end, to }: Site,
  stages: readonly (readonly string[])[],
  copy: string,
): Promise<Fate> {
  const path = join(copy, file);
  const sound = readFileSync(path, 'utf8');
  writeFileSync(path, sound.slice(0, start) + to + sound.slice(end));
  try {
    for (const stage of stages) if (!(await passes(stage, copy))) return 'caught';
    return 'survived';
  } finally {
    writeFileSync(path, sound);
  }
}

function passes(files: readonly string[], copy: string): Promise<boolean> {
  const run: ChildProcess = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...files, '--bail=1', '--reporter=dot', ...inOneThread],
    { cwd: copy, stdio: 'ignore', env: { ...process.env, NO_COLOR: '1' }, detached: true },
  );
  return new Promise((resolve) => {
    const timer = setTimeout(() => process.kill(-(run.pid ?? 0), 'SIGKILL'), mostSeconds * 1000);
    run.on('exit', (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
  });
}

function printTable(tried: readonly Tried[]): void {
  console.log(`\n${'folder'.padEnd(26)} tried caught equivalent survived  noticed`);
  for (const [folder, those] of [...Map.groupBy(tried, ({ site }) => folderOf(site.file)), ['all', tried] as const]) {
    const number = (fate: Fate): number => those.filter((it) => it.fate === fate).length;
    const [caught, equivalent, survived] = [number('caught'), number('equivalent'), number('survived')];
    const share = caught + survived === 0 ? 100 : Math.round((100 * caught) / (caught + survived));
    const cells = [those.length, caught, equivalent, survived].map((cell) => String(cell).padStart(6));
    console.log(`${folder.padEnd(26)}${cells.join(' ')}  ${String(share).padStart(6)} %`);
  }
}

/** The same sequence for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
