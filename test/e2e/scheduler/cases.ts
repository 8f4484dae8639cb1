// Small clusters made by hand, each with one pod to place: the fine print of the scheduler, rule by rule.
// Past 300 lines: one list of cases.
import type { KubeObject } from '../story/hand.ts';

export interface Case {
  readonly name: string;
  readonly objects: readonly KubeObject[];
  readonly pod: KubeObject;
}

type Json = Readonly<Record<string, unknown>>;
const zone = 'topology.kubernetes.io/zone';
const host = 'kubernetes.io/hostname';

const object = (kind: string, name: string, more: Json = {}, apiVersion = 'v1'): KubeObject => ({
  apiVersion,
  kind,
  ...more,
  metadata: { name, ...(more.metadata as Json) },
});

const node = (
  name: string,
  where: string | undefined,
  parts: { labels?: Json; spec?: Json; allocatable?: Json } = {},
) =>
  object('Node', name, {
    metadata: { labels: { [host]: name, ...(where && { [zone]: where }), ...parts.labels } },
    spec: parts.spec ?? {},
    status: {
      allocatable: { cpu: '4', memory: '8Gi', pods: '10', 'ephemeral-storage': '10Gi', ...parts.allocatable },
      capacity: { cpu: '4', memory: '8Gi', pods: '10', 'ephemeral-storage': '10Gi', ...parts.allocatable },
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  });

const pod = (
  name: string,
  on: string | undefined,
  parts: { labels?: Json; ns?: string; cpu?: string; spec?: Json } = {},
) =>
  object('Pod', name, {
    metadata: { namespace: parts.ns ?? 'shop', labels: parts.labels ?? { app: 'web' } },
    spec: {
      ...(on && { nodeName: on }),
      containers: [{ name: 'main', image: 'main', resources: { requests: { cpu: parts.cpu ?? '100m' } } }],
      ...parts.spec,
    },
  });

const web = { matchLabels: { app: 'web' } };
const spread = (key: string, more: Json = {}): Json => ({
  topologySpreadConstraints: [
    { topologyKey: key, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector: web, ...more },
  ],
});
const near = (key: string, more: Json = {}): Json => term('podAffinity', key, more);
const apart = (key: string, more: Json = {}): Json => term('podAntiAffinity', key, more);
const term = (what: string, topologyKey: string, more: Json): Json => ({
  affinity: {
    [what]: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: web, ...more }] },
  },
});
const selected = (...expressions: Json[]): Json => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: expressions.map((each) => ({ matchExpressions: [each] })),
      },
    },
  },
});
const port = (hostPort: number, more: Json = {}): Json => ({
  containers: [{ name: 'main', image: 'main', ports: [{ containerPort: 80, hostPort, ...more }] }],
});
const mounting = (...claims: string[]): Json => ({
  volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
});
const storageClass = (name: string, more: Json = {}) =>
  object(
    'StorageClass',
    name,
    { provisioner: 'ebs.csi.aws.com', volumeBindingMode: 'WaitForFirstConsumer', ...more },
    'storage.k8s.io/v1',
  );
const claim = (name: string, volume: string | undefined, more: Json = {}) =>
  object('PersistentVolumeClaim', name, {
    metadata: { namespace: 'shop', ...(volume && { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }) },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'late',
      ...(volume && { volumeName: volume }),
      ...more,
    },
  });
const volume = (
  name: string,
  where: string | undefined,
  parts: { labels?: Json; handle?: string; claim?: string } = {},
) =>
  object('PersistentVolume', name, {
    metadata: { labels: parts.labels ?? {} },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'late',
      claimRef: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: parts.claim ?? name },
      csi: { driver: 'ebs.csi.aws.com', volumeHandle: parts.handle ?? name },
      ...(where && {
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: 'In', values: [where] }] }] },
        },
      }),
    },
  });
const csiNode = (name: string, count: number) =>
  object(
    'CSINode',
    name,
    { spec: { drivers: [{ name: 'ebs.csi.aws.com', nodeID: name, topologyKeys: [zone], allocatable: { count } }] } },
    'storage.k8s.io/v1',
  );

const shop = object('Namespace', 'shop', { metadata: { labels: { team: 'x' } } });
const lab = object('Namespace', 'lab', { metadata: { labels: { team: 'y' } } });
const late = storageClass('late');
const three = [node('n1', 'a'), node('n2', 'b'), node('n3', 'c')];
const tainted = { taints: [{ key: 'team', value: 'x', effect: 'NoSchedule' }] };
const wanted = (spec: Json, labels?: Json) => pod('new', undefined, { spec, ...(labels && { labels }) });

export const cases: readonly Case[] = [
  {
    name: 'no requests fit on a full node, limited only by the number of pods',
    objects: [node('n1', 'a', { allocatable: { cpu: '1', pods: '2' } }), pod('a', 'n1', { cpu: '1' })],
    pod: wanted({ containers: [{ name: 'main', image: 'main' }] }),
  },
  {
    name: 'too many pods',
    objects: [node('n1', 'a', { allocatable: { pods: '1' } }), pod('a', 'n1')],
    pod: wanted({}),
  },
  {
    name: 'an init container larger than the containers',
    objects: [node('n1', 'a')],
    pod: wanted({ initContainers: [{ name: 'i', image: 'i', resources: { requests: { cpu: '5' } } }] }),
  },
  {
    name: 'a sidecar beside the containers',
    objects: [node('n1', 'a')],
    pod: wanted({
      initContainers: [{ name: 'i', image: 'i', restartPolicy: 'Always', resources: { requests: { cpu: '3950m' } } }],
    }),
  },
  { name: 'overhead', objects: [node('n1', 'a')], pod: wanted({ overhead: { cpu: '3950m' } }) },
  {
    name: 'resources of the pod as a whole',
    objects: [node('n1', 'a')],
    pod: wanted({ resources: { requests: { cpu: '5' } } }),
  },
  {
    name: 'resources of the pod as a whole, memory by its containers',
    objects: [node('n1', 'a')],
    pod: wanted({
      resources: { requests: { cpu: '1' } },
      containers: [{ name: 'main', image: 'main', resources: { requests: { memory: '9Gi' } } }],
    }),
  },
  {
    name: 'an extended resource that no node has',
    objects: [node('n1', 'a')],
    pod: wanted({
      containers: [
        {
          name: 'main',
          image: 'main',
          resources: { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } },
        },
      ],
    }),
  },
  {
    name: 'limits without requests count as requests',
    objects: [node('n1', 'a')],
    pod: wanted({ containers: [{ name: 'main', image: 'main', resources: { limits: { cpu: '5' } } }] }),
  },
  {
    name: 'a cordoned node, tolerated',
    objects: [node('n1', 'a', { spec: { unschedulable: true } })],
    pod: wanted({ tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] }),
  },
  { name: 'a cordoned node', objects: [node('n1', 'a', { spec: { unschedulable: true } })], pod: wanted({}) },
  {
    name: 'PreferNoSchedule',
    objects: [node('n1', 'a', { spec: { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] } })],
    pod: wanted({}),
  },
  {
    name: 'a toleration of another value',
    objects: [node('n1', 'a', { spec: tainted })],
    pod: wanted({ tolerations: [{ key: 'team', operator: 'Equal', value: 'y', effect: 'NoSchedule' }] }),
  },
  {
    name: 'a toleration of every effect',
    objects: [node('n1', 'a', { spec: tainted })],
    pod: wanted({ tolerations: [{ key: 'team', operator: 'Equal', value: 'x' }] }),
  },
  {
    name: 'NotIn matches if the label is missing',
    objects: [node('n1', undefined)],
    pod: wanted(selected({ key: zone, operator: 'NotIn', values: ['a'] })),
  },
  {
    name: 'Gt does not match if the label is not a number',
    objects: [node('n1', 'a', { labels: { size: 'big' } })],
    pod: wanted(selected({ key: 'size', operator: 'Gt', values: ['1'] })),
  },
  {
    name: 'Lt does',
    objects: [node('n1', 'a', { labels: { size: '0' } })],
    pod: wanted(selected({ key: 'size', operator: 'Lt', values: ['1'] })),
  },
  {
    name: 'terms are OR-ed',
    objects: three,
    pod: wanted(selected({ key: zone, operator: 'In', values: ['z'] }, { key: zone, operator: 'In', values: ['b'] })),
  },
  {
    name: 'a node by its field',
    objects: three,
    pod: wanted({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] }],
          },
        },
      },
    }),
  },
  {
    name: 'selector and affinity both',
    objects: three,
    pod: wanted({ nodeSelector: { [zone]: 'a' }, ...selected({ key: zone, operator: 'In', values: ['b'] }) }),
  },

  {
    name: 'spread: the zone with the fewest pods',
    objects: [...three, pod('a', 'n1'), pod('b', 'n2')],
    pod: wanted(spread(zone)),
  },
  {
    name: 'spread: a full zone counts as a domain',
    objects: [node('n1', 'a'), node('n2', 'b', { allocatable: { cpu: '0' } }), pod('a', 'n1')],
    pod: wanted(spread(zone)),
  },
  {
    name: 'spread: a tainted node is still a domain',
    objects: [node('n1', 'a'), node('n2', 'b', { spec: tainted }), pod('a', 'n1')],
    pod: wanted(spread(zone)),
  },
  {
    name: 'spread: but not if taints are honoured',
    objects: [node('n1', 'a'), node('n2', 'b', { spec: tainted }), pod('a', 'n1')],
    pod: wanted(spread(zone, { nodeTaintsPolicy: 'Honor' })),
  },
  {
    name: 'spread: a cordoned node is still a domain',
    objects: [node('n1', 'a'), node('n2', 'b', { spec: { unschedulable: true } }), pod('a', 'n1')],
    pod: wanted(spread(zone)),
  },
  {
    name: 'spread: a cordoned node if taints are honoured',
    objects: [node('n1', 'a'), node('n2', 'b', { spec: { unschedulable: true } }), pod('a', 'n1')],
    pod: wanted(spread(zone, { nodeTaintsPolicy: 'Honor' })),
  },
  {
    name: 'spread: nodes excluded by the selector are not domains',
    objects: [node('n1', 'a', { labels: { d: 's' } }), node('n2', 'b'), pod('a', 'n1')],
    pod: wanted({ nodeSelector: { d: 's' }, ...spread(zone) }),
  },
  {
    name: 'spread: they are if affinity is ignored',
    objects: [node('n1', 'a', { labels: { d: 's' } }), node('n2', 'b'), pod('a', 'n1')],
    pod: wanted({ nodeSelector: { d: 's' }, ...spread(zone, { nodeAffinityPolicy: 'Ignore' }) }),
  },
  {
    name: 'spread: more minDomains than domains',
    objects: [node('n1', 'a'), node('n2', 'b'), pod('a', 'n1'), pod('b', 'n2')],
    pod: wanted(spread(zone, { minDomains: 3 })),
  },
  {
    name: 'spread: more minDomains than domains, no pods yet',
    objects: [node('n1', 'a'), node('n2', 'b')],
    pod: wanted(spread(zone, { minDomains: 3 })),
  },
  { name: 'spread: a node without the key', objects: [node('n1', undefined)], pod: wanted(spread(zone)) },
  {
    name: 'spread: a node without the key is not counted',
    objects: [node('n1', undefined), node('n2', 'b'), pod('a', 'n2'), pod('b', 'n1')],
    pod: wanted(spread(zone)),
  },
  {
    name: 'spread: two constraints; a node without one key is in no domain of the other',
    objects: [
      node('n1', undefined, { labels: { rack: '1' } }),
      node('n2', 'b', { labels: { rack: '2' } }),
      pod('a', 'n2'),
    ],
    pod: wanted({
      topologySpreadConstraints: [zone, 'rack'].map((topologyKey) => ({
        topologyKey,
        maxSkew: 1,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: web,
      })),
    }),
  },
  {
    name: 'spread: a pod that does not count itself',
    objects: [node('n1', 'a'), node('n2', 'b', { allocatable: { cpu: '0' } }), pod('a', 'n1')],
    pod: wanted(spread(zone), { app: 'other' }),
  },
  {
    name: 'spread: pods of other namespaces do not count',
    objects: [node('n1', 'a'), node('n2', 'b', { allocatable: { cpu: '0' } }), pod('a', 'n1', { ns: 'lab' })],
    pod: wanted(spread(zone)),
  },
  {
    name: 'spread: matchLabelKeys',
    objects: [
      node('n1', 'a'),
      node('n2', 'b', { allocatable: { cpu: '0' } }),
      pod('a', 'n1', { labels: { app: 'web', v: '1' } }),
    ],
    pod: wanted(spread(zone, { matchLabelKeys: ['v'] }), { app: 'web', v: '2' }),
  },
  {
    name: 'spread: no selector matches nothing',
    objects: [node('n1', 'a'), node('n2', 'b', { allocatable: { cpu: '0' } }), pod('a', 'n1')],
    pod: wanted({ topologySpreadConstraints: [{ topologyKey: zone, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }] }),
  },
  {
    name: 'spread: an empty selector matches all',
    objects: [node('n1', 'a'), node('n2', 'b', { allocatable: { cpu: '0' } }), pod('a', 'n1', { labels: { x: 'y' } })],
    pod: wanted(spread(zone, { labelSelector: {} })),
  },
  {
    name: 'spread: ScheduleAnyway',
    objects: [node('n1', 'a'), node('n2', 'b', { allocatable: { cpu: '0' } }), pod('a', 'n1')],
    pod: wanted(spread(zone, { whenUnsatisfiable: 'ScheduleAnyway' })),
  },

  { name: 'affinity: the first of its own kind', objects: three, pod: wanted(near(zone)) },
  {
    name: 'affinity: the first of its own kind needs the key',
    objects: [node('n1', undefined)],
    pod: wanted(near(zone)),
  },
  {
    name: 'affinity: no pod there, and it does not match itself',
    objects: three,
    pod: wanted(near(zone), { app: 'other' }),
  },
  { name: 'affinity: beside the others', objects: [...three, pod('a', 'n2')], pod: wanted(near(zone)) },
  {
    name: 'affinity: pods of another namespace',
    objects: [...three, pod('a', 'n2', { ns: 'lab' })],
    pod: wanted(near(zone), { app: 'other' }),
  },
  {
    name: 'affinity: pods of a named namespace',
    objects: [...three, pod('a', 'n2', { ns: 'lab' })],
    pod: wanted(near(zone, { namespaces: ['lab'] }), { app: 'other' }),
  },
  {
    name: 'affinity: pods of selected namespaces',
    objects: [...three, pod('a', 'n2', { ns: 'lab' })],
    pod: wanted(near(zone, { namespaceSelector: { matchLabels: { team: 'y' } } }), { app: 'other' }),
  },
  {
    name: 'affinity: pods of every namespace',
    objects: [...three, pod('a', 'n2', { ns: 'lab' })],
    pod: wanted(near(zone, { namespaceSelector: {} }), { app: 'other' }),
  },
  {
    name: 'affinity: its own kind, but named for another namespace',
    objects: three,
    pod: wanted(near(zone, { namespaces: ['lab'] })),
  },
  {
    name: 'affinity: two terms, the first of its kind for both',
    objects: three,
    pod: wanted({
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: zone, labelSelector: web },
            { topologyKey: host, labelSelector: web },
          ],
        },
      },
    }),
  },
  {
    name: 'affinity: two terms, one of them met by others only',
    objects: [...three, pod('a', 'n2', { labels: { app: 'db' } })],
    pod: wanted({
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: zone, labelSelector: web },
            { topologyKey: zone, labelSelector: { matchLabels: { app: 'db' } } },
          ],
        },
      },
    }),
  },
  {
    name: 'affinity: two terms met by different pods',
    objects: [...three, pod('a', 'n2', { labels: { app: 'db' } }), pod('b', 'n3')],
    pod: wanted(
      {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: zone, labelSelector: web },
              { topologyKey: zone, labelSelector: { matchLabels: { app: 'db' } } },
            ],
          },
        },
      },
      { app: 'x' },
    ),
  },
  {
    name: 'affinity: two terms, each met elsewhere',
    objects: [...three, pod('a', 'n2', { labels: { app: 'web', tier: 'db' } })],
    pod: wanted(
      {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: zone, labelSelector: web },
              { topologyKey: zone, labelSelector: { matchLabels: { tier: 'db' } } },
            ],
          },
        },
      },
      { app: 'x' },
    ),
  },
  {
    name: 'affinity: two terms, met in one zone by two pods, but by none alone',
    objects: [...three, pod('a', 'n2', { labels: { app: 'db' } }), pod('b', 'n2')],
    pod: wanted(
      {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: zone, labelSelector: web },
              { topologyKey: zone, labelSelector: { matchLabels: { app: 'db' } } },
            ],
          },
        },
      },
      { app: 'x' },
    ),
  },
  {
    name: 'affinity: matchLabelKeys',
    objects: [...three, pod('a', 'n2', { labels: { app: 'web', v: '1' } })],
    pod: wanted(near(zone, { matchLabelKeys: ['v'] }), { app: 'web', v: '2' }),
  },
  {
    name: 'affinity: mismatchLabelKeys',
    objects: [...three, pod('a', 'n2', { labels: { app: 'web', v: '1' } })],
    pod: wanted(near(zone, { mismatchLabelKeys: ['v'] }), { app: 'web', v: '1' }),
  },
  { name: 'anti-affinity: its own', objects: [...three, pod('a', 'n1'), pod('b', 'n2')], pod: wanted(apart(zone)) },
  {
    name: 'anti-affinity: in every zone',
    objects: [...three, pod('a', 'n1'), pod('b', 'n2'), pod('c', 'n3')],
    pod: wanted(apart(zone)),
  },
  {
    name: 'anti-affinity: does not apply to a node without the key',
    objects: [node('n1', 'a'), node('n2', undefined), pod('a', 'n1'), pod('b', 'n2')],
    pod: wanted(apart(zone)),
  },
  {
    name: 'anti-affinity: of existing pods',
    objects: [node('n1', 'a'), pod('a', 'n1', { spec: apart(zone), labels: { app: 'db' } })],
    pod: wanted({}),
  },
  {
    name: 'anti-affinity: of existing pods, in another namespace',
    objects: [node('n1', 'a'), pod('a', 'n1', { spec: apart(zone), ns: 'lab', labels: { app: 'db' } })],
    pod: wanted({}),
  },
  {
    name: 'anti-affinity: of existing pods, over selected namespaces',
    objects: [
      node('n1', 'a'),
      pod('a', 'n1', {
        spec: apart(zone, { namespaceSelector: { matchLabels: { team: 'x' } } }),
        ns: 'lab',
        labels: { app: 'db' },
      }),
    ],
    pod: wanted({}),
  },
  {
    name: 'anti-affinity: of existing pods, on a node without the key',
    objects: [node('n1', undefined), pod('a', 'n1', { spec: apart(zone), labels: { app: 'db' } })],
    pod: wanted({}),
  },

  { name: 'ports: taken', objects: [node('n1', 'a'), pod('a', 'n1', { spec: port(80) })], pod: wanted(port(80)) },
  {
    name: 'ports: another protocol',
    objects: [node('n1', 'a'), pod('a', 'n1', { spec: port(80) })],
    pod: wanted(port(80, { protocol: 'UDP' })),
  },
  {
    name: 'ports: two addresses',
    objects: [node('n1', 'a'), pod('a', 'n1', { spec: port(80, { hostIP: '127.0.0.1' }) })],
    pod: wanted(port(80, { hostIP: '127.0.0.2' })),
  },
  {
    name: 'ports: one on all addresses',
    objects: [node('n1', 'a'), pod('a', 'n1', { spec: port(80, { hostIP: '127.0.0.1' }) })],
    pod: wanted(port(80)),
  },
  {
    name: 'ports: 0.0.0.0 is all addresses',
    objects: [node('n1', 'a'), pod('a', 'n1', { spec: port(80, { hostIP: '0.0.0.0' }) })],
    pod: wanted(port(80, { hostIP: '127.0.0.1' })),
  },
  {
    name: 'ports: of an init container',
    objects: [node('n1', 'a'), pod('a', 'n1', { spec: port(80) })],
    pod: wanted({ initContainers: [{ name: 'i', image: 'i', ports: [{ containerPort: 80, hostPort: 80 }] }] }),
  },
  {
    name: 'ports: of a sidecar',
    objects: [node('n1', 'a'), pod('a', 'n1', { spec: port(80) })],
    pod: wanted({
      initContainers: [
        { name: 'i', image: 'i', restartPolicy: 'Always', ports: [{ containerPort: 80, hostPort: 80 }] },
      ],
    }),
  },
  {
    name: 'ports: of an existing init container',
    objects: [
      node('n1', 'a'),
      pod('a', 'n1', {
        spec: { initContainers: [{ name: 'i', image: 'i', ports: [{ containerPort: 80, hostPort: 80 }] }] },
      }),
    ],
    pod: wanted(port(80)),
  },
  {
    name: 'ports: on the host network',
    objects: [node('n1', 'a'), pod('a', 'n1', { spec: port(80) })],
    pod: wanted({ hostNetwork: true, containers: [{ name: 'main', image: 'main', ports: [{ containerPort: 80 }] }] }),
  },

  {
    name: 'volumes: bound to a zone',
    objects: [...three, late, volume('v', 'b'), claim('v', 'v')],
    pod: wanted(mounting('v')),
  },
  {
    name: 'volumes: bound to a zone that has no room',
    objects: [node('n1', 'a'), node('n2', 'b', { allocatable: { cpu: '0' } }), late, volume('v', 'b'), claim('v', 'v')],
    pod: wanted(mounting('v')),
  },
  {
    name: 'volumes: bound by a label',
    objects: [...three, late, volume('v', undefined, { labels: { [zone]: 'b' } }), claim('v', 'v')],
    pod: wanted(mounting('v')),
  },
  {
    name: 'volumes: bound by a label of several zones',
    objects: [...three, late, volume('v', undefined, { labels: { [zone]: 'y__b' } }), claim('v', 'v')],
    pod: wanted(mounting('v')),
  },
  {
    name: 'volumes: bound by an old label',
    objects: [
      ...three,
      late,
      volume('v', undefined, { labels: { 'failure-domain.beta.kubernetes.io/zone': 'b' } }),
      claim('v', 'v'),
    ],
    pod: wanted(mounting('v')),
  },
  {
    name: 'volumes: bound by a label, and no node has any',
    objects: [node('n1', undefined), late, volume('v', undefined, { labels: { [zone]: 'b' } }), claim('v', 'v')],
    pod: wanted(mounting('v')),
  },
  {
    name: 'volumes: two in different zones',
    objects: [...three, late, volume('v', 'b'), claim('v', 'v'), volume('w', 'c'), claim('w', 'w')],
    pod: wanted(mounting('v', 'w')),
  },
  { name: 'volumes: a missing claim', objects: three, pod: wanted(mounting('v')) },
  { name: 'volumes: late binding', objects: [...three, late, claim('v', undefined)], pod: wanted(mounting('v')) },
  {
    name: 'volumes: late binding where the class allows it',
    objects: [
      ...three,
      storageClass('late', { allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: ['c'] }] }] }),
      claim('v', undefined),
    ],
    pod: wanted(mounting('v')),
  },
  {
    name: 'volumes: late binding where the class allows no node',
    objects: [
      ...three,
      storageClass('late', { allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: ['z'] }] }] }),
      claim('v', undefined),
    ],
    pod: wanted(mounting('v')),
  },
  {
    name: 'volumes: immediate binding, not bound yet',
    objects: [...three, storageClass('late', { volumeBindingMode: 'Immediate' }), claim('v', undefined)],
    pod: wanted(mounting('v')),
  },
  {
    name: 'volumes: a missing class',
    objects: [...three, claim('v', undefined)],
    pod: wanted(mounting('v')),
  },
  {
    name: 'volumes: no class at all',
    objects: [...three, claim('v', undefined, { storageClassName: '' })],
    pod: wanted(mounting('v')),
  },
  {
    name: 'volumes: bound to a missing volume',
    objects: [...three, late, volume('other', undefined), claim('v', 'v')],
    pod: wanted(mounting('v')),
  },
  {
    name: 'volumes: named by the claim, but the binding is not complete',
    objects: [...three, late, volume('v', undefined), claim('v', 'v', {}), claim('u', undefined, { volumeName: 'v' })],
    pod: wanted(mounting('u')),
  },
  {
    name: 'volumes: late binding to an existing one',
    objects: [...three, storageClass('late', { provisioner: 'kubernetes.io/no-provisioner' }), claim('v', undefined)],
    pod: wanted(mounting('v')),
  },
  {
    name: 'volumes: ReadWriteOncePod in use',
    objects: [
      ...three,
      late,
      volume('v', undefined),
      claim('v', 'v', { accessModes: ['ReadWriteOncePod'] }),
      pod('a', 'n1', { spec: mounting('v') }),
    ],
    pod: wanted(mounting('v')),
  },
  {
    name: 'volumes: ReadWriteOncePod free',
    objects: [...three, late, volume('v', undefined), claim('v', 'v', { accessModes: ['ReadWriteOncePod'] })],
    pod: wanted(mounting('v')),
  },
  {
    name: 'volumes: generic ephemeral',
    objects: [...three, late],
    pod: wanted({
      volumes: [
        {
          name: 'tmp',
          ephemeral: {
            volumeClaimTemplate: {
              spec: {
                accessModes: ['ReadWriteOnce'],
                resources: { requests: { storage: '1Gi' } },
                storageClassName: 'late',
              },
            },
          },
        },
      ],
    }),
  },
  {
    name: 'attachments: none free',
    objects: [
      node('n1', 'a'),
      csiNode('n1', 1),
      late,
      volume('v', undefined),
      claim('v', 'v'),
      volume('w', undefined),
      claim('w', 'w'),
      pod('a', 'n1', { spec: mounting('v') }),
    ],
    pod: wanted(mounting('w')),
  },
  {
    name: 'attachments: one volume counts once',
    objects: [
      node('n1', 'a'),
      csiNode('n1', 1),
      late,
      volume('v', undefined),
      claim('v', 'v'),
      pod('a', 'n1', { spec: mounting('v') }),
    ],
    pod: wanted(mounting('v')),
  },
  {
    name: 'attachments: two claims of one handle',
    objects: [
      node('n1', 'a'),
      csiNode('n1', 1),
      late,
      volume('v', undefined),
      claim('v', 'v'),
      volume('w', undefined, { handle: 'v' }),
      claim('w', 'w'),
      pod('a', 'n1', { spec: mounting('v') }),
    ],
    pod: wanted(mounting('w')),
  },
  {
    name: 'attachments: a claim that is not bound yet',
    objects: [
      node('n1', 'a'),
      csiNode('n1', 1),
      late,
      volume('v', undefined),
      claim('v', 'v'),
      claim('w', undefined),
      pod('a', 'n1', { spec: mounting('v') }),
    ],
    pod: wanted(mounting('w')),
  },
  {
    name: 'attachments: a limit of 0',
    objects: [node('n1', 'a'), csiNode('n1', 0), late, volume('v', undefined), claim('v', 'v')],
    pod: wanted(mounting('v')),
  },
  {
    name: 'attachments: a node without a limit',
    objects: [node('n1', 'a'), late, volume('v', undefined), claim('v', 'v')],
    pod: wanted(mounting('v')),
  },
].map((each) => ({ ...each, objects: [shop, lab, ...each.objects] }));

/** A node that is drained, and whether its pods find places while it exists. */
export interface Drain {
  readonly name: string;
  readonly objects: readonly KubeObject[];
  readonly node: string;
  readonly fits: boolean;
}

const spreading = (name: string, on: string, key: string, more: Json = {}): KubeObject =>
  pod(name, on, { spec: spread(key, more) });
const oneEach = (key: string, more: Json = {}): readonly KubeObject[] => [
  ...three,
  spreading('a', 'n1', key, more),
  spreading('b', 'n2', key, more),
  spreading('c', 'n3', key, more),
];

export const drains: readonly Drain[] = [
  { name: 'a zone whose only node is drained is an empty domain', objects: oneEach(zone), node: 'n1', fits: false },
  {
    name: 'nodeTaintsPolicy Honor: it is not a domain',
    objects: oneEach(zone, { nodeTaintsPolicy: 'Honor' }),
    node: 'n1',
    fits: true,
  },
  { name: 'a host that is drained is an empty domain', objects: oneEach(host), node: 'n1', fits: false },
  {
    name: 'nodeTaintsPolicy Honor: the host is not a domain',
    objects: oneEach(host, { nodeTaintsPolicy: 'Honor' }),
    node: 'n1',
    fits: true,
  },
  {
    name: 'a zone with another node accepts them',
    objects: [...oneEach(zone), node('n4', 'a')],
    node: 'n1',
    fits: true,
  },
  { name: 'a skew of two leaves room', objects: oneEach(zone, { maxSkew: 2 }), node: 'n1', fits: true },
  {
    name: 'minDomains: the drained zone is one of them',
    objects: oneEach(zone, { maxSkew: 2, minDomains: 3 }),
    node: 'n1',
    fits: true,
  },
  {
    name: 'minDomains, if taints are honoured: it is missing',
    objects: [
      ...oneEach(zone, { maxSkew: 2, minDomains: 3, nodeTaintsPolicy: 'Honor' }),
      spreading('d', 'n2', zone, { maxSkew: 2, minDomains: 3, nodeTaintsPolicy: 'Honor' }),
      spreading('e', 'n3', zone, { maxSkew: 2, minDomains: 3, nodeTaintsPolicy: 'Honor' }),
    ],
    node: 'n1',
    fits: false,
  },
].map((each) => ({ ...each, objects: [shop, lab, ...each.objects] }));
