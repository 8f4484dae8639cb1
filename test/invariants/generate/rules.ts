// Random PodDisruptionBudgets, PodDisruptionSchedules and MaintenanceWindows.
import {
  type PlainExpression,
  type PlainNamespace,
  type PlainPdb,
  type PlainPodSchedule,
  type PlainSelector,
  type PlainWindow,
  poolKey,
  zoneKey,
} from '../plain.ts';
import { windowRate } from './pace.ts';
import { apps, namespaces } from './pods.ts';
import { badSchedule, schedule } from './schedules.ts';
import { near, odd, stamp, type World } from './world.ts';

export function namespace({ dice }: World, name: string): PlainNamespace {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { stage: dice.pick(['test', 'live']) } } };
}

function podSelector({ dice }: World): PlainSelector {
  return dice.pick<PlainSelector>([
    { matchLabels: { app: dice.pick(apps) } },
    { matchLabels: { app: dice.pick(apps) } },
    { matchLabels: { app: dice.pick(apps), tier: 'front' } },
    { matchExpressions: [{ key: 'app', operator: 'In', values: dice.some(apps, 2) }] },
    { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
    { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web', 'job', 'api'] }] },
  ]);
}

/** A selector with an invalid expression, with or without valid labels beside it. */
const badSelector = ({ dice }: World): PlainSelector => ({
  ...(dice.chance(0.6) && { matchLabels: { app: dice.pick(apps) } }),
  matchExpressions: [{ key: 'tier', operator: dice.pick(['Equals', 'In']) }],
});

export function pdb(world: World, name: string): PlainPdb {
  const { dice } = world;
  const selector = dice.chance(0.08) ? badSelector(world) : odd(world, 0.02) ? {} : podSelector(world);
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: dice.pick(namespaces) },
    spec: {
      ...(!odd(world, 0.02) && { selector }),
      ...(dice.chance(0.3) && { unhealthyPodEvictionPolicy: dice.pick(['AlwaysAllow', 'IfHealthyBudget']) }),
    },
    ...(!odd(world, 0.02) && { status: { disruptionsAllowed: dice.pick([0, 0, 1, 1, 2, 3, 10, -1]) } }),
  };
}

export function podSchedule(world: World, name: string): PlainPodSchedule {
  const { dice } = world;
  const { cron, ...rest } = odd(world, 0.08) ? badSchedule(world) : schedule(world);
  return {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'PodDisruptionSchedule',
    metadata: { name },
    spec: {
      ...(!odd(world, 0.02) && { selector: odd(world, 0.03) ? badSelector(world) : podSelector(world) }),
      ...(dice.chance(0.5) && { namespaceSelector: namespaceSelector(world) }),
      ...(cron && { schedule: cron }),
      ...rest,
      ...(dice.chance(0.6) && { mode: dice.pick(['Allow', 'Block']) }),
    },
  };
}

const namespaceSelector = ({ dice }: World): PlainSelector =>
  dice.pick<PlainSelector>([
    { matchLabels: { stage: dice.pick(['test', 'live']) } },
    { matchLabels: { 'kubernetes.io/metadata.name': dice.pick(namespaces) } },
  ]);

const actions = [
  'Expiration',
  'Consolidation',
  'EmptyConsolidation',
  'NonEmptyConsolidation',
  'Drift',
  'Rebalance',
  'Repair',
];

export function maintenanceWindow(world: World, name: string): PlainWindow {
  const { dice } = world;
  const mode = dice.chance(0.5) ? dice.pick(['Block', 'Allow']) : undefined;
  const spec: PlainWindow['spec'] = {
    ...(world.theme === 'hours' ? { mode: dice.pick(['Allow', 'Allow', 'Block']) } : mode && { mode }),
    ...(dice.chance(0.85) && { schedules: dice.many(dice.pick([1, 1, 2]), () => schedule(world)) }),
    ...(dice.chance(world.theme === 'hours' ? 0.3 : 0.6) && { actions: dice.some(actions, dice.whole(1, 4)) }),
    ...(dice.chance(world.theme === 'hours' ? 0.3 : 0.6) && {
      selector: { matchExpressions: [nodeExpression(world)] },
    }),
    ...(dice.chance(0.5) && { nodes: dice.pick(['0', '1', '1', '2', '20%', '50%']) }),
    ...life(world),
    ...(dice.chance(0.2) && { note: 'ask Ada' }),
  };
  const bad = odd(world, 0.08) ? badPart(world) : {};
  return {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'MaintenanceWindow',
    metadata: { name },
    spec: { ...spec, ...windowRate(world, name, spec), ...bad },
  };
}

export function nodeExpression({ dice, zones }: World): PlainExpression {
  return dice.pick<PlainExpression>([
    { key: zoneKey, operator: 'In', values: dice.some(zones, dice.whole(1, 2)) },
    { key: zoneKey, operator: 'NotIn', values: dice.some(zones, 1) },
    { key: poolKey, operator: 'In', values: dice.some(['a', 'b', 'c', 'd'], 2) },
    { key: 'example.com/generation', operator: dice.pick(['Gt', 'Lt']), values: ['4'] },
    { key: zoneKey, operator: dice.pick(['Exists', 'DoesNotExist']) },
  ]);
}

/** A window's notBefore and notAfter (D4). */
function life(world: World): Partial<PlainWindow['spec']> {
  const { dice, now } = world;
  if (!dice.chance(0.25)) return {};
  const notBefore = near(world, 3000);
  const notAfter = stamp(Date.parse(notBefore) + dice.whole(60, 6000) * 60_000);
  return dice.pick([
    { notBefore },
    { notAfter: near(world, 3000) },
    { notBefore, notAfter },
    { notAfter: stamp(now + 60_000) },
  ]);
}

/** An invalid part of a window's spec (D7). */
function badPart(world: World): Partial<PlainWindow['spec']> {
  const { dice } = world;
  return dice.pick<Partial<PlainWindow['spec']>>([
    { schedules: [badSchedule(world)] },
    { schedules: [badSchedule(world), schedule(world)] },
    { nodes: '-3' },
    { notBefore: 'tomorrow' },
    { selector: { matchExpressions: [{ key: zoneKey, operator: 'Near', values: ['z1'] }] } },
    { actions: ['Drift', 'Dance'] },
  ]);
}
