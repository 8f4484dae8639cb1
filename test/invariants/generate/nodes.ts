// Random nodes with their claims: young, old, drifted, not Ready, starting, rebooting, leaving.
import {
  type Metadata,
  type PlainClaim,
  type PlainCondition,
  type PlainNode,
  type PlainPool,
  type PlainTaint,
  rackKey,
  type Texts,
  zoneKey,
} from '../plain.ts';
import { ownerLabel } from './pools.ts';
import { ago, odd, stamp, type World } from './world.ts';

const day = 24 * 60;
export const types = [
  { name: 'small', cpu: '2', memory: '4Gi', price: 0.05 },
  { name: 'medium', cpu: '4', memory: '8Gi', price: 0.1 },
  { name: 'large', cpu: '8', memory: '16Gi', price: 0.2 },
];

/** A node, and its claim unless it has none: a Provisioner's node, or one that no pool owns. */
export function node(world: World, name: string, pool: PlainPool): [PlainNode] | [PlainNode, PlainClaim] {
  const { dice } = world;
  const created = ago(world, 5, dice.pick([60, 2 * day, 40 * day]));
  const labels = nodeLabels(world, pool);
  const hasClaim = pool.kind === 'NodePool' && !odd(world, 0.03);
  // Karpenter pairs them by provider ID; some clouds set it late.
  const provider = dice.chance(0.85) ? `cloud:///${name}` : undefined;
  const made: PlainNode = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: `node-${name}`,
      creationTimestamp: created,
      labels,
      annotations: annotations(world),
      ...(odd(world, 0.02) && { deletionTimestamp: ago(world, 0, 20) }),
    },
    spec: {
      ...(provider && { providerID: provider }),
      ...taints(world),
      ...(odd(world, 0.02) && { unschedulable: true }),
    },
    status: { conditions: [ready(world)], allocatable: allocatable(labels) },
  };
  return hasClaim ? [made, claim(world, made, created)] : [made];
}

function nodeLabels(world: World, pool: PlainPool): Texts {
  const { dice, theme, zones } = world;
  const missing = odd(world, 0.03);
  const type = theme === 'full' ? (types[0] as (typeof types)[number]) : dice.pick(types);
  return {
    ...(missing ? { ...(dice.chance(0.7) && { 'karpenter.sh/nodepool': 'gone' }) } : ownerLabel(pool)),
    ...(!odd(world, 0.02) && { 'karpenter.sh/registered': 'true' }),
    ...(!(theme === 'sick' ? dice.chance(0.15) : odd(world, 0.04)) && { 'karpenter.sh/initialized': 'true' }),
    ...(!odd(world, 0.06) && { [zoneKey]: dice.pick(zones) }),
    ...(dice.chance(0.6) && { [rackKey]: dice.pick(['r1', 'r2']) }),
    'karpenter.sh/capacity-type': dice.pick(['spot', 'on-demand']),
    'node.kubernetes.io/instance-type': type.name,
    'example.com/generation': String(dice.whole(2, 6)),
    ...(dice.chance(0.4) && { 'eks-node-viewer/instance-price': String(type.price) }),
  };
}

function annotations(world: World): Texts {
  const { dice, theme } = world;
  const parked = dice.chance(0.1);
  const optedOut = odd(world, 0.05) ? dice.pick(['true', 'true', '1h', '2h', '48h', '720h', 'maybe']) : undefined;
  return {
    ...(optedOut && { 'karpenter.sh/do-not-disrupt': optedOut }),
    ...(parked && { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': ago(world, 0, 60) }),
    ...(odd(world, 0.03) && { 'lull.dev/hold': dice.pick(['', 'ask Ada']) }),
    ...(odd(world, 0.04) && { 'karpenter.sh/do-not-consolidate': dice.pick(['true', 'true', 'true', 'false']) }),
    ...((theme === 'sick' ? dice.chance(0.7) : odd(world, 0.06)) && { 'karpenter.sh/do-not-repair': 'true' }),
    ...(dice.chance(0.08) && { 'lull.dev/rebalance': '' }),
  };
}

function taints(world: World): { taints?: PlainTaint[] } {
  const { dice } = world;
  const list: PlainTaint[] = [];
  const interruptions = [
    'aws-node-termination-handler/spot-itn',
    'cloud.google.com/impending-node-termination',
    'aws-node-termination-handler/asg-lifecycle-termination',
  ];
  if (odd(world, 0.03)) list.push({ key: dice.pick(interruptions), effect: 'NoSchedule' });
  if (odd(world, 0.04))
    list.push({ key: 'aws-node-termination-handler/rebalance-recommendation', effect: 'NoSchedule' });
  if (odd(world, 0.05)) list.push({ key: 'example.com/dedicated', value: 'yes', effect: 'NoSchedule' });
  return list.length > 0 ? { taints: list } : {};
}

function ready(world: World): PlainCondition {
  const { dice, theme } = world;
  const status = (theme === 'sick' ? dice.chance(0.5) : odd(world, 0.08)) ? dice.pick(['False', 'Unknown']) : 'True';
  return { type: 'Ready', status, lastTransitionTime: ago(world, 0, dice.pick([30, 300, 2 * day])) };
}

function allocatable(labels: Texts): Texts {
  const type = types.find(({ name }) => name === labels['node.kubernetes.io/instance-type']);
  return { cpu: type?.cpu ?? '4', memory: type?.memory ?? '8Gi', pods: '12' };
}

function claim(world: World, made: PlainNode, created: string): PlainClaim {
  const { dice, now } = world;
  const { name, labels = {} } = made.metadata;
  const metadata: Metadata = {
    name: `claim-${name}`,
    uid: `claim-${name}`,
    creationTimestamp: isYoung(made) ? stamp(now - 60_000) : created,
    labels: { ...labels, ...(odd(world, 0.05) && { tier: 'web' }) },
    annotations: {},
    ...(odd(world, 0.02) && { deletionTimestamp: ago(world, 0, 20) }),
  };
  const provider = made.spec.providerID;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata,
    spec: {
      ...(dice.chance(0.7) && { expireAfter: dice.pick(['24h', '240h', '720h', 'Never']) }),
      ...(dice.chance(0.2) && { terminationGracePeriod: dice.pick(['30s', '1h']) }),
    },
    status: {
      nodeName: name,
      ...(provider && dice.chance(0.95) && { providerID: provider }),
      ...(dice.chance(0.7) && { lastPodEventTime: ago(world, 0, dice.pick([5, 300, 3000])) }),
      conditions: conditions(world, labels, stamp(now)),
    },
  };
}

/** Of the nodes that are still starting, those with an odd number were launched just now; the rest take too long (F7). */
const isYoung = ({ metadata: { name, labels } }: PlainNode): boolean =>
  labels?.['karpenter.sh/initialized'] !== 'true' && /[13579]$/.test(name);

/** A roll that has finished its first zone. */
function driftChance({ theme, zones }: World, zone: string | undefined): number {
  if (theme !== 'roll') return theme === 'full' ? 0.15 : 0.35;
  return zone === zones[0] && zones.length > 1 ? 0.1 : 0.8;
}

function conditions(world: World, labels: Texts, now: string): PlainCondition[] {
  const { dice } = world;
  const initialized = labels['karpenter.sh/initialized'] === 'true' ? 'True' : 'Unknown';
  const list: PlainCondition[] = [
    { type: 'Launched', status: 'True', lastTransitionTime: ago(world, 5, day) },
    { type: 'Initialized', status: initialized, lastTransitionTime: ago(world, 0, dice.pick([200, day])) },
  ];
  const add = (type: string, reason?: string, since = ago(world, 0, day)) =>
    list.push({ type, status: 'True', lastTransitionTime: since, ...(reason && { reason }) });
  if (dice.chance(driftChance(world, labels[zoneKey])))
    add('Drifted', dice.pick(['NodePoolDrifted', 'RequirementsDrifted', 'AMIDrift']));
  if (odd(world, 0.03)) add('Rebooting', undefined, now);
  if (odd(world, 0.02)) add('InstanceTerminating');
  if (odd(world, 0.03)) add('DisruptionReason', dice.pick(['Drifted', 'Drifted', 'Underutilized', 'Empty']));
  if (odd(world, 0.03)) add('RebalanceRecommended');
  if (odd(world, 0.01)) add('Interrupted');
  return list;
}
