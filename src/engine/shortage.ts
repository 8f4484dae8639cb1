// A shortage: Karpenter found no instance type on offer for a replacement. It remembers a failed launch for three minutes and then tries
// again, so a node whose replacement met a shortage is worth offering again after that, or once another node was launched there (F4).
import type { Backoff } from '../cluster/ledger.ts';
import type { Claim, NodeEvent } from '../cluster/model.ts';
import { label } from '../cluster/names.ts';
import type { NodeView } from '../cluster/nodeView.ts';
import type { Cluster } from '../cluster/store.ts';
import { after, asDuration, before, type Instant, minute, second } from '../time/instant.ts';
import type { Situation } from './situation.ts';

/** How Karpenter 1.14 and 1.15 write that the rest of the requirements could be met. */
const noOffering = /had a required offering|has the required offering|requirements\/resources\/offering tuple/;

export const isShortage = ({ message }: NodeEvent): boolean => noOffering.test(message);

/** The zones in the event, else the zone of the node. Empty if neither is known. */
export function shortZones({ message }: NodeEvent, { node }: NodeView): readonly string[] {
  const [, named] = /topology\.kubernetes\.io\/zone In \[([^\]]+)\]/.exec(message) ?? [];
  const own = node.labels[label.zone];
  return named?.split(/[\s,]+/) ?? (own === undefined ? [] : [own]);
}

/** For how long Karpenter's providers do not try an offering that had no capacity. */
export const shortageMemory = asDuration(3 * minute);
/** Karpenter cleans up its memory and evaluates drift every ten seconds. */
const reaction = asDuration(20 * second);

/** When Karpenter can try again: after its last failed launch, if Lull saw it, else after its event. */
export function triesAgainAt({ at }: NodeEvent, pool: string | undefined, { ledger }: Situation): Instant {
  const failed = ledger.backoffs.find((it) => it.pool === pool);
  const failedAt = failed && startOf(failed);
  const isSame = failedAt !== undefined && failedAt <= at && failedAt >= before(at, shortageMemory);
  return after(after(isSame ? failedAt : at, shortageMemory), reaction);
}

export const startOf = ({ until, delay }: Backoff): Instant => before(until, delay);

interface LaunchQuery {
  readonly since: Instant;
  /** Empty = anywhere. */
  readonly zones: readonly string[];
  readonly stage: 'Launched' | 'Initialized';
}

/** Whether a NodeClaim of the pool that was created since then has come that far. */
export const hasLaunched = (
  pool: string | undefined,
  { since, zones, stage }: LaunchQuery,
  { claims }: Pick<Cluster, 'claims'>,
): boolean =>
  [...claims].some(
    (claim) => claim.createdAt > since && claim.conditions[stage]?.status === 'True' && isThere(claim, pool, zones),
  );

const isThere = ({ labels }: Claim, pool: string | undefined, zones: readonly string[]): boolean =>
  labels[label.pool] === pool && (zones.length === 0 || zones.includes(labels[label.zone] ?? ''));
