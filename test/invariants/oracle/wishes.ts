// The wishes that can be derived from the plain objects directly (A).
import { type Host, isGoverned, isReady, isReschedulable, type Seen } from './cluster.ts';
import { isRequested } from './people.ts';
import { conditionIsTrue, readDuration } from './reading.ts';

const interruptions = [
  'aws-node-termination-handler/spot-itn',
  'aws-node-termination-handler/asg-lifecycle-termination',
  'cloud.google.com/impending-node-termination',
];
const rebalance = 'aws-node-termination-handler/rebalance-recommendation';

/** `node reason`, for every reason except Expired (N7) and, if it is computed, Drifted (I5). */
export function plainWishes(seen: Seen): Set<string> {
  const wishes = new Set<string>();
  for (const host of seen.hosts.values()) {
    if (!host.managed || (host.pool && !isGoverned(host.pool, seen.plain))) continue;
    for (const [reason, arises] of Object.entries(rules)) if (arises(host, seen)) wishes.add(`${host.name} ${reason}`);
  }
  return wishes;
}

const claimSays = ({ claim }: Host, type: string): boolean => conditionIsTrue(claim?.status.conditions, type);
const hasTaint = ({ node }: Host, keys: readonly string[]): boolean =>
  node.spec.taints?.some(({ key }) => keys.includes(key)) ?? false;
const isEmpty = ({ pods }: Host): boolean => !pods.some(isReschedulable);

const rules: Record<string, (host: Host, seen: Seen) => boolean> = {
  Interrupted: (host) => hasTaint(host, interruptions) || claimSays(host, 'Interrupted'),
  Unhealthy: (host, seen) => !isReady(host) && unreadyFor(host, seen) >= repairAfter(host, seen),
  Empty: isEmpty,
  Drifted: (host, seen) =>
    seen.plain.settings.drift !== 'computed' && (claimSays(host, 'Drifted') || isRequested(host, seen)),
  Rebalance: (host) =>
    host.node.metadata.annotations?.['lull.dev/rebalance'] !== undefined ||
    hasTaint(host, [rebalance]) ||
    claimSays(host, 'RebalanceRecommended'),
  Underutilized: (host) => !isEmpty(host) && consolidatesUsed(host),
};

/** A5: since the later of the condition's transition and the node's creation. */
function unreadyFor({ node }: Host, { now }: Seen): number {
  const ready = node.status.conditions?.find(({ type }) => type === 'Ready');
  const times = [ready?.lastTransitionTime, node.metadata.creationTimestamp].map((text) =>
    text ? Date.parse(text) : 0,
  );
  return now - Math.max(...times);
}

function repairAfter({ pool }: Host, { plain }: Seen): number {
  const setting = readDuration(plain.settings.repairAfter ?? '30m') ?? 0;
  if (pool?.kind === 'Provisioner') return readDuration(pool.spec.ttlAfterNotReady ?? '') ?? Infinity;
  const own = pool?.spec.disruption?.repairAfter;
  return own === undefined ? setting : (readDuration(own) ?? Infinity);
}

/** Whether the pool consolidates nodes that have pods (A3, A7). */
function consolidatesUsed({ pool }: Host): boolean {
  if (!pool || pool.spec.replicas !== undefined) return false;
  if (pool.kind === 'Provisioner') return pool.spec.consolidation?.enabled === true;
  const { consolidationPolicy, consolidateAfter } = pool.spec.disruption ?? {};
  return consolidationPolicy !== 'WhenEmpty' && consolidateAfter !== 'Never';
}
