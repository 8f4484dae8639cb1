// NodeClaims that are not Initialized in time, with Karpenter's conditions; in guide their pool's nodes are not offered meanwhile (F7).
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
  /** Karpenter's conditions about its start, in order. */
  readonly conditions: readonly SlowCondition[];
  /** `NodeClaim web-x is not ready 2m after its creation: Registered is False (NodeNotFound: …)` */
  readonly message: string;
}

export interface SlowCondition {
  readonly type: string;
  /** `Unknown` if Karpenter has not set the condition yet. */
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface SlowClaims {
  /** Claims of governed pools, by pool, the oldest first. */
  readonly claims: readonly SlowClaim[];
  /** Refusals by pool. Empty outside guide: in drive Lull's own replacements have a timeout (G4). */
  readonly refusals: ReadonlyMap<string, readonly Refusal[]>;
  /** When the next claim becomes slow by time alone. */
  readonly nextAt: Instant | undefined;
}

export interface SlowFacts {
  readonly cluster: Cluster;
  /** By pool name. */
  readonly governed: ReadonlyMap<string, unknown>;
}

const nothing: SlowClaims = { claims: [], refusals: new Map(), nextAt: undefined };

/** Karpenter's own order: an instance, a node, a node that may be used. */
const stages = ['Launched', 'Registered', 'Initialized'] as const;

export function findSlow(facts: SlowFacts, now: Instant, settings: Settings): SlowClaims {
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
  // The oldest first, so that the message names the same claim while more become slow.
  claims.sort((a, b) => compareText(a.pool, b.pool) || a.createdAt - b.createdAt || compareText(a.claim, b.claim));
  const byPool = settings.role === 'guide' ? Map.groupBy(claims, ({ pool }) => pool) : [];
  return { claims, refusals: new Map([...byPool].map(([pool, slow]) => [pool, [refusalFor(slow)]])), nextAt };
}

/** Files may contain only the node, with Karpenter's label on it. */
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
    message: first ? `${late}: ${formatCondition(first)}` : late,
  };
}

function conditionOf(type: string, conditions: Conditions): SlowCondition {
  const { status = 'Unknown', reason, message } = conditions[type] ?? {};
  return { type, status, ...(reason && { reason }), ...(message && { message }) };
}

/** `Registered is False (NodeNotFound: Node not found)` */
export function formatCondition({ type, status, reason, message }: SlowCondition): string {
  const why = [reason, message === reason ? undefined : message].filter((it) => it !== undefined).join(': ');
  return `${type} is ${status}${why === '' ? '' : ` (${why})`}`;
}

function refusalFor(slow: readonly SlowClaim[]): Refusal {
  const [first] = slow;
  const more = slow.length > 1 ? `; ${slow.length - 1} more ${slow.length === 2 ? 'is' : 'are'} also not ready` : '';
  const owner = { kind: 'NodeClaim', name: first?.claim ?? '' };
  return refuse('ReplacementSlow', `${first?.message ?? ''}${more}`, { owner });
}
