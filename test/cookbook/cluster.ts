// The cluster that recipes are tried on: 24 nodes per pool, eight in each of three zones.
import { type Manifest, mapAt, nameOf, textAt, valueAt } from './manifest.ts';
import { podsOf, withPdbStatus } from './workloads.ts';

/** The facts that a claim can name, and the nodes that each applies to. */
const kinds = ['drifted', 'empty', 'expired', 'underutilized', 'unhealthy'] as const;
type Kind = (typeof kinds)[number];

interface Place {
  readonly name: string;
  readonly zone: string;
  readonly kind: Kind;
}

const zoneOf = (letter: string): string => `eu-west-1${letter}`;
const inZone = (letter: string, names: readonly (readonly [string, Kind])[]): Place[] =>
  names.map(([name, kind]) => ({ name, zone: zoneOf(letter), kind }));
const drifted = (letter: string, count: number): (readonly [string, Kind])[] =>
  Array.from({ length: count }, (_, index) => [`${letter}${index + 1}`, 'drifted'] as const);

/** In the order in which they drifted. */
const places: readonly Place[] = [
  ...inZone('a', [...drifted('a', 6), ['e1', 'empty'], ['x1', 'expired']]),
  ...inZone('b', [...drifted('b', 6), ['e2', 'empty'], ['x2', 'expired']]),
  ...inZone('c', [...drifted('c', 5), ['e3', 'empty'], ['u1', 'underutilized'], ['h1', 'unhealthy']]),
];

const hour = 3_600_000;
const day = 24 * hour;
const minute = 60_000;

/** The policy and its cluster as one List. Facts are kinds of nodes, and `WORKLOAD-on-NODE`. */
export function clusterAround(policy: readonly Manifest[], at: string, facts: readonly string[]): Manifest {
  const given = policy.filter(({ kind }) => kind === 'NodePool');
  const pools = given.length > 0 ? given : [plainPool];
  const prefix = (pool: Manifest): string => (pools.length > 1 ? `${nameOf(pool)}-` : '');
  const workloads = policy.flatMap((object) => podsOf(object, facts, instant(Date.parse(at) - hour)));
  const nodes = pools.flatMap((pool) =>
    places.flatMap((place, index) =>
      nodeOf({ ...place, name: prefix(pool) + place.name }, { pool, index, now: Date.parse(at), facts, policy }),
    ),
  );
  const pods = [...nodes.filter(({ kind }) => kind === 'Pod'), ...workloads];
  const others = policy.filter(({ kind }) => kind !== 'Node').map((object) => withPdbStatus(object, pods));
  for (const fact of facts)
    if (!isKind(fact) && !isPlaced(fact, workloads)) throw new Error(`"${fact}" applies to no node`);
  const own = given.length > 0 ? [] : [plainPool];
  return { apiVersion: 'v1', kind: 'List', items: [...own, ...others, ...nodes, ...workloads] };
}

const isKind = (fact: string): boolean => kinds.some((kind) => kind === fact);

const isPlaced = (fact: string, workloads: readonly Manifest[]): boolean =>
  places.some(
    ({ name }) => fact.endsWith(`-on-${name}`) && workloads.some((pod) => textAt(pod, 'spec', 'nodeName') === name),
  );

/** The pool of recipes without one: it has no limits of its own. */
const plainPool: Manifest = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default' },
  spec: { disruption: { budgets: [{ nodes: '100%' }] } },
};

interface Around {
  readonly pool: Manifest;
  readonly index: number;
  readonly now: number;
  readonly facts: readonly string[];
  readonly policy: readonly Manifest[];
}

function nodeOf({ name, zone, kind }: Place, { pool, index, now, facts, policy }: Around): Manifest[] {
  const is = (asked: Kind): boolean => kind === asked && facts.includes(asked);
  const lifetime = hoursIn(textAt(pool, 'spec', 'template', 'spec', 'expireAfter') ?? '720h');
  const wished = hoursIn(textAt(pool, 'metadata', 'annotations', 'lull.dev/expire-after') ?? `${lifetime}h`);
  const born = instant(now - (is('expired') ? (Math.min(wished, lifetime) + 1) * hour : 0.4 * lifetime * hour));
  const since = (type: string, status: string, at: string) => ({ type, status, lastTransitionTime: at });
  const labels = { ...labelsOf(pool), 'karpenter.sh/nodepool': nameOf(pool) };
  const written = policy.find((object) => object.kind === 'Node' && nameOf(object) === name);
  const ready = is('unhealthy') ? since('Ready', 'False', instant(now - day)) : since('Ready', 'True', born);
  const drift = { ...since('Drifted', 'True', instant(now - 2 * day + index * minute)), reason: 'AMIDrift' };
  const node: Manifest = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      creationTimestamp: born,
      labels: {
        ...labels,
        ...mapAt(written, 'metadata', 'labels'),
        'karpenter.sh/registered': 'true',
        'karpenter.sh/initialized': 'true',
        'topology.kubernetes.io/zone': zone,
      },
      annotations: mapAt(written, 'metadata', 'annotations'),
    },
    status: {
      allocatable: { cpu: is('empty') || is('underutilized') ? '2' : '4', memory: '16Gi', pods: '110' },
      conditions: [ready],
    },
  };
  const claim: Manifest = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, creationTimestamp: born, labels },
    spec: { expireAfter: `${lifetime}h`, ...mapAt(pool, 'spec', 'template', 'spec') },
    status: { nodeName: name, conditions: [since('Initialized', 'True', born), ...(is('drifted') ? [drift] : [])] },
  };
  return [node, claim, ...(is('empty') ? [] : [filler(name, is('underutilized') ? '500m' : '3')])];
}

/** The labels of its template, and those that its requirements restrict to one value. */
function labelsOf(pool: Manifest): Manifest {
  const requirements = valueAt(pool, 'spec', 'template', 'spec', 'requirements') as Requirement[] | undefined;
  const required = (requirements ?? []).map(({ key, values }) => [key, values[0]]);
  return { ...mapAt(pool, 'spec', 'template', 'metadata', 'labels'), ...Object.fromEntries(required) };
}

interface Requirement {
  readonly key: string;
  readonly values: readonly string[];
}

/** The load of the node: three quarters, so that its pods fit nowhere else, or little. */
const filler = (node: string, cpu: string): Manifest => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace: 'web',
    name: `web-${node}`,
    ownerReferences: [{ kind: 'ReplicaSet', name: 'web', uid: 'web' }],
  },
  spec: { nodeName: node, containers: [{ name: 'app', resources: { requests: { cpu } } }] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
});

const instant = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** `Never` is a year here. */
const hoursIn = (duration: string): number => (duration === 'Never' ? 8760 : Number(/^(\d+)h$/.exec(duration)?.[1]));
