// A random script of events and faults over the first two and a half hours.
import type { Random } from '../../../src/sim/random.ts';
import { type Json, list, some, weighted, zoneKey } from './dice.ts';
import type { DrawnPool } from './pools.ts';
import { drawWindow } from './rules.ts';
import type { DrawnWorkload } from './workloads.ts';

export interface Cast {
  readonly pools: readonly DrawnPool[];
  readonly workloads: readonly DrawnWorkload[];
  readonly controllers: number;
}

/** Minutes after the start in which things happen. */
const troubleEnds = 150;

type Draw = (random: Random, cast: Cast) => Json[];

const minutes = (random: Random): string => `${some(random, 1, troubleEnds * 60)}s`;
const length = (random: Random, from: number, to: number): string => `${some(random, from, to)}m`;
const anyNode = (random: Random, { pools }: Cast): string => {
  const pool = random.pick(pools);
  return `${pool.name}-${some(random, 1, pool.count + 4)}`;
};

/** What users and machines do every day. */
const happenings: readonly (readonly [weight: number, draw: Draw])[] = [
  [8, (r, { pools }) => [{ at: minutes(r), release: { pool: r.pick(pools).name, image: `v${some(r, 2, 9)}` } }]],
  [3, scale],
  [3, (r, cast) => [{ at: minutes(r), interrupt: { node: anyNode(r, cast) } }]],
  [
    3,
    (r, cast) => [
      { at: minutes(r), fail: { node: anyNode(r, cast), ...(r.chance(0.6) && { for: length(r, 1, 15) }) } },
    ],
  ],
  [2, manyFail],
  [9, annotated],
  [4, mindChanged],
  [3, tightened],
  [1, (r, cast) => [{ at: minutes(r), delete: { kind: 'NodeClaim', name: anyNode(r, cast) } }]],
  [
    1,
    (r, cast) => [
      { at: minutes(r), delete: { kind: 'Pod', name: `shop/${r.pick(['w1', 'x1'])}-0` } },
      ...scale(r, cast),
    ],
  ],
  [1, (r) => [{ at: minutes(r), delete: { kind: 'DisruptionLedger', name: 'lull' } }]],
  [4, poolGone],
  [2, (r, { pools }) => [{ at: minutes(r), apply: drawWindow(r, r.pick(['mw1', 'late']), pools) }]],
  [1, (r) => [{ at: minutes(r), delete: { kind: 'MaintenanceWindow', name: 'mw1' } }]],
];

function scale(random: Random, { workloads }: Cast): Json[] {
  const scalable = workloads.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
  if (scalable.length === 0) return [];
  const { kind, name } = random.pick(scalable);
  return [{ at: minutes(random), scale: { kind, name: `shop/${name}`, replicas: some(random, 0, 14) } }];
}

/** A rack fails: the repair breaker (A5). */
function manyFail(random: Random, { pools }: Cast): Json[] {
  const pool = random.pick(pools);
  const at = minutes(random);
  return list(Math.ceil(pool.count / 2), (i) => ({
    at,
    fail: { node: `${pool.name}-${i + 1}`, for: length(random, 10, 30) },
  }));
}

const notes: readonly (readonly [weight: number, annotations: Json])[] = [
  [2, { 'lull.dev/hold': 'somebody looks at it' }],
  [2, { 'karpenter.sh/do-not-disrupt': 'true' }],
  [2, { 'karpenter.sh/do-not-consolidate': 'true' }],
  [2, { 'karpenter.sh/do-not-repair': 'true' }],
  [2, { 'lull.dev/rebalance': 'true' }],
];

/** A few nodes of one pool, which gets a new image at that moment, so that there is something to protect them from. */
function annotated(random: Random, { pools }: Cast): Json[] {
  const pool = random.pick(pools);
  const annotations = weighted(random, notes);
  const at = some(random, 0, troubleEnds - 60);
  const names = list(some(random, 1, pool.count), (index) => `${pool.name}-${index + 1}`);
  const write = (when: string, values: Json): Json[] =>
    names.map((name) => ({ at: when, annotate: { kind: 'Node', name, annotations: values } }));
  const nothing = Object.fromEntries(Object.keys(annotations).map((key) => [key, null]));
  const fails = names.map((node) => ({ at: `${at}m30s`, fail: { node, for: '30m' } }));
  const empties = {
    at: `${at}m30s`,
    apply: { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', ...consolidating(pool) },
  };
  const trouble: Readonly<Record<string, Json[]>> = {
    'karpenter.sh/do-not-repair': fails,
    'karpenter.sh/do-not-consolidate': [empties, ...idle(random, pool, at)],
  };
  return [
    ...write(`${at}m`, annotations),
    ...(trouble[Object.keys(annotations)[0] ?? ''] ?? [
      { at: `${at}m30s`, release: { pool: pool.name, image: 'noted' } },
    ]),
    ...(random.chance(0.7) ? write(`${at + some(random, 10, 50)}m`, nothing) : []),
  ];
}

const consolidating = ({ name }: DrawnPool): Json => ({
  metadata: { name },
  spec: { disruption: { consolidateAfter: '30s', consolidationPolicy: 'WhenEmptyOrUnderutilized' } },
});

/** The pool's own workload is removed for a while. */
function idle(random: Random, { name }: DrawnPool, at: number): Json[] {
  const workload = { kind: 'Deployment', name: `shop/w${name.slice(1)}` };
  return [
    { at: `${at}m20s`, scale: { ...workload, replicas: 0 } },
    { at: `${at + some(random, 10, 30)}m`, scale: { ...workload, replicas: some(random, 1, 6) } },
  ];
}

/** While nodes are being disrupted, a team sets its PDB to allow no disruption; later it reverts that. */
function tightened(random: Random, { pools, workloads }: Cast): Json[] {
  const fixed = workloads.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
  if (fixed.length === 0) return [];
  const { name } = random.pick(fixed);
  const at = some(random, 5, troubleEnds - 60);
  const pdb = (maxUnavailable: number): Json => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: 'shop', name },
    spec: { selector: { matchLabels: { app: name } }, maxUnavailable, minAvailable: null },
  });
  return [
    { at: `${at}m`, release: { pool: random.pick(pools).name, image: `t${at}` } },
    { at: `${at}m${some(random, 5, 55)}s`, apply: pdb(0) },
    { at: `${at + some(random, 25, 60)}m`, apply: pdb(1) },
  ];
}

/** Its nodes have just drifted, and the pool with their template is deleted. */
function poolGone(random: Random, { pools }: Cast): Json[] {
  const { name } = random.pick(pools);
  const at = some(random, 30, troubleEnds);
  return [
    { at: `${at}m`, release: { pool: name, image: 'last' } },
    { at: `${at}m${some(random, 2, 20)}s`, delete: { kind: 'NodePool', name } },
  ];
}

/** Everything at once, and then one domain at a time: nodes of several domains are being disrupted already. */
function mindChanged(random: Random, { pools }: Cast): Json[] {
  const { name } = random.pick(pools);
  const at = some(random, 5, troubleEnds - 20);
  const budgets = (list: readonly Json[]): Json => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name, annotations: { 'lull.dev/budgets': JSON.stringify(list) } },
  });
  const oneByOne = { nodes: '1', topologyKey: zoneKey, sequential: true, patience: '10m' };
  return [
    { at: `${at}m`, apply: budgets([{ nodes: '100%' }]) },
    { at: `${at}m10s`, release: { pool: name, image: `c${at}` } },
    { at: `${at}m${some(random, 15, 50)}s`, apply: budgets([oneByOne]) },
  ];
}

/** By the names under which they are counted. */
export const faultDraws: Readonly<Record<string, Draw>> = {
  launches: (r, { pools }) => [
    {
      at: minutes(r),
      fault: {
        launches: r.pick(['never', 'fails', 5]),
        ...(r.chance(0.7) && { pool: r.pick(pools).name }),
        for: length(r, 3, 25),
      },
    },
  ],
  boots: (r) => [{ at: minutes(r), fault: { boots: r.pick([4, 12]), for: length(r, 5, 25) } }],
  image: (r, { pools }) => {
    const at = some(r, 5, troubleEnds - 60);
    const pool = r.pick(pools).name;
    const repaired = at + some(r, 5, 40);
    return [
      { at: `${at}m`, fault: { image: 'bad', breaks: r.pick(['nodes', 'pods']), for: `${repaired - at}m` } },
      { at: `${at}m`, release: { pool, image: 'bad' } },
      ...(r.chance(0.7) ? [{ at: `${repaired}m`, release: { pool, image: 'good' } }] : []),
    ];
  },
  workload: (r, { workloads }) =>
    workloads.length === 0
      ? []
      : [{ at: minutes(r), fault: { workload: workloadName(r.pick(workloads)), for: length(r, 2, 20) } }],
  api: (r, cast) => [{ at: minutes(r), fault: { api: 'away', ...whose(r, cast), for: length(r, 1, 10) } }],
  answers: (r, cast) => [{ at: minutes(r), fault: { answers: 'lost', ...whose(r, cast), for: length(r, 1, 8) } }],
  watch: (r, cast) => [
    {
      at: minutes(r),
      fault: {
        watch: 'late',
        by: r.pick(['2s', '20s', '1m', '3m']),
        ...(r.chance(0.5) && {
          kinds: r.pick([['Node'], ['Pod'], ['NodeClaim'], ['PodDisruptionBudget'], ['Node', 'NodePool']]),
        }),
        ...whose(r, cast),
        for: length(r, 3, 25),
      },
    },
  ],
  crash: (r, { controllers }) =>
    list(some(r, 1, 6), () => ({
      at: minutes(r),
      fault: { crash: `lull-${some(r, 1, controllers)}`, ...(r.chance(0.3) && { for: length(r, 1, 5) }) },
    })),
};

const workloadName = ({ kind, name }: DrawnWorkload): string => `shop/${kind}/${name}`;

const whose = (random: Random, { controllers }: Cast): Json =>
  controllers > 1 && random.chance(0.6) ? { controller: `lull-${some(random, 1, controllers)}` } : {};

export interface DrawnScript {
  readonly entries: readonly Json[];
  /** The faults in it, once for each occurrence. */
  readonly faults: readonly string[];
}

export function drawScript(random: Random, cast: Cast): DrawnScript {
  // Most of Lull's work begins with a new image.
  const first = { at: `${some(random, 1, 20)}m`, release: { pool: random.pick(cast.pools).name, image: 'v2' } };
  const daily = list(some(random, 3, 9), (index) => {
    const draw = random.fork(`happening ${index}`);
    return weighted(draw, happenings)(draw, cast);
  });
  const names = list(some(random, 0, 5), () => random.pick(Object.keys(faultDraws)));
  const drawn = names.map((name, index) => ({
    name,
    entries: faultDraws[name]?.(random.fork(`fault ${index}`), cast) ?? [],
  }));
  return {
    entries: [first, ...daily.flat(), ...drawn.flatMap(({ entries }) => entries)],
    faults: drawn.filter(({ entries }) => entries.length > 0).map(({ name }) => name),
  };
}
