// Since when a node has been drifted (P7), and what Lull remembers to know it where no controller reports drift.
import type { PoolTemplate } from '../../cluster/ledger.ts';
import { memo } from '../../cluster/memo.ts';
import type { Pool } from '../../cluster/model.ts';
import { fingerprint } from '../../cluster/names.ts';
import { compareText, createdAt, type NodeView } from '../../cluster/nodeView.ts';
import { driftWaitOf } from '../../cluster/pool.ts';
import type { InstanceType, Settings } from '../../cluster/settings.ts';
import { type Instant, latest } from '../../time/instant.ts';
import type { Situation } from '../situation.ts';

/**
 * The transition of the claim's condition Drifted. Without one Lull has found the drift itself: it began when the pool's template
 * changed, or when the node was created, whichever is later. Undefined = unknown: no transition, or no memory (observe).
 */
export function driftedSince(view: NodeView, pool: Pool, situation: Situation): Instant | undefined {
  const condition = view.claim?.conditions.Drifted;
  if (condition?.status === 'True') return condition.since;
  const known = templateSince(pool, situation);
  return known === undefined ? undefined : latest(known, createdAt(view));
}

/** Since when the pool has asked for what it asks for now, as far as Lull has seen. */
function templateSince(pool: Pool, { ledger, settings, now }: Situation): Instant | undefined {
  const known = ledger.templates?.find((it) => it.pool === pool.name);
  if (known && known.print === printOf(pool, settings)) return known.since;
  // This round records it, so it counts from now. Observe records nothing.
  return settings.role === 'observe' ? undefined : now;
}

const printOf = (pool: Pool, { catalogue }: Settings): string => print(pool, catalogue);

const print = memo((pool: Pool, catalogue: readonly InstanceType[]): string =>
  fingerprint(`${JSON.stringify(pool.template)} ${catalogueText(catalogue)}`),
);

/** Offerings whose absence is drift; prices change without it. */
const catalogueText = memo((catalogue: readonly InstanceType[]): string =>
  JSON.stringify(
    catalogue.flatMap(({ name, offerings, estimated }) =>
      estimated ? [] : [[name, ...offerings.map(({ zone, capacityType }) => `${zone} ${capacityType}`)]],
    ),
  ),
);

/** The same list if nothing changes. */
export function nextTemplates({ ledger, tallies, settings, now }: Situation): readonly PoolTemplate[] | undefined {
  // Observe writes no ledger.
  if (settings.role === 'observe') return ledger.templates;
  const known = ledger.templates ?? [];
  const waiting =
    settings.drift === 'computed' ? [...tallies.values()].filter(({ pool }) => driftWaitOf(pool) !== undefined) : [];
  const next = waiting
    .map(({ pool }) => pool)
    .sort((a, b) => compareText(a.name, b.name))
    .map((pool) => {
      const print = printOf(pool, settings);
      const last = known.find((it) => it.pool === pool.name);
      return last?.print === print ? last : { pool: pool.name, print, since: now };
    });
  const isSame = next.length === known.length && next.every((it, index) => it === known[index]);
  return isSame ? ledger.templates : next;
}
