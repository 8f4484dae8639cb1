// How far above the optimum Lull settles, over many small seeded worlds.
import { optimumOf } from './optimum.ts';
import { priceOf, smallWorld } from './smallWorld.ts';
import { toRest } from './toRest.ts';

export interface Gap {
  readonly seed: number;
  readonly start: number;
  /** The cost when Lull finds nothing more: with the search for groups, and with single nodes only. */
  readonly searched: number;
  readonly alone: number;
  /** Undefined = HiGHS did not settle it in time. */
  readonly optimum: number | undefined;
  /** Pods that our scheduler could not place, although Lull had found a place. */
  readonly stranded: number;
  readonly isUnfinished: boolean;
}

export async function gapOf(seed: number): Promise<Gap> {
  const world = smallWorld(seed);
  const searched = toRest(world, true);
  const alone = toRest(world, false);
  const costs = [searched, alone].map(({ costs: all }) => all.at(-1) ?? 0) as [number, number];
  const best = await optimumOf(world, { atMost: Math.min(...costs, priceOf(world)) });
  return {
    seed,
    start: priceOf(world),
    searched: costs[0],
    alone: costs[1],
    optimum: best?.cost,
    stranded: searched.stranded + alone.stranded,
    isUnfinished: searched.isUnfinished || alone.isUnfinished,
  };
}

/** (cost − optimum) ÷ optimum, smallest first, for those that are known. */
export const sharesAbove = (gaps: readonly Gap[], costOf: (gap: Gap) => number): readonly number[] =>
  gaps.flatMap((gap) => (gap.optimum ? [(costOf(gap) - gap.optimum) / gap.optimum] : [])).sort((a, b) => a - b);

export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
