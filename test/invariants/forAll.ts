// Checks a property for random clusters and reports the smallest cluster that violates it.
import type { Plain } from './plain.ts';
import { randomCluster } from './randomCluster.ts';
import { shrink } from './shrink.ts';

/** Violations, each as `CLAUSE: what`. None = the property holds. */
export type Property = (plain: Plain, seed: number) => readonly string[];

/** The seeds from 1 up to this. LULL_CLUSTERS=5000 tries more. */
export const clusters = Number(process.env.LULL_CLUSTERS ?? 480);
/** For properties that decide each cluster at many instants. */
export const fewerClusters = Number(process.env.LULL_CLUSTERS ?? 300);

export function forAll(property: Property, count: number = clusters): void {
  const seeds = Array.from({ length: count }, (_, index) => index + 1);
  const failures = seeds
    .map((seed) => ({ seed, wrong: ask(property, clusterOf(seed), seed) }))
    .filter(({ wrong }) => wrong.length > 0);
  const [first] = failures;
  if (!first) return;
  const { seed, wrong } = first;
  const small = shrink(clusterOf(seed), (smaller) => clauseOf(ask(property, smaller, seed)) === clauseOf(wrong));
  throw new Error(
    [
      `${failures.length} of ${count} clusters:`,
      ...failures.slice(0, 20).map((failure) => short(`seed ${failure.seed}: ${failure.wrong[0]}`)),
      `seed ${seed} at its smallest:`,
      ...ask(property, small, seed).map(short),
      JSON.stringify(small),
    ].join('\n'),
  );
}

const made = new Map<number, Plain>();

/** The same object for the same seed, so that the other properties of the file reuse its rounds. */
export function clusterOf(seed: number): Plain {
  const plain = made.get(seed) ?? randomCluster(seed);
  made.set(seed, plain);
  return plain;
}

/** An exception is a violation too, and is shrunk like any other. */
function ask(property: Property, plain: Plain, seed: number): readonly string[] {
  try {
    return property(plain, seed);
  } catch (error) {
    return [`thrown: ${error instanceof Error ? error.stack : error}`];
  }
}

const short = (text: string): string => (text.length > 500 ? `${text.slice(0, 500)}…` : text);

const clauseOf = ([first]: readonly string[]): string | undefined => first?.split(':')[0];
