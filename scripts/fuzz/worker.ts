// One fuzzer of one target, in a thread: mutates, runs, keeps what reaches new code, and reports what breaks.
import { parentPort, workerData } from 'node:worker_threads';
import { longestText, mutate } from './mutate.ts';

export interface Work {
  readonly target: string;
  /** The instrumented bundle. */
  readonly bundle: string;
  readonly counters: number;
  readonly words: readonly string[];
  readonly seeds: readonly string[];
  readonly until: number;
  readonly seed: number;
  /** [0] runs, [1] length of the current input, then the input itself. */
  readonly shared: SharedArrayBuffer;
}

export interface Finding {
  readonly why: string;
  readonly text: string;
}

export interface Outcome {
  readonly runs: number;
  /** Branches reached, and with how many kept texts. */
  readonly reached: number;
  readonly kept: readonly string[];
  readonly findings: readonly Finding[];
}

const { target, bundle, counters, words, seeds, until, seed, shared } = workerData as Work;
const map = new Uint8Array(counters);
Object.assign(globalThis, { fuzzCounters: map });
const { targets } = (await import(bundle)) as { targets: Record<string, (text: string) => void> };
const tried = targets[target];
if (!tried) throw new Error(`Unknown target ${target}`);
const run: (text: string) => void = tried;

const [progress, current] = [new Int32Array(shared, 0, 2), new Uint16Array(shared, 8)];
/** Slower than this, three times in a row, is a finding: an input has at most 8 KB. */
const slowest = 500;

/** Counts are compared in powers of two: a loop that runs twice as often is new. */
const bucketOf = Uint8Array.from({ length: 256 }, (_, times) =>
  times === 0 ? 0 : 1 << Math.min(7, Math.floor(Math.log2(times))),
);
const seen = new Uint8Array(counters);

let state = seed | 0;
/** mulberry32 */
function chance(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** Undefined if nothing is wrong. */
function fails(text: string): string | undefined {
  const begun = performance.now();
  try {
    run(text);
  } catch (error) {
    return error instanceof Error
      ? `${error.name}: ${error.message.replaceAll(/\d+|".*"/g, '#')} ${placeOf(error)}`
      : String(error);
  }
  return performance.now() - begun > slowest ? 'slow' : undefined;
}

const placeOf = ({ stack = '' }: Error): string =>
  /\bat (?!must)(\S+)/.exec(stack.slice(stack.indexOf('\n    at')))?.[1] ?? '';

function isFailure(text: string): string | undefined {
  const why = fails(text);
  if (why !== 'slow') return why;
  return fails(text) === 'slow' && fails(text) === 'slow' ? 'slow' : undefined;
}

function tellCurrent(text: string): void {
  for (let at = 0; at < text.length; at++) current[at] = text.charCodeAt(at);
  Atomics.store(progress, 1, text.length);
  Atomics.add(progress, 0, 1);
}

/** Whether the input reached a branch that no input before it reached. */
function isNew(): boolean {
  let found = false;
  for (let at = 0; at < counters; at++) {
    const bits = bucketOf[map[at] ?? 0] ?? 0;
    const known = seen[at] ?? 0;
    if ((bits & ~known) !== 0) {
      seen[at] = known | bits;
      found = true;
    }
  }
  return found;
}

/** Minimises an input that fails: the same failure with less text. */
function smaller(text: string, holds: (text: string) => boolean): string {
  let small = text;
  let budget = 3000;
  for (let size = Math.ceil(small.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < small.length && budget > 0; budget--) {
      const shorter = small.slice(0, at) + small.slice(at + size);
      if (holds(shorter)) small = shorter;
      else at += size;
    }
  }
  return small;
}

const kept: string[] = [];
const findings = new Map<string, string>();
let runs = 0;

function attempt(text: string): void {
  runs++;
  tellCurrent(text);
  map.fill(0);
  const why = isFailure(text);
  if (why !== undefined && !findings.has(why) && findings.size < 20)
    findings.set(
      why,
      smaller(text, (each) => isFailure(each) === why),
    );
  else if (why === undefined && isNew()) kept.push(text);
}

for (const text of ['', ...seeds]) attempt(text.slice(0, longestText));
const other = (): string => kept[Math.floor(chance() * kept.length)] ?? '';
/** The newest third is drawn as often as all others together. */
const chosen = (): string =>
  chance() < 0.5 ? (kept[kept.length - 1 - Math.floor((chance() * kept.length) / 3)] ?? '') : other();
while (Date.now() < until) for (let turn = 0; turn < 100; turn++) attempt(mutate(chosen(), { chance, words, other }));

parentPort?.postMessage({
  runs,
  reached: seen.reduce((sum, bits) => sum + (bits > 0 ? 1 : 0), 0),
  kept,
  findings: [...findings].map(([why, text]) => ({ why, text })),
} satisfies Outcome);
