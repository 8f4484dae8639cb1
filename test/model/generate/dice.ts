// Small random choices over a seeded stream.
import type { Random } from '../../../src/sim/random.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A whole number between two, both included. */
export const some = (random: Random, from: number, to: number): number => from + random.whole(to - from + 1);

/** One of these, each with the probability of its weight. */
export function weighted<T>(random: Random, choices: readonly (readonly [weight: number, value: T])[]): T {
  const total = choices.reduce((sum, [weight]) => sum + weight, 0);
  let left = random.next() * total;
  for (const [weight, value] of choices) {
    left -= weight;
    if (left < 0) return value;
  }
  return (choices.at(-1) as readonly [number, T])[1];
}

export const list = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** Some of these, at least one. */
export function subset<T>(random: Random, all: readonly T[]): T[] {
  const picked = all.filter(() => random.chance(0.4));
  return picked.length > 0 ? picked : [random.pick(all)];
}

/** The record with this probability, otherwise nothing: to be spread into another. */
export const maybe = (random: Random, chance: number, fields: () => Json): Json =>
  random.chance(chance) ? fields() : {};

/** The story begins on a Monday at 08:00 UTC; these open and close around that time. */
export function schedule(random: Random): { readonly cron: string; readonly duration: string } {
  return {
    cron: weighted(random, [
      [6, `${random.pick([0, 0, 15, 30])} ${some(random, 7, 11)} * * *`],
      [2, `*/${random.pick([20, 30])} * * * *`],
      [1, `0 ${some(random, 8, 11)} * * mon-fri`],
      [1, `30 ${some(random, 13, 20)} * * *`],
    ]),
    duration: random.pick(['10m', '15m', '45m', '1h', '2h']),
  };
}

export const zoneKey = 'topology.kubernetes.io/zone';
export const poolKey = 'karpenter.sh/nodepool';
export const zones = ['a', 'b', 'c'];
