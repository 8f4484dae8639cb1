// NodeClaims that are not Initialized in time, with Karpenter's own conditions; in guide nothing more of their pool is offered (F7).
import type { Claim, Conditions } from '../cluster/model.ts';
import { label } from '../cluster/names.ts';
import { compareText } from '../cluster/nodeView.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import { formatDuration } from '../time/duration.ts';
import { after, earliest, type Instant } from '../time/instant.ts';
import { type Refusal, refuse } from './refusal.ts';

export interface SlowClaim {
  readonly pool: string;
  readonly claim: string;
  /** Absent = no node has registered for it. */
  readonly node?: string;
  readonly createdAt: Instant;
  /** What Karpenter says of its start, in the order in which it happens. */
  readonly conditions: readonly SlowCondition[];
  /** `NodeClaim web-x is not ready 2m after its creation: Registered is False (NodeNotFound: …)` */
  readonly message: string;
}

export interface SlowCondition {
  readonly type: string;
  /** `Unknown` where Karpenter has not said anything yet. */
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface Slow {
  /** Of governed pools, by pool, the oldest first. */
  readonly claims: readonly SlowClaim[];
  /** By pool: what it refuses with. Empty outside guide: in drive Lull's own replacements have their time-out (G4). */
  readonly refusals: ReadonlyMap<string, readonly Refusal[]>;
  /** When the next claim becomes slow by time alone. */
  readonly nextAt: Instant | undefined;
}

export interface SlowFacts {
  readonly cluster: Cluster;
  /** By pool name. */
  readonly governed: ReadonlyMap<string, unknown>;
}

const nothing: Slow = { claims: [], refusals: new Map(), nextAt: undefined };

/** Karpenter's own order: an instance, a node, a node that may be used. */
const stages = ['Launched', 'Registered', 'Initialized'] as const;

export function findSlow(facts: SlowFacts, now: Instant, settings: Settings): Slow {
  const { cluster, governed } = facts;
  const claims: SlowClaim[] = [];
  let nextAt: Instant | undefined;
  for (const claim of cluster.startingClaims) {
    const pool = claim.labels[label.pool] ?? '';
    if (!governed.has(pool) || isUsable(claim, cluster)) continue;
    const slowAt = after(claim.createdAt, settings.replacementSlow);
    if (slowAt > now) nextAt = earliest(nextAt, slowAt);
    else claims.push(describe(claim, pool, settings));
  }
  if (claims.length === 0) return nextAt === undefined ? nothing : { ...nothing, nextAt };
  // The oldest first: the one that is named stays the same while more become slow.
  claims.sort((a, b) => compareText(a.pool, b.pool) || a.createdAt - b.createdAt || compareText(a.claim, b.claim));
  const byPool = settings.role === 'guide' ? Map.groupBy(claims, ({ pool }) => pool) : [];
  return { claims, refusals: new Map([...byPool].map(([pool, slow]) => [pool, [refusalFor(slow)]])), nextAt };
}

/** Files may show the node alone, with the label that Karpenter puts on it. */
const isUsable = ({ nodeName }: Claim, cluster: Cluster): boolean =>
  nodeName !== undefined && cluster.node(nodeName)?.state.initialized === true;

function describe({ name, nodeName, createdAt, conditions }: Claim, pool: string, settings: Settings): SlowClaim {
  const said = stages.map((type) => conditionOf(type, conditions));
  const first = said.find(({ status }) => status !== 'True');
  const which = nodeName === undefined ? `NodeClaim ${name}` : `NodeClaim ${name} (node ${nodeName})`;
  const late = `${which} is not ready ${formatDuration(settings.replacementSlow)} after its creation`;
  return {
    pool,
    claim: name,
    ...(nodeName !== undefined && { node: nodeName }),
    createdAt,
    conditions: said,
    message: first ? `${late}: ${sayCondition(first)}` : late,
  };
}

function conditionOf(type: string, conditions: Conditions): SlowCondition {
  const { status = 'Unknown', reason, message } = conditions[type] ?? {};
  return { type, status, ...(reason && { reason }), ...(message && { message }) };
}

/** `Registered is False (NodeNotFound: Node not found)` */
export function sayCondition({ type, status, reason, message }: SlowCondition): string {
  const why = [reason, message === reason ? undefined : message].filter((it) => it !== undefined).join(': ');
  return `${type} is ${status}${why === '' ? '' : ` (${why})`}`;
}

function refusalFor(slow: readonly SlowClaim[]): Refusal {
  const [first] = slow;
  const more = slow.length > 1 ? `; so ${slow.length === 2 ? 'is 1 more' : `are ${slow.length - 1} more`}` : '';
  const owner = { kind: 'NodeClaim', name: first?.claim ?? '' };
  return refuse('ReplacementSlow', `${first?.message ?? ''}${more}`, { owner });
}
