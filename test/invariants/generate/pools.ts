// Random NodePools, and sometimes an old Provisioner.
import { type PlainExpression, type PlainPool, poolKey, zoneKey } from '../plain.ts';
import { budgets } from './budgets.ts';
import { pace } from './pace.ts';
import { odd, stamp, type World } from './world.ts';

export function pool(world: World, name: string): PlainPool {
  return odd(world, 0.05) ? provisioner(world, name) : nodePool(world, name);
}

function nodePool(world: World, name: string): PlainPool {
  const { dice, now, role } = world;
  const { budgets: list, annotations } = pace(world, name, budgets(world));
  // With budgets in the annotation (C17), only Karpenter reads those in the spec (N4); in guide that is the usual setup.
  const inAnnotation = list !== undefined && dice.chance(role === 'guide' ? 0.85 : 0.3);
  const hundred = [{ nodes: '100%' }];
  const inSpec = inAnnotation ? dice.pick([undefined, hundred, hundred, budgets(world)]) : list;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: {
      name,
      labels: { team: dice.pick(['red', 'red', 'blue']) },
      annotations: {
        ...(inAnnotation && { 'lull.dev/budgets': JSON.stringify(list) }),
        ...(odd(world, 0.04) && { 'lull.dev/expire-after': dice.pick(['12h', '100h']) }),
        ...annotations,
      },
      ...(odd(world, 0.02) && { deletionTimestamp: stamp(now) }),
    },
    spec: {
      disruption: { ...(inSpec && { budgets: inSpec }), ...consolidation(world), ...lifetimes(world) },
      ...(odd(world, 0.05) && { replicas: dice.whole(1, 6) }),
      ...(odd(world, 0.08) && { limits: dice.chance(0.5) ? { cpu: String(dice.whole(8, 32)) } : { nodes: '4' } }),
      template: template(world),
    },
    ...(odd(world, 0.03) && { status: { conditions: [{ type: 'Ready', status: 'False' }] } }),
  };
}

function consolidation(world: World) {
  const { dice } = world;
  const policies = ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'WhenUnderutilized', 'Balanced'];
  return {
    ...(dice.chance(0.5) && { consolidationPolicy: dice.pick(policies) }),
    ...(dice.chance(0.7) && { consolidateAfter: dice.pick(['0s', '0s', '30s', '10m', '2h']) }),
    ...(odd(world, 0.06) && { consolidateAfter: 'Never' }),
    ...(odd(world, 0.01) && { consolidateAfter: 'soon' }),
  };
}

function lifetimes(world: World) {
  const { dice } = world;
  return {
    ...(odd(world, 0.04) && { expireAfter: dice.pick(['12h', '100h', 'Never']) }),
    ...(dice.chance(0.3) && { repairAfter: dice.pick(['0s', '5m', '2h', 'Never']) }),
  };
}

function template(world: World): NonNullable<PlainPool['spec']['template']> {
  const { dice, zones } = world;
  const requirements: PlainExpression[] = [];
  if (odd(world, 0.1)) requirements.push({ key: zoneKey, operator: 'In', values: dice.some(zones, 2) });
  if (odd(world, 0.05)) requirements.push({ key: 'example.com/generation', operator: 'Gt', values: ['3'] });
  return {
    ...(odd(world, 0.1) && { metadata: { labels: { tier: dice.pick(['web', 'db']) } } }),
    spec: {
      ...(dice.chance(0.6) && { expireAfter: dice.pick(['24h', '720h', 'Never']) }),
      ...(odd(world, 0.06) && { taints: [{ key: 'example.com/dedicated', value: 'yes', effect: 'NoSchedule' }] }),
      ...(requirements.length > 0 && { requirements }),
    },
  };
}

/** A Provisioner with its own consolidation and expiry fields (A7). */
function provisioner(world: World, name: string): PlainPool {
  const { dice } = world;
  const list = dice.chance(0.5) ? budgets(world) : undefined;
  return {
    apiVersion: 'karpenter.sh/v1alpha5',
    kind: 'Provisioner',
    metadata: { name, labels: { team: 'red' } },
    spec: {
      ...(list && { disruption: { budgets: list } }),
      ...dice.pick([{ consolidation: { enabled: true } }, { ttlSecondsAfterEmpty: 60 }, {}]),
      ...(dice.chance(0.6) && { ttlSecondsUntilExpired: dice.pick([86_400, 2_592_000]) }),
      ...(dice.chance(0.5) && { ttlAfterNotReady: '10m' }),
    },
  };
}

/** The label that assigns a node to the pool. */
export const ownerLabel = ({ kind, metadata }: PlainPool) =>
  kind === 'Provisioner' ? { 'karpenter.sh/provisioner-name': metadata.name } : { [poolKey]: metadata.name };
