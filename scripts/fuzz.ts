// npm run fuzz -- [TARGET…] [--minutes N] [--seed N] [--keep]: coverage-guided fuzzing of everything that reads; ten minutes a target.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { corpusFolder, corpusOf, writeTexts } from '../test/fuzz/corpus.ts';
import { targets } from '../test/fuzz/targets.ts';
import { instrument } from './fuzz/instrument.ts';
import { longestText } from './fuzz/mutate.ts';
import type { Outcome, Work } from './fuzz/worker.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    keep: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !Object.hasOwn(targets, name));
if (unknown.length > 0) throw new Error(`Unknown target ${unknown}: use ${Object.keys(targets).join(', ')}`);
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');

/** A text that runs this long, in wall-clock time, hangs. */
const hangs = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'lull-fuzz-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const built = await build({
  entryPoints: ['test/fuzz/targets.ts'],
  bundle: true,
  platform: 'node',
  format: 'esm',
  write: false,
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
});
const { code, counters, words } = instrument(built.outputFiles[0]?.text ?? '');
const bundle = join(folder, 'targets.mjs');
writeFileSync(bundle, code);
process.stdout.write(`${counters} branches, ${words.length} words, seed ${seed}\n`);

let found = 0;
for (const target of positionals.length > 0 ? positionals : Object.keys(targets)) {
  const { outcome, failure } = await fuzz(target);
  const findings = [...(outcome?.findings ?? []), ...(failure ? [failure] : [])];
  found += findings.length;
  process.stdout.write(
    `${target}: ${minutes} min, ${outcome?.runs ?? '?'} runs, ${outcome?.reached ?? '?'} branches reached, ${outcome?.kept.length ?? '?'} texts kept, ${findings.length} findings\n`,
  );
  for (const { why, text } of findings) process.stdout.write(`  ${why}\n  ${JSON.stringify(text)}\n`);
  mkdirSync(join(corpusFolder, target), { recursive: true });
  if (findings.length > 0)
    writeTexts(target, 'found', [...corpusOf(target, 'found'), ...findings.map(({ text }) => text)]);
  if (values.keep && outcome) writeTexts(target, 'kept', outcome.kept.filter((text) => text.length <= 300).slice(-60));
}
process.exitCode = found > 0 ? 1 : 0;

interface Fuzzed {
  readonly outcome?: Outcome;
  readonly failure?: { readonly why: string; readonly text: string };
}

/** In a worker thread, so that an input that hangs or exhausts the memory can be named and skipped. */
function fuzz(target: string): Promise<Fuzzed> {
  const shared = new SharedArrayBuffer(8 + 2 * longestText);
  const workerData: Work = {
    target,
    bundle: pathToFileURL(bundle).href,
    counters,
    words,
    seeds: corpusOf(target),
    until: Date.now() + minutes * 60_000,
    seed,
    shared,
  };
  const worker = new Worker(new URL('./fuzz/worker.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 1024 },
  });
  const progress = new Int32Array(shared, 0, 2);
  const current = (): string => String.fromCharCode(...new Uint16Array(shared, 8, Atomics.load(progress, 1)));
  return new Promise((resolve) => {
    let [last, since] = [-1, Date.now()];
    const watch = setInterval(() => {
      const now = Atomics.load(progress, 0);
      if (now !== last) [last, since] = [now, Date.now()];
      else if (Date.now() - since > hangs) end({ failure: { why: 'hangs', text: current() } });
    }, 1000);
    const end = (fuzzed: Fuzzed): void => {
      clearInterval(watch);
      void worker.terminate();
      resolve(fuzzed);
    };
    worker.once('message', (outcome: Outcome) => end({ outcome }));
    worker.once('error', (error) => end({ failure: { why: String(error), text: current() } }));
  });
}
