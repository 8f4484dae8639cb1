// Number of cases and seed: fixed in CI, twenty times as many and random with `npm run soak:hostile`.
import { onTestFinished } from 'vitest';

/** SOAK=20: this many times as many. SOAK_SEED=n: repeats the cases of an earlier run. */
const times = Number(process.env.SOAK ?? 1);
const seed = times === 1 ? 4 : Number(process.env.SOAK_SEED ?? Date.now() % 2 ** 31);

if (times > 1) process.stdout.write(`SOAK=${times} SOAK_SEED=${seed}\n`);

export const cases = {
  /** Bytes given to the whole program. */
  bytes: 5_000,
  /** Texts from which documents are read. */
  texts: 20_000,
  /** Objects with other values in some of their fields. */
  objects: 56_000,
  /** Clusters with such objects, decided. */
  clusters: 6_000,
};

export type Family = keyof typeof cases;

/** Options for fast-check, which reports its findings with the seed. */
export const runsOf = (family: Family): { numRuns: number; seed: number } => ({ numRuns: cases[family] * times, seed });

const minutes = 60_000;
export const longEnough = 5 * times * minutes;

/** Globals that all other code in the process relies on. */
const shared = (): string =>
  JSON.stringify(
    [Object.prototype, Array.prototype, Function.prototype, String.prototype, Number.prototype, Error].map((holder) =>
      Reflect.ownKeys(holder).map(String),
    ),
  ) + Error.stackTraceLimit;

/** Fails the test if it changes global state. */
export function watchOver(): void {
  const before = shared();
  onTestFinished(() => {
    if (shared() !== before) throw new Error('A global object was changed');
  });
}
