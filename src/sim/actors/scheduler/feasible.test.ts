// The scheduler's filters, rule by rule.
import { describe, expect, it } from 'vitest';
import { node as bare, pod as made, type NodeParts, requests } from '../../../../test/sim/actorStage.ts';
import type { Json, KubeObject } from '../../kubeObject.ts';
import type { RawPodSpec, RawRequirement } from '../rawObjects.ts';
import { feasibleNodes } from './feasible.ts';

const zone = 'topology.kubernetes.io/zone';
const host = 'kubernetes.io/hostname';

const node = (name: string, where?: string, parts: NodeParts = {}): KubeObject =>
  bare(name, { ...parts, labels: { ...(where && { [zone]: where }), ...parts.labels } });

interface PodParts {
  readonly on?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly namespace?: string;
  readonly isDeleting?: boolean;
}

function pod(name: string, spec: RawPodSpec = {}, parts: PodParts = {}): KubeObject {
  const { on, labels = { app: 'web' }, namespace = 'shop', isDeleting } = parts;
  const object = made(name, { ...spec, ...(on && { nodeName: on }) }, { labels });
  const deletionTimestamp = isDeleting ? { deletionTimestamp: '2026-11-16T08:00:00Z' } : {};
  return { ...object, metadata: { ...object.metadata, namespace, ...deletionTimestamp } };
}

const web = { matchLabels: { app: 'web' } };
const spread = (more: Json = {}): RawPodSpec => ({
  topologySpreadConstraints: [
    { topologyKey: zone, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector: web, ...more },
  ],
});
const near = (...terms: Json[]): RawPodSpec => ({ affinity: { podAffinity: required(terms) } });
const apart = (...terms: Json[]): RawPodSpec => ({ affinity: { podAntiAffinity: required(terms) } });
const required = (terms: readonly Json[]) => ({
  requiredDuringSchedulingIgnoredDuringExecution: terms.map((term) => ({
    topologyKey: host,
    labelSelector: web,
    ...term,
  })),
});
const ports = (...given: Json[]): RawPodSpec => ({
  containers: [{ name: 'main', ports: given.map((port) => ({ containerPort: 80, hostPort: 80, ...port })) }],
});
const terms = (matchExpressions: RawRequirement[]): RawPodSpec => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  },
});

const mounts = (...names: string[]): RawPodSpec => ({
  volumes: names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
});

function claim(name: string, spec: Json = {}, annotations: Record<string, string> = {}): KubeObject {
  const bound = spec.volumeName === undefined ? {} : { 'pv.kubernetes.io/bind-completed': 'yes' };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'shop', annotations: { ...bound, ...annotations } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  };
}

function volume(name: string, spec: Json = {}, labels: Record<string, string> = {}): KubeObject {
  const csi = { driver: 'd', volumeHandle: name };
  const capacity = { storage: '1Gi' };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels },
    spec: { csi, capacity, accessModes: ['ReadWriteOnce'], ...spec },
    status: { phase: 'Available' },
  };
}

const inZone = (value: string): Json => ({
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: 'In', values: [value] }] }] },
  },
});
const storageClass = (name: string, more: Json = {}): KubeObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'd',
  volumeBindingMode: 'WaitForFirstConsumer',
  ...more,
});
const limit = (name: string, count?: number): KubeObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { name },
  spec: { drivers: [{ name: 'd', nodeID: name, ...(count !== undefined && { allocatable: { count } }) }] },
});
const namespace = (name: string, labels: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

interface Row {
  readonly it: string;
  readonly spec?: RawPodSpec;
  readonly parts?: PodParts;
  /** Beside nodes a and b, in zones za and zb. */
  readonly with?: readonly KubeObject[];
  /** Instead of them. */
  readonly nodes?: readonly KubeObject[];
  readonly on: readonly string[];
}

const ab = [node('a', 'za'), node('b', 'zb')];
const [onA, onB] = [{ on: 'a' }, { on: 'b' }];

function judge({ spec = {}, parts = {}, with: others = [], nodes = ab, on }: Row): void {
  const found = feasibleNodes(pod('p', spec, parts), [...nodes, ...others]);
  expect(found.nodes).toEqual(on);
  expect([...found.nodes, ...found.keptOff.keys()].sort()).toEqual(nodes.map(({ metadata }) => metadata.name).sort());
}

describe('F6: room, names, labels and taints', () => {
  it.each<Row>([
    { it: 'counts what other pods request', spec: requests('3'), with: [pod('x', requests('2'), onA)], on: ['b'] },
    {
      it: 'counts no pod that has ended',
      spec: requests('3'),
      with: [{ ...pod('x', requests('2'), onA), status: { phase: 'Succeeded' } }],
      on: ['a', 'b'],
    },
    {
      it: 'without requests needs only a pod slot on an overfull node',
      spec: { containers: [{ name: 'main' }] },
      with: [pod('x', requests('9'), onA)],
      on: ['a', 'b'],
    },
    { it: 'counts pods', nodes: [node('a', 'za', { pods: '1' })], with: [pod('x', {}, onA)], on: [] },
    { it: 'keeps to the node it names', spec: { nodeName: 'b' }, on: ['b'] },
    { it: 'keeps off cordons', nodes: [node('a', 'za', { unschedulable: true })], on: [] },
    {
      it: 'unless it tolerates them',
      spec: { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] },
      nodes: [node('a', 'za', { unschedulable: true })],
      on: ['a'],
    },
    {
      it: 'reads labels as numbers',
      spec: terms([{ key: 'gen', operator: 'Gt', values: ['3'] }]),
      nodes: [node('a', 'za', { labels: { gen: '4' } }), node('b', 'za', { labels: { gen: 'x' } })],
      on: ['a'],
    },
  ])('$it', judge);
});

describe('F6: topology spread', () => {
  it.each<Row>([
    { it: 'goes to the domain with fewer pods', spec: spread(), with: [pod('x', {}, onA)], on: ['b'] },
    { it: 'up to maxSkew', spec: spread({ maxSkew: 2 }), with: [pod('x', {}, onA)], on: ['a', 'b'] },
    {
      it: 'counts no other namespace',
      spec: spread(),
      with: [pod('x', {}, { ...onA, namespace: 'bank' })],
      on: ['a', 'b'],
    },
    {
      it: 'counts no pod that is being deleted',
      spec: spread(),
      with: [pod('x', {}, { ...onA, isDeleting: true })],
      on: ['a', 'b'],
    },
    {
      it: 'counts no pod for an empty selector',
      spec: spread({ labelSelector: {} }),
      with: [pod('x', {}, onA)],
      on: ['a', 'b'],
    },
    {
      it: 'counts itself only if its selector matches it',
      spec: spread(),
      parts: { labels: { app: 'db' } },
      with: [pod('x', {}, onA)],
      on: ['a', 'b'],
    },
    { it: 'needs the label', spec: spread(), nodes: [node('a', 'za'), node('c')], on: ['a'] },
    {
      it: 'takes the minimum for 0 with too few domains',
      spec: spread({ minDomains: 3 }),
      with: [pod('x', {}, onA), pod('y', {}, onB)],
      on: [],
    },
    {
      it: 'and not with enough',
      spec: spread({ minDomains: 2 }),
      with: [pod('x', {}, onA), pod('y', {}, onB)],
      on: ['a', 'b'],
    },
    {
      it: 'counts only its own revision with matchLabelKeys',
      spec: spread({ matchLabelKeys: ['rev', 'none'] }),
      parts: { labels: { app: 'web', rev: '2' } },
      with: [pod('x', {}, { ...onA, labels: { app: 'web', rev: '1' } })],
      on: ['a', 'b'],
    },
    {
      it: 'ignores domains that its nodeSelector excludes',
      spec: { ...spread(), nodeSelector: { [zone]: 'za' } },
      with: [pod('x', {}, onA)],
      on: ['a'],
    },
    {
      it: 'unless nodeAffinityPolicy is Ignore',
      spec: { ...spread({ nodeAffinityPolicy: 'Ignore' }), nodeSelector: { [zone]: 'za' } },
      with: [pod('x', {}, onA)],
      on: [],
    },
    {
      it: 'counts domains behind taints',
      spec: spread(),
      nodes: [node('a', 'za'), node('b', 'zb', { taints: [{ key: 't', effect: 'NoSchedule' }] })],
      with: [pod('x', {}, onA)],
      on: [],
    },
    {
      it: 'unless nodeTaintsPolicy is Honor',
      spec: spread({ nodeTaintsPolicy: 'Honor' }),
      nodes: [node('a', 'za'), node('b', 'zb', { taints: [{ key: 't', effect: 'NoSchedule' }] })],
      with: [pod('x', {}, onA)],
      on: ['a'],
    },
    {
      it: 'is only a preference with ScheduleAnyway',
      spec: spread({ whenUnsatisfiable: 'ScheduleAnyway' }),
      with: [pod('x', {}, onA)],
      on: ['a', 'b'],
    },
    {
      it: 'counts no node that lacks the key of another constraint',
      spec: {
        topologySpreadConstraints: [
          ...(spread().topologySpreadConstraints ?? []),
          ...(spread({ topologyKey: 'rack', maxSkew: 9 }).topologySpreadConstraints ?? []),
        ],
      },
      nodes: [node('a', 'za', { labels: { rack: '1' } }), node('b', 'zb')],
      with: [pod('x', {}, onA)],
      on: ['a'],
    },
  ])('$it', judge);
});

describe('F6: affinity of pods', () => {
  it.each<Row>([
    { it: 'is near the pods it wants', spec: near({}), with: [pod('x', {}, onA)], on: ['a'] },
    {
      it: 'over the whole zone',
      spec: near({ topologyKey: zone }),
      nodes: [...ab, node('c', 'za')],
      with: [pod('x', {}, onA)],
      on: ['a', 'c'],
    },
    { it: 'may be the first pod that its own term matches', spec: near({}), on: ['a', 'b'] },
    {
      it: 'on a node with the topology key',
      spec: near({ topologyKey: zone }),
      nodes: [node('a', 'za'), node('c')],
      on: ['a'],
    },
    { it: 'not if its term matches other pods only', spec: near({}), parts: { labels: { app: 'db' } }, on: [] },
    {
      it: 'needs a pod that all its terms match',
      spec: near({}, { labelSelector: { matchLabels: { tier: 'x' } } }),
      parts: { labels: { app: 'web', tier: 'x' } },
      with: [
        pod('x', {}, onA),
        pod('y', {}, { ...onA, labels: { tier: 'x' } }),
        pod('z', {}, { ...onB, labels: { app: 'web', tier: 'x' } }),
      ],
      on: ['b'],
    },
    {
      it: 'counts pods that are being deleted',
      spec: near({}),
      with: [pod('x', {}, { ...onA, isDeleting: true })],
      on: ['a'],
    },
    {
      it: 'looks in its own namespace',
      spec: near({}),
      parts: { labels: { app: 'db' } },
      with: [pod('x', {}, { ...onA, namespace: 'bank' })],
      on: [],
    },
    {
      it: 'or in those named',
      spec: near({ namespaces: ['bank'] }),
      with: [pod('x', {}, { ...onA, namespace: 'bank' })],
      on: ['a'],
    },
    {
      it: 'or in those with such labels',
      spec: near({ namespaceSelector: { matchLabels: { team: 'red' } } }),
      with: [namespace('bank', { team: 'red' }), pod('x', {}, { ...onA, namespace: 'bank' })],
      on: ['a'],
    },
    {
      it: 'or in all',
      spec: near({ namespaceSelector: {} }),
      with: [pod('x', {}, { ...onA, namespace: 'bank' })],
      on: ['a'],
    },
    { it: 'stays away from the pods it avoids', spec: apart({}), with: [pod('x', {}, onA)], on: ['b'] },
    {
      it: 'and from no pod if the nodes lack the topology key',
      spec: apart({ topologyKey: 'rack' }),
      with: [pod('x', {}, onA)],
      on: ['a', 'b'],
    },
    {
      it: 'is kept away by those already there',
      with: [pod('x', apart({ topologyKey: zone }), onA)],
      nodes: [...ab, node('c', 'za')],
      on: ['b'],
    },
    {
      it: 'also from another namespace',
      with: [
        namespace('shop', { team: 'red' }),
        pod('x', apart({ namespaceSelector: { matchLabels: { team: 'red' } } }), { ...onA, namespace: 'bank' }),
      ],
      on: ['b'],
    },
    {
      it: 'unless their term does not match it',
      with: [pod('x', apart({ labelSelector: { matchLabels: { app: 'db' } } }), onA)],
      on: ['a', 'b'],
    },
    {
      it: 'avoids its own revision with matchLabelKeys, and other tenants with mismatchLabelKeys',
      spec: apart({ matchLabelKeys: ['rev'] }, { mismatchLabelKeys: ['tenant'] }),
      parts: { labels: { app: 'web', rev: '2', tenant: 'x' } },
      with: [
        pod('x', {}, { ...onA, labels: { app: 'web', rev: '1', tenant: 'x' } }),
        pod('y', {}, { ...onB, labels: { app: 'web', rev: '1', tenant: 'y' } }),
      ],
      on: ['a'],
    },
  ])('$it', judge);
});

describe('F6: host ports', () => {
  it.each<Row>([
    { it: 'belong to one pod', spec: ports({}), with: [pod('x', ports({}), onA)], on: ['b'] },
    { it: 'by protocol', spec: ports({ protocol: 'UDP' }), with: [pod('x', ports({}), onA)], on: ['a', 'b'] },
    {
      it: 'by address',
      spec: ports({ hostIP: '10.0.0.1' }),
      with: [pod('x', ports({ hostIP: '10.0.0.2' }), onA)],
      on: ['a', 'b'],
    },
    {
      it: 'where no address is all of them',
      spec: ports({ hostIP: '10.0.0.1' }),
      with: [pod('x', ports({}), onA)],
      on: ['b'],
    },
    {
      it: 'as 0.0.0.0 is',
      spec: ports({ hostIP: '0.0.0.0' }),
      with: [pod('x', ports({ hostIP: '10.0.0.2' }), onA)],
      on: ['b'],
    },
    {
      it: 'of init containers count for nothing',
      spec: { initContainers: ports({}).containers ?? [] },
      with: [pod('x', ports({}), onA)],
      on: ['a', 'b'],
    },
  ])('$it', judge);
});

describe('F6: volumes', () => {
  const boundTo = (name: string): KubeObject => claim('data', { volumeName: name });
  it.each<Row>([
    { it: 'keep to their zone', spec: mounts('data'), with: [boundTo('v'), volume('v', inZone('zb'))], on: ['b'] },
    {
      it: 'by label too',
      spec: mounts('data'),
      with: [boundTo('v'), volume('v', {}, { [zone]: 'zb__zc' })],
      on: ['b'],
    },
    {
      it: 'also the old one',
      spec: mounts('data'),
      with: [boundTo('v'), volume('v', {}, { 'failure-domain.beta.kubernetes.io/zone': 'za' })],
      on: ['a'],
    },
    {
      it: 'but not if a node has no zone label',
      spec: mounts('data'),
      nodes: [node('c')],
      with: [boundTo('v'), volume('v', {}, { [zone]: 'zb' })],
      on: ['c'],
    },
    { it: 'must be there', spec: mounts('data'), with: [boundTo('v')], on: [] },
    { it: 'need a claim', spec: mounts('data'), on: [] },
    {
      it: 'that is bound',
      spec: mounts('data'),
      with: [claim('data', { storageClassName: 'now' }), storageClass('now', { volumeBindingMode: 'Immediate' })],
      on: [],
    },
    {
      it: 'or waits for its pod',
      spec: mounts('data'),
      with: [claim('data', { storageClassName: 'late' }), storageClass('late')],
      on: ['a', 'b'],
    },
    {
      it: 'and is created in the zones of its class',
      spec: mounts('data'),
      with: [
        claim('data', { storageClassName: 'late' }),
        storageClass('late', { allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: ['zb'] }] }] }),
      ],
      on: ['b'],
    },
    {
      it: 'and where it is being made',
      spec: mounts('data'),
      with: [
        claim('data', { storageClassName: 'late' }, { 'volume.kubernetes.io/selected-node': 'b' }),
        storageClass('late'),
      ],
      on: ['b'],
    },
    {
      it: 'or is found',
      spec: mounts('data'),
      with: [
        claim('data', { storageClassName: 'local' }),
        storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' }),
        volume('small', { ...inZone('za'), storageClassName: 'local', capacity: { storage: '1Mi' } }),
        volume('large', { ...inZone('zb'), storageClassName: 'local', capacity: { storage: '2Gi' } }),
      ],
      on: ['b'],
    },
    {
      it: 'are attached up to the limit of the node',
      spec: mounts('data'),
      with: [
        limit('a', 1),
        limit('b'),
        boundTo('v'),
        volume('v'),
        claim('other', { volumeName: 'w' }),
        volume('w'),
        pod('x', mounts('other'), onA),
      ],
      on: ['b'],
    },
    {
      it: 'counting each once',
      spec: mounts('data'),
      with: [limit('a', 1), boundTo('v'), volume('v'), pod('x', mounts('data'), onA)],
      on: ['a', 'b'],
    },
    {
      it: 'counting those that are still to be created too',
      spec: mounts('data'),
      with: [limit('a', 0), claim('data', { storageClassName: 'late' }), storageClass('late')],
      on: ['b'],
    },
    {
      it: 'for one pod alone are for one pod',
      spec: mounts('data'),
      with: [
        claim('data', { volumeName: 'v', accessModes: ['ReadWriteOncePod'] }),
        volume('v'),
        pod('x', mounts('data'), onA),
      ],
      on: [],
    },
  ])('$it', judge);
});
