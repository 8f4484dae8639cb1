// At which hours may any number of nodes of a pool go at once, and which budgets could have said otherwise?
import type { Reason } from '../../cluster/reason.ts';
import { isZero } from '../../engine/limits/budgets.ts';
import { findZone, type Zone } from '../../time/zone.ts';
import type { Policy } from '../rule.ts';
import { hoursWhere, isUnlimited, phasesOf, type SharedHours } from './phases.ts';
import { reasonsOf } from './reasons.ts';
import { type WrittenBudget, type WrittenPool, writtenPools } from './writtenPools.ts';

export interface UnlimitedHours extends SharedHours {
  /** Flat budgets for these reasons that hold at some hours only. */
  readonly scheduled: readonly WrittenBudget[];
  /** Some of these stop nodes, so that they are exceptions and not limits. */
  readonly freezes: boolean;
  /** The clock their author looks at. */
  readonly zone: Zone;
}

export const utc = findZone('') as Zone;

/** The clock of the first schedule among some budgets. */
export const zoneOf = (budgets: readonly WrittenBudget[]): Zone =>
  budgets.find(({ schedule }) => schedule)?.schedule?.cron.zone ?? utc;

/** Pools whose budgets were written by hand and could all be read. */
export const soundPools = (policy: Policy): WrittenPool[] =>
  writtenPools(policy).filter(({ sound, budgets }) => sound && budgets.length > 0);

export function unlimitedHours({ pool, budgets }: WrittenPool, { settings, now }: Policy): UnlimitedHours[] {
  const shared = hoursWhere(phasesOf(pool, now), reasonsOf(pool, settings), isUnlimited(pool, settings));
  return shared.map((hours) => {
    const scheduled = budgets.filter((written) => written.schedule && isFor(written, hours.reasons));
    const freezes = scheduled.some(({ budget }) => isZero(budget.nodes));
    return { ...hours, scheduled, freezes, zone: zoneOf(scheduled.length > 0 ? scheduled : budgets) };
  });
}

const isFor = ({ budget: { topologyKey, reasons } }: WrittenBudget, some: readonly Reason[]): boolean =>
  topologyKey === undefined && (reasons === undefined || some.some((reason) => reasons.has(reason)));
