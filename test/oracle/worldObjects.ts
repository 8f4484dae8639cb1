// The Kubernetes objects and the catalogue of a small world.
import { claimOf, type Plain, type PlainObject, poolLabel, readyNode } from '../vectors/objects.ts';
import { type App, daemon, type World, type WorldNode, type WorldPod, zones } from './smallWorld.ts';

const dedicated = { key: 'dedicated', value: 'yes', effect: 'NoSchedule' };
const tolerates = { key: 'dedicated', operator: 'Exists' };
const hostname = 'kubernetes.io/hostname';

export const objectsOf = (world: World): readonly Plain[] => [
  ...world.pools.map((pool) => poolObject(pool)),
  daemonSet,
  ...world.nodes.flatMap((node) => nodeObjects(world, node)),
  ...world.pods.map(podObject),
];

export const catalogueOf = ({ types }: World): readonly Plain[] =>
  types.map(({ name, cpu, memory, price }) => ({
    name,
    cpu: `${cpu}m`,
    memory: `${memory}Mi`,
    pods: '110',
    offerings: zones.map((zone) => ({ zone, capacityType: 'on-demand', price, available: true })),
  }));

const poolObject = ({ name, types, dedicated: isDedicated, budget }: World['pools'][number]): Plain => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name },
  spec: {
    disruption: { budgets: [{ nodes: budget === undefined ? '100%' : `${budget}` }], consolidateAfter: '0s' },
    template: {
      spec: {
        requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: [...types] }],
        ...(isDedicated && { taints: [dedicated] }),
      },
    },
  },
});

function nodeObjects(world: World, node: WorldNode): readonly Plain[] {
  const { name, pool, zone, stays } = node;
  const type = world.types.find((it) => it.name === node.type);
  const labels = {
    ...poolLabel(pool),
    'karpenter.sh/capacity-type': 'on-demand',
    'node.kubernetes.io/instance-type': node.type,
    'topology.kubernetes.io/zone': zone,
  };
  const made = readyNode({ name, labels: { ...labels, [hostname]: name } });
  const isDedicated = world.pools.some((it) => it.name === pool && it.dedicated);
  return [
    claimOf({ name, labels }),
    {
      ...made,
      metadata: { ...made.metadata, ...(stays && { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }) },
      spec: { ...made.spec, ...(isDedicated && { taints: [dedicated] }) },
      status: {
        ...made.status,
        allocatable: { cpu: `${type?.cpu}m`, memory: `${type?.memory}Mi`, pods: '110' },
      },
    },
    runningPod(`daemon-${name}`, name, { owner: 'DaemonSet/agent', spec: { ...agentSpec } }),
  ];
}

const requests = ({ cpu, memory }: { cpu: number; memory: number }): readonly Plain[] => [
  { name: 'c', image: 'i', resources: { requests: { cpu: `${cpu}m`, memory: `${memory}Mi` } } },
];

const agentSpec = { containers: requests(daemon), tolerations: [{ operator: 'Exists' }] };

const daemonSet: Plain = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'default', uid: 'DaemonSet/agent' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: { metadata: { labels: { app: 'agent' } }, spec: agentSpec },
  },
};

const podObject = ({ name, app, node }: WorldPod): PlainObject =>
  runningPod(name, node, { owner: `ReplicaSet/${app.name}`, spec: specOf(app), labels: { app: app.name } });

const specOf = (app: App): Plain => ({
  containers: requests(app),
  nodeSelector: {
    ...(app.zone !== undefined && { 'topology.kubernetes.io/zone': app.zone }),
    ...(app.pool !== undefined && poolLabel(app.pool)),
  },
  ...(app.toleratesDedicated && { tolerations: [tolerates] }),
  ...(app.apart && {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { app: app.name } }, topologyKey: hostname },
        ],
      },
    },
  }),
});

interface PodParts {
  readonly owner: string;
  readonly spec: Plain;
  readonly labels?: Readonly<Record<string, string>>;
}

function runningPod(name: string, node: string, { owner, spec, labels = {} }: PodParts): PlainObject {
  const [kind, ownerName] = owner.split('/');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      labels,
      ownerReferences: [{ apiVersion: 'apps/v1', kind, name: ownerName, uid: owner, controller: true }],
    },
    spec: { ...spec, nodeName: node },
    status: { phase: 'Running', startTime: '2020-01-01T00:00:00Z', conditions: [{ type: 'Ready', status: 'True' }] },
  };
}
