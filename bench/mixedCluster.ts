// A cluster as consolidation meets it, of any size and fullness: 20 pods a node, 15 instance types with prices in 3 zones,
// 12 pools, a fifth of the pods with placement rules.
import { appSizes, countPlaced, type MixedApp, makeApps, mayPlace, rulesOf, zones } from './mixedApps.ts';
import { mulberry32 } from './random.ts';

const podsPerNode = 20;
export const decidedAt = '2026-11-11T10:00:00Z';
const born = '2026-10-20T00:00:00Z';
const daemonsPerNode = 2;
const daemonRequests = { cpu: '50m', memory: '64Mi' };

type Raw = Readonly<Record<string, unknown>>;

export interface Mixed {
  readonly nodes: number;
  /** The share of a node's cores that its pods request: 0.45, 0.8. */
  readonly utilisation: number;
  /** `budgets` of every pool. */
  readonly budget?: string;
}

interface MachineType {
  readonly name: string;
  readonly family: string;
  readonly cores: number;
  readonly gibibytes: number;
}

const families = [
  { family: 'c', perCore: 2, price: 0.0425 },
  { family: 'm', perCore: 4, price: 0.048 },
  { family: 'r', perCore: 8, price: 0.063 },
];
const sizes = [2, 4, 8, 16, 32];

const machineTypes: readonly MachineType[] = families.flatMap(({ family, perCore }) =>
  sizes.map((cores) => ({ name: `${family}.${cores}`, family, cores, gibibytes: cores * perCore })),
);

interface MixedPool {
  readonly name: string;
  readonly families: readonly string[];
  readonly capacityTypes: readonly string[];
  readonly isDedicated: boolean;
}

const pools: readonly MixedPool[] = Array.from({ length: 12 }, (_, index) => ({
  name: `pool-${index}`,
  families: index % 3 === 0 ? ['m'] : index % 3 === 1 ? ['c', 'm'] : ['m', 'r'],
  capacityTypes: index % 4 === 3 ? ['spot', 'on-demand'] : ['on-demand'],
  isDedicated: index >= 11,
}));

const round = (price: number): number => Math.round(price * 10_000) / 10_000;

/** Spot costs about a third, depending on the zone. */
export const mixedCatalogue: readonly Raw[] = machineTypes.map(({ name, family, cores, gibibytes }, index) => {
  const perCore = families.find((it) => it.family === family)?.price ?? 0;
  // Larger types are slightly cheaper per core, so that the choice matters.
  const price = perCore * cores * (1 - 0.01 * Math.log2(cores));
  return {
    name,
    cpu: `${cores * 1000 - 80}m`,
    memory: `${gibibytes * 1024 - 512}Mi`,
    pods: '110',
    offerings: zones.flatMap((zone, at) => [
      { zone, capacityType: 'on-demand', price: round(price), available: true },
      { zone, capacityType: 'spot', price: round(price * (0.3 + 0.03 * ((index + at) % 4))), available: true },
    ]),
  };
});

/** Raw, as the API server returns them. */
export function* mixedObjects({ nodes, utilisation, budget = '10%' }: Mixed): Generator<unknown> {
  const random = mulberry32(Math.round(utilisation * 100) + nodes);
  const dedicated = pools.filter(({ isDedicated }) => isDedicated).map(({ name }) => name);
  const apps = makeApps(Math.max(240, Math.round(nodes / 5)), dedicated);
  for (const pool of pools) yield poolObject(pool, budget);
  for (let daemon = 0; daemon < daemonsPerNode; daemon++) yield daemonSet(daemon);
  // A fifth of the apps have a PDB that allows a tenth of their pods to be unavailable.
  const replicas = (nodes * podsPerNode) / apps.length;
  for (const [index, app] of apps.entries()) if (index % 5 === 0) yield pdb(app, Math.ceil(replicas / 10));
  const open = appsBySize(apps.filter(({ dedicatedTo }) => dedicatedTo === undefined));
  const closed = new Map(
    dedicated.map((pool) => [pool, appsBySize(apps.filter(({ dedicatedTo }) => dedicatedTo === pool))]),
  );
  for (let index = 0; index < nodes; index++) {
    const machine = machineAt(index, random);
    yield* nodeObjects(machine);
    for (let daemon = 0; daemon < daemonsPerNode; daemon++) yield daemonPod(machine, daemon);
    yield* podsOf(machine, { apps: closed.get(machine.pool.name) ?? open, utilisation, random });
  }
}

interface Machine {
  readonly index: number;
  readonly name: string;
  readonly pool: MixedPool;
  readonly type: MachineType;
  readonly zone: string;
  readonly capacityType: string;
}

function machineAt(index: number, random: () => number): Machine {
  const pool = pools[Math.floor(random() * pools.length)] as MixedPool;
  const family = pool.families[Math.floor(random() * pool.families.length)];
  // 4, 8 and 16 cores, mostly 8.
  const dice = random();
  const cores = dice < 0.3 ? 4 : dice < 0.75 ? 8 : 16;
  const type = machineTypes.find((it) => it.family === family && it.cores === cores) as MachineType;
  const zone = zones[Math.floor(random() * zones.length)] as string;
  const capacityType = pool.capacityTypes[Math.floor(random() * pool.capacityTypes.length)] as string;
  return { index, name: `node-${String(index).padStart(5, '0')}`, pool, type, zone, capacityType };
}

type AppsBySize = ReadonlyMap<number, readonly MixedApp[]>;

function appsBySize(apps: readonly MixedApp[]): AppsBySize {
  return new Map(appSizes.map((size) => [size, apps.filter(({ cpu }) => cpu === size)]));
}

interface Filling {
  readonly apps: AppsBySize;
  readonly utilisation: number;
  readonly random: () => number;
}

/** Sizes are drawn around the remaining target for each pod still to be created. */
function* podsOf(machine: Machine, { apps, utilisation, random }: Filling): Generator<unknown> {
  const count = podsPerNode - daemonsPerNode;
  const free = { cpu: machine.type.cores * 1000 - 200, memory: machine.type.gibibytes * 1024 - 700 };
  let aim = machine.type.cores * 1000 * utilisation * (0.7 + 0.6 * random());
  for (let nth = 0; nth < count; nth++) {
    const wanted = (aim / (count - nth)) * (0.4 + 1.2 * random());
    const app = drawApp(apps, wanted, { machine, free, random });
    if (!app) continue;
    aim = Math.max(0, aim - app.cpu);
    free.cpu -= app.cpu;
    free.memory -= app.memory;
    countPlaced(app, machine.name, machine.zone);
    yield podObject(machine, app, nth);
  }
}

interface Draw {
  readonly machine: Machine;
  readonly free: { readonly cpu: number; readonly memory: number };
  readonly random: () => number;
}

function drawApp(apps: AppsBySize, wanted: number, { machine, free, random }: Draw): MixedApp | undefined {
  let at = appSizes.findIndex((size) => size > wanted);
  at = at < 0 ? appSizes.length - 1 : Math.max(0, at - 1);
  for (let tries = 0; tries < 40; tries++) {
    const among = apps.get(appSizes[Math.max(0, at - Math.floor(tries / 8))] as number) ?? [];
    const app = among[Math.floor(random() * among.length)];
    if (!app || app.cpu > free.cpu || app.memory > free.memory) continue;
    if (mayPlace(app, machine.name, machine.zone)) return app;
  }
  return undefined;
}

function poolObject({ name, families: own, capacityTypes, isDedicated }: MixedPool, budget: string): unknown {
  const types = machineTypes.filter(({ family }) => own.includes(family)).map((type) => type.name);
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      disruption: { budgets: [{ nodes: budget }], consolidateAfter: '1m' },
      template: {
        spec: {
          expireAfter: 'Never',
          requirements: [
            { key: 'node.kubernetes.io/instance-type', operator: 'In', values: types },
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: capacityTypes },
          ],
          ...(isDedicated && { taints: [taintOf(name)] }),
        },
      },
    },
    status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: born }] },
  };
}

const taintOf = (pool: string): unknown => ({ key: 'dedicated', value: pool, effect: 'NoSchedule' });

const pdb = ({ name, namespace }: MixedApp, disruptionsAllowed: number): unknown => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { namespace, name },
  spec: { selector: { matchLabels: { app: name } }, maxUnavailable: '10%' },
  status: { disruptionsAllowed },
});

const daemonSpec = {
  containers: [{ name: 'c', resources: { requests: daemonRequests } }],
  tolerations: [{ operator: 'Exists' }],
};

const daemonSet = (daemon: number): unknown => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { namespace: 'kube-system', name: `daemon-${daemon}`, uid: `ds-${daemon}` },
  spec: {
    selector: { matchLabels: { app: `daemon-${daemon}` } },
    template: { metadata: { labels: { app: `daemon-${daemon}` } }, spec: daemonSpec },
  },
});

function* nodeObjects({ index, name, pool, type, zone, capacityType }: Machine): Generator<unknown> {
  const labels = {
    'karpenter.sh/nodepool': pool.name,
    'karpenter.sh/capacity-type': capacityType,
    'topology.kubernetes.io/zone': zone,
    'node.kubernetes.io/instance-type': type.name,
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
  };
  const condition = (kind: string): unknown => ({ type: kind, status: 'True', lastTransitionTime: born });
  const marks = {
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
    'kubernetes.io/hostname': name,
  };
  yield {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: `n${index}`, creationTimestamp: born, labels: { ...labels, ...marks } },
    spec: { providerID: `cloud:///${index}`, ...(pool.isDedicated && { taints: [taintOf(pool.name)] }) },
    status: {
      allocatable: { cpu: `${type.cores * 1000 - 80}m`, memory: `${type.gibibytes * 1024 - 512}Mi`, pods: '110' },
      conditions: [condition('Ready')],
    },
  };
  yield {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: `claim-${index}`, uid: `c${index}`, creationTimestamp: born, labels },
    spec: { expireAfter: 'Never' },
    status: {
      nodeName: name,
      providerID: `cloud:///${index}`,
      conditions: ['Launched', 'Registered', 'Initialized'].map(condition),
      lastPodEventTime: born,
    },
  };
}

const daemonPod = ({ index, name }: Machine, daemon: number): unknown =>
  running(name, daemonSpec, {
    namespace: 'kube-system',
    name: `daemon-${daemon}-${index}`,
    uid: `d${index}-${daemon}`,
    labels: { app: `daemon-${daemon}` },
    ownerReferences: [owner('DaemonSet', `daemon-${daemon}`, `ds-${daemon}`)],
  });

const podObject = ({ index, name }: Machine, app: MixedApp, nth: number): unknown =>
  running(
    name,
    {
      containers: [{ name: 'c', resources: { requests: { cpu: `${app.cpu}m`, memory: `${app.memory}Mi` } } }],
      ...rulesOf(app),
    },
    {
      namespace: app.namespace,
      name: `${app.name}-${index}-${nth}`,
      uid: `p${index}-${nth}`,
      labels: { app: app.name, tier: 'web' },
      ownerReferences: [owner('ReplicaSet', app.name, `rs-${app.name}`)],
    },
  );

const owner = (kind: string, name: string, uid: string): unknown => ({
  apiVersion: 'apps/v1',
  kind,
  name,
  uid,
  controller: true,
});

const running = (nodeName: string, spec: Raw, metadata: Raw): unknown => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { creationTimestamp: born, ...metadata },
  spec: { nodeName, ...spec },
  status: { phase: 'Running', startTime: born, conditions: [{ type: 'Ready', status: 'True' }] },
});
