// N9: how does Lull keep the fields that only the patched CRD of NodePools has? By a copy on the pool itself, which follows what people
// write there, and stands where the fields have vanished without anybody's wish (see kinds/budgetsSeen.ts).
import type { Pool, PoolDefinition } from '../../cluster/model.ts';
import { annotation } from '../../cluster/names.ts';
import { after, asDuration, earliest, formatInstant, type Instant, minute } from '../../time/instant.ts';
import type { Situation } from '../situation.ts';
import type { Action, PatchOperation } from './action.ts';
import { annotate, type Seen } from './annotate.ts';
import type { Kept } from './keepParked.ts';

/**
 * The pool and its CRD come by two watches: fields that are missing under a CRD that keeps them may have been pruned by one that was
 * applied a moment ago. A watch that has died without a word is noticed by then.
 */
const grace = asDuration(3 * minute);

const nothing: Kept = { actions: [], wakeAt: undefined };

export function mirrorPools({ cluster, settings, tallies, now }: Situation): Kept {
  const { poolDefinition } = cluster;
  // Where nobody has seen the CRD (the cluster in memory, a Lull that may not read it) nothing is known to vanish.
  if (settings.role === 'observe' || !poolDefinition) return nothing;
  const actions: Action[] = [];
  let wakeAt: Instant | undefined;
  for (const { pool } of tallies.values()) {
    if (pool.deleting) continue;
    const wanted = wantedOn(pool, poolDefinition, now);
    if (wanted.until !== undefined) wakeAt = earliest(wakeAt, wanted.until);
    const patch = changes(pool, wanted);
    if (patch.length > 0) actions.push({ verb: 'patch', kind: 'NodePool', name: pool.name, patch });
  }
  return { actions, wakeAt };
}

interface Copy {
  readonly seen: string | undefined;
  readonly under: string | undefined;
  readonly gone: string | undefined;
}

interface Wanted extends Copy {
  /** When time alone changes it. */
  readonly until?: Instant;
}

const none: Copy = { seen: undefined, under: undefined, gone: undefined };

const copyOn = ({ annotations }: Pool): Copy => ({
  seen: annotations[annotation.budgetsSeen],
  under: annotations[annotation.budgetsSeenUnder],
  gone: annotations[annotation.budgetsGone],
});

function wantedOn(pool: Pool, { version, keepsFields }: PoolDefinition, now: Instant): Wanted {
  const { mirror } = pool;
  const copy = copyOn(pool);
  // They may still be in view where the CRD keeps them no more: then any write erases them, and none is made that need not be.
  if (mirror?.keeps !== undefined)
    return { seen: mirror.keeps, under: keepsFields ? version : copy.under, gone: undefined };
  // Somebody has written other budgets since, or there never was a copy.
  if (!mirror?.stands) return none;
  // Where the CRD has changed since, nobody can tell who took them away, though it may keep them again.
  if (!keepsFields || copy.under !== version) return { ...copy, gone: undefined };
  if (mirror.goneSince === undefined) return { ...copy, gone: formatInstant(now), until: after(now, grace) };
  const until = after(mirror.goneSince, grace);
  // The CRD has kept them all along: a person has removed them.
  return now < until ? { ...copy, until } : none;
}

function changes(pool: Pool, wanted: Wanted): readonly PatchOperation[] {
  const copy = copyOn(pool);
  const keys = (['seen', 'under', 'gone'] as const).filter((key) => (copy[key] ?? wanted[key]) !== undefined);
  if (keys.every((key) => copy[key] === wanted[key])) return [];
  const texts = (of: Copy): Seen => Object.fromEntries(keys.map((key) => [names[key], of[key]]));
  return annotate(texts(copy), texts(wanted), Object.keys(pool.annotations).length === 0);
}

const names = {
  seen: annotation.budgetsSeen,
  under: annotation.budgetsSeenUnder,
  gone: annotation.budgetsGone,
} as const;
