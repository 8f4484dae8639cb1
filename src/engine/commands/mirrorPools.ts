// Copies the budget fields that only a patched NodePool CRD keeps to an annotation of the pool (N9). The copy follows what users write,
// and applies when the fields were pruned instead of removed by a user (see kinds/budgetsSeen.ts).
import type { Pool, PoolDefinition } from '../../cluster/model.ts';
import { annotation } from '../../cluster/names.ts';
import { after, asDuration, earliest, formatInstant, type Instant, minute } from '../../time/instant.ts';
import type { Situation } from '../situation.ts';
import { type Action, type AnnotationValues, annotate, type PatchOperation } from './action.ts';
import type { Upkeep } from './keepParked.ts';

/**
 * The pool and its CRD come by two watches. Fields that are missing under a CRD that keeps them may have been pruned by another CRD a
 * moment ago. By the end of this time a watch that died silently has been noticed.
 */
const grace = asDuration(3 * minute);

const nothing: Upkeep = { actions: [], wakeAt: undefined };

export function mirrorPools({ cluster, settings, tallies, now }: Situation): Upkeep {
  const { poolDefinition } = cluster;
  // Without the CRD (the in-memory cluster, or a Lull that may not read it) pruned fields cannot be distinguished from removed ones.
  if (settings.role === 'observe' || !poolDefinition) return nothing;
  const actions: Action[] = [];
  let wakeAt: Instant | undefined;
  for (const { pool } of tallies.values()) {
    if (pool.deleting) continue;
    const wanted = desiredCopy(pool, poolDefinition, now);
    if (wanted.until !== undefined) wakeAt = earliest(wakeAt, wanted.until);
    const patch = changes(pool, wanted);
    if (patch.length > 0) actions.push({ verb: 'patch', kind: 'NodePool', name: pool.name, patch });
  }
  return { actions, wakeAt };
}

interface BudgetsCopy {
  readonly seen: string | undefined;
  readonly under: string | undefined;
  readonly gone: string | undefined;
}

interface DesiredCopy extends BudgetsCopy {
  /** The instant at which time alone changes it. */
  readonly until?: Instant;
}

const none: BudgetsCopy = { seen: undefined, under: undefined, gone: undefined };

const copyOn = ({ annotations }: Pool): BudgetsCopy => ({
  seen: annotations[annotation.budgetsSeen],
  under: annotations[annotation.budgetsSeenUnder],
  gone: annotations[annotation.budgetsGone],
});

function desiredCopy(pool: Pool, { version, keepsFields }: PoolDefinition, now: Instant): DesiredCopy {
  const { mirror } = pool;
  const copy = copyOn(pool);
  // The fields may still be present though the CRD no longer keeps them: then any write prunes them, so avoid needless writes.
  if (mirror?.keeps !== undefined)
    return { seen: mirror.keeps, under: keepsFields ? version : copy.under, gone: undefined };
  // A user has written other budgets since, or there never was a copy.
  if (!mirror?.usesCopy) return none;
  // The CRD has changed since the copy: it is unknown whether a user or the CRD removed the fields.
  if (!keepsFields || copy.under !== version) return { ...copy, gone: undefined };
  if (mirror.goneSince === undefined) return { ...copy, gone: formatInstant(now), until: after(now, grace) };
  const until = after(mirror.goneSince, grace);
  // The CRD has kept the fields all along, so a user has removed them.
  return now < until ? { ...copy, until } : none;
}

function changes(pool: Pool, wanted: DesiredCopy): readonly PatchOperation[] {
  const copy = copyOn(pool);
  const keys = (['seen', 'under', 'gone'] as const).filter((key) => (copy[key] ?? wanted[key]) !== undefined);
  if (keys.every((key) => copy[key] === wanted[key])) return [];
  const texts = (of: BudgetsCopy): AnnotationValues => Object.fromEntries(keys.map((key) => [names[key], of[key]]));
  return annotate(texts(copy), texts(wanted), Object.keys(pool.annotations).length === 0);
}

const names = {
  seen: annotation.budgetsSeen,
  under: annotation.budgetsSeenUnder,
  gone: annotation.budgetsGone,
} as const;
