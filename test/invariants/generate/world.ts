// What all parts of a random cluster share: the random stream, the instant, and how stormy it is.
import type { Dice } from '../dice.ts';

export interface World {
  readonly dice: Dice;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How many unusual things happen: in calm clusters nodes are disrupted, stormy ones reach the rare refusals. */
  readonly storm: number;
  readonly zones: readonly string[];
  readonly role: 'observe' | 'guide' | 'drive';
  /** The theme of this cluster. Some refusals are reached only if their subject is common. */
  readonly theme: Theme;
}

/** Full nodes, a roll under way, unhealthy nodes, rules that depend on the hour; or a mixture. */
export type Theme = 'full' | 'roll' | 'sick' | 'hours' | 'mixed';

/** Whether something unusual happens. */
export const odd = ({ dice, storm }: World, probability: number): boolean =>
  dice.chance(Math.min(0.8, probability * storm));

export const stamp = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;

/** An instant between these minutes ago; never the same second twice in a row, rarely on the whole minute. */
export function ago({ dice, now }: World, leastMinutes: number, mostMinutes: number): string {
  return stamp(now - dice.whole(leastMinutes * 60, mostMinutes * 60) * 1000);
}

/** Around now: in the past as often as in the future. */
export const near = ({ dice, now }: World, minutes: number): string =>
  stamp(now + dice.whole(-minutes * 60, minutes * 60) * 1000);
