// Random pools with budgets that are reached often.
import type { Random } from '../../../src/sim/random.ts';
import { type Json, list, maybe, schedule, some, subset, weighted, zoneKey, zones } from './dice.ts';

export interface DrawnPool {
  readonly name: string;
  readonly count: number;
  readonly age: number;
  readonly object: Json;
}

const reasons = ['Drifted', 'Empty', 'Underutilized', 'Expired', 'Unhealthy', 'Rebalance'];

const amount = (random: Random): string => random.pick(['1', '1', '2', '3', '10%', '25%', '34%', '50%', '100%']);

const timed = (random: Random): Json => {
  const { cron, duration } = schedule(random);
  return { schedule: cron, duration, ...maybe(random, 0.15, () => ({ timeZone: 'Europe/Berlin' })) };
};

const sequential = (random: Random): Json => ({
  nodes: amount(random),
  topologyKey: zoneKey,
  sequential: true,
  ...maybe(random, 0.5, () => ({ settle: random.pick(['1m', '5m', '10m']) })),
  ...maybe(random, 0.6, () => ({ patience: random.pick(['10m', '20m', '1h']) })),
  ...maybe(random, 0.5, () => ({ reasons: ['Drifted'] })),
  ...maybe(random, 0.2, () => timed(random)),
});

const budget = (random: Random): Json =>
  weighted<() => Json>(random, [
    [4, () => ({ nodes: amount(random) })],
    [3, () => ({ nodes: amount(random), reasons: subset(random, reasons) })],
    [2, () => ({ nodes: amount(random), ...timed(random) })],
    [2, () => ({ nodes: '0', ...timed(random), ...maybe(random, 0.5, () => ({ reasons: subset(random, reasons) })) })],
    [2, () => ({ nodes: amount(random), topologyKey: zoneKey })],
    [1, () => ({ nodes: '0', reasons: subset(random, reasons) })],
  ])();

const budgets = (random: Random): Json[] => [
  ...(random.chance(0.5) ? [sequential(random)] : []),
  ...list(some(random, 0, 2), () => budget(random)),
];

export function drawPools(random: Random): DrawnPool[] {
  return list(
    weighted(random, [
      [3, 1],
      [5, 2],
      [2, 3],
    ]),
    (index) => drawPool(random.fork(`pool ${index}`), `p${index + 1}`),
  );
}

/** P7, drawn independently of everything else. */
function driftWaits(random: Random): { annotations?: Json; budgets: Json[] } {
  const wait = random.pick(['3m', '10m', '25m']);
  const isAnnotated = random.chance(0.15);
  const isBudgeted = random.chance(0.06);
  return {
    ...(isAnnotated && { annotations: { 'lull.dev/drift-after': wait } }),
    budgets: isBudgeted ? [{ nodes: '50%', reasons: ['Drifted'], driftAfter: random.pick(['5m', '15m']) }] : [],
  };
}

/** P3, drawn independently of everything else. */
const waves = (random: Random): Json[] =>
  random.chance(0.22)
    ? [
        {
          nodes: random.pick(['2', '50%', '100%']),
          reasons: ['Drifted'],
          waves: random.pick([['1'], ['1', '50%'], ['2', '3', '4'], ['30%']]),
          ...maybe(random, 0.8, () => ({ settle: random.pick(['1m', '5m', '10m']) })),
          haltAfter: random.pick([1, 1, 1, 2]),
        },
      ]
    : [];

/** P1, drawn independently of everything else. */
function rates(random: Random): Json[] {
  if (!random.chance(0.2)) return [];
  return [
    {
      nodes: random.pick(['1', '2', '2', '3', '40%']),
      per: random.pick(['3m', '10m', '10m', '30m', '2h']),
      ...maybe(random, 0.3, () => ({ reasons: subset(random, reasons) })),
      ...maybe(random, 0.15, () => timed(random)),
    },
  ];
}

function drawPool(random: Random, name: string): DrawnPool {
  const count = some(random, 3, 8);
  const age = random.pick([2, 12, 24, 48]);
  const waits = driftWaits(random.fork('drift waits'));
  const own = [...budgets(random), ...waits.budgets, ...waves(random.fork('waves')), ...rates(random.fork('rates'))];
  const inAnnotation = random.chance(0.3);
  const isFaulty = random.chance(0.06);
  const disruption = {
    ...consolidation(random),
    ...maybe(random, 0.25, () => ({ expireAfter: `${age * 60 + some(random, 5, 100)}m` })),
    ...maybe(random, 0.5, () => ({ repairAfter: random.pick(['2m', '5m', '10m']) })),
    ...(!inAnnotation && random.chance(0.9) && { budgets: own }),
    ...(isFaulty &&
      random.pick<Json>([{ budgets: [{ nodes: 'many' }] }, { consolidateAfter: 'soon' }, { repairAfter: 'x' }])),
  };
  const annotations = { ...waits.annotations, ...(inAnnotation && { 'lull.dev/budgets': JSON.stringify(own) }) };
  const metadata = { name, ...(Object.keys(annotations).length > 0 && { annotations }) };
  const spec = {
    template: template(random),
    disruption,
    ...maybe(random, 0.2, () => ({ weight: some(random, 1, 50) })),
    ...maybe(random, 0.2, () => ({ limits: { nodes: String(count + some(random, 0, 3)) } })),
    ...maybe(random, 0.08, () => ({ replicas: count })),
  };
  return { name, count, age, object: { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata, spec } };
}

const consolidation = (random: Random): Json => ({
  consolidationPolicy: random.pick(['WhenEmpty', 'WhenEmptyOrUnderutilized', 'WhenEmptyOrUnderutilized']),
  consolidateAfter: random.pick(['30s', '2m', '5m', '5m', 'Never']),
});

const template = (random: Random): Json => ({
  metadata: { labels: { image: 'v1' } },
  spec: {
    nodeClassRef: { group: 'box.lull.dev', kind: 'NodeClass', name: 'default' },
    expireAfter: random.pick(['720h', '720h', 'Never']),
    ...maybe(random, 0.35, () => ({ terminationGracePeriod: random.pick(['5m', '10m', '30m', '1h']) })),
    ...maybe(random, 0.15, () => ({ startupTaints: [{ key: 'box/starting', effect: 'NoSchedule' }] })),
    ...maybe(random, 0.1, () => ({ taints: [{ key: 'team', value: 'x', effect: 'PreferNoSchedule' }] })),
    requirements: [
      {
        key: 'node.kubernetes.io/instance-type',
        operator: 'In',
        values: random.pick([['m'], ['m', 'l'], ['s', 'm', 'l']]),
      },
    ],
  },
});

export const drawNodes = (random: Random, pools: readonly DrawnPool[]): Json[] =>
  pools.map(({ name, count, age }) => ({
    pool: name,
    count,
    age: `${age}h`,
    instanceType: 'm',
    ...(random.chance(0.9) && { zones: random.pick([zones, zones, ['a', 'b'], ['a']]) }),
  }));

/** C17, N4: Lull's budgets are in the annotation, and Karpenter's own allow everything. */
export function besideKarpenter(pool: DrawnPool): DrawnPool {
  const { metadata, spec } = pool.object as { metadata: { annotations?: Json }; spec: { disruption: Json } };
  const { budgets, expireAfter, ...disruption } = spec.disruption;
  const annotations = {
    ...(budgets !== undefined && { 'lull.dev/budgets': JSON.stringify(budgets) }),
    ...(expireAfter !== undefined && { 'lull.dev/expire-after': expireAfter }),
    ...metadata.annotations,
  };
  const object = {
    ...pool.object,
    metadata: { ...metadata, annotations },
    spec: { ...spec, disruption: { ...disruption, budgets: [{ nodes: '100%' }] } },
  };
  return { ...pool, object };
}
