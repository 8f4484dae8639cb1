// What all parts of a random cluster share: the random stream, the instant, and how stormy it is.
import type { Dice } from '../dice.ts';

export interface World {
  readonly dice: Dice;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How much out of the ordinary happens here: calm clusters let nodes go, stormy ones reach the rare refusals. */
  readonly storm: number;
  readonly zones: readonly string[];
  readonly role: 'observe' | 'guide' | 'drive';
  /** What this cluster is mostly about. Some refusals are reached only where their subject is the rule, not the exception. */
  readonly theme: Theme;
}

/** Nodes that are full, a roll under way, nodes that are ill, rules that hang on the hour; or a bit of everything. */
export type Theme = 'full' | 'roll' | 'sick' | 'hours' | 'mixed';

/** Something out of the ordinary. */
export const odd = ({ dice, storm }: World, probability: number): boolean =>
  dice.chance(Math.min(0.8, probability * storm));

export const stamp = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;

/** An instant so many minutes ago, or less; never the same second twice in a row, rarely the whole minute. */
export function ago({ dice, now }: World, leastMinutes: number, mostMinutes: number): string {
  return stamp(now - dice.whole(leastMinutes * 60, mostMinutes * 60) * 1000);
}

/** Around now: as often past as to come. */
export const near = ({ dice, now }: World, minutes: number): string =>
  stamp(now + dice.whole(-minutes * 60, minutes * 60) * 1000);
