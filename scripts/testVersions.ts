// npm run test:versions: builds other versions of Kubernetes and Karpenter, and runs the core end-to-end stories on them.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../test/cluster/places.ts';
import { chosenPair, environmentOf, nameOf, type Pair, versionList, wholeVersion } from '../test/cluster/versions.ts';
import { pairOfTheDay, storiesNamed, storiesWithin } from './versions/plan.ts';
import { type Result, withResult } from './versions/supportTable.ts';

const help = `Usage: npm run test:versions -- [options]

Builds a pair of versions (cached) and runs the core end-to-end stories on it.

  --kubernetes V    a version of test/cluster/versions.json, as 1.30 or 1.30.14
  --karpenter V     the same; the default is ${nameOf(chosenPair)}
  --all             every pair of the list, one after another
  --today           one pair other than the default, in turn by the day of the year
  --stories A,B     only these, as 20,24; default: all of the list
  --within MINUTES  only as many stories as are expected to end in this time
  --no-record       do not write the result into docs/support.md
  --build           build only
  --list            print the pairs and the stories
  --help            print this
Exit status: 0 if every test that ran has passed, 1 if one failed or none ran, 2 for wrong usage.
`;

const options = {
  kubernetes: { type: 'string' },
  karpenter: { type: 'string' },
  all: { type: 'boolean', default: false },
  today: { type: 'boolean', default: false },
  stories: { type: 'string' },
  within: { type: 'string' },
  record: { type: 'boolean', default: true },
  build: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const say = (sentence: string): void => void process.stderr.write(`test:versions: ${sentence}\n`);

interface Plan {
  readonly pairs: readonly Pair[];
  readonly stories: readonly string[];
  readonly record: boolean;
  readonly buildOnly: boolean;
}

/** Undefined if the command line asked for help or the list, which has been printed. */
function readPlan(): Plan | undefined {
  const { values } = parseArgs({ options, allowNegative: true });
  if (values.help) process.stdout.write(help);
  if (values.list) process.stdout.write(listed());
  if (values.help || values.list) return undefined;
  const within = values.within === undefined ? Number.POSITIVE_INFINITY : Number(values.within);
  if (Number.isNaN(within)) throw new Error(`--within "${values.within}" is not a number of minutes`);
  const pair = {
    kubernetes: wholeVersion('kubernetes', values.kubernetes ?? chosenPair.kubernetes),
    karpenter: wholeVersion('karpenter', values.karpenter ?? chosenPair.karpenter),
  };
  return {
    pairs: values.all ? versionList.pairs : [values.today ? pairOfTheDay(new Date()) : pair],
    stories: values.stories ? storiesNamed(values.stories.split(',')) : storiesWithin(within),
    record: values.record,
    buildOnly: values.build,
  };
}

function listed(): string {
  const pairs = versionList.pairs.map((pair, index) => `  ${nameOf(pair)}${index === 0 ? ' (default)' : ''}`);
  const stories = Object.entries(versionList.stories).map(([story, minutes]) => `  ${story} (${minutes} min)`);
  return ['pairs', ...pairs, `today: ${nameOf(pairOfTheDay(new Date()))}`, 'stories', ...stories, ''].join('\n');
}

function run(words: readonly string[], pair: Pair, more: Readonly<Record<string, string>> = {}): boolean {
  const env = { ...process.env, ...environmentOf(pair), ...more };
  return spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit', env }).status === 0;
}

/** The part of vitest's JSON report that counts. */
interface Summary {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

function test(pair: Pair, stories: readonly string[]): Result {
  const folder = mkdtempSync(join(tmpdir(), 'lull-versions-'));
  // .ci/run adds the numbers up.
  const file = process.env.TEST_SUMMARY ?? join(folder, 'summary.json');
  const files = stories.map((story) => `test/e2e/${story}.e2e.ts`);
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.e2e.config.ts', ...files];
  const isGood = run(vitest, pair, { TEST_SUMMARY: file });
  const read: Summary | undefined = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  rmSync(folder, { recursive: true });
  const { numPassedTests: passed = 0, numFailedTests = 0, numPendingTests: skipped = 0 } = read ?? {};
  // A story that breaks before its first test has no failed test.
  const failed = isGood || numFailedTests > 0 ? numFailedTests : 1;
  return { pair, date: new Date().toISOString().slice(0, 10), commit: commit(), stories, passed, failed, skipped };
}

/** Prints a warning if the tree differs from the commit, except in files that the run itself has written. */
function commit(): string {
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--', '.', `:!${page}`) !== '';
  return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`;
}

const page = 'docs/support.md';

/** Whether every test passed. */
function testPair(pair: Pair, { stories, record, buildOnly }: Plan): boolean {
  say(`${nameOf(pair)}: building what is missing.`);
  if (!run([join('test', 'cluster', 'build.ts')], pair)) {
    say(`${nameOf(pair)} cannot be built.`);
    return false;
  }
  if (buildOnly) return true;
  say(`${nameOf(pair)}: running ${stories.join(', ')}.`);
  const result = test(pair, stories);
  const { passed, failed, skipped } = result;
  say(`${nameOf(pair)}: ${passed} passed, ${failed} failed, ${skipped} skipped.`);
  if (record && passed + failed > 0) {
    const file = join(root, page);
    writeFileSync(file, withResult(readFileSync(file, 'utf8'), result));
    say(`the result is in ${page}.`);
  }
  return passed > 0 && failed === 0;
}

try {
  const plan = readPlan();
  if (plan) process.exitCode = plan.pairs.map((pair) => testPair(pair, plan)).every(Boolean) ? 0 : 1;
} catch (error) {
  if (!(error instanceof Error)) throw error;
  say(`${error.message}. \`npm run test:versions -- --help\` lists the options.`);
  process.exitCode = 2;
}
