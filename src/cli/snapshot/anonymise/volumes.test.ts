// Tests that volumes and pod placement rules keep their meaning in an anonymised snapshot.
import { describe, expect, it } from 'vitest';
import { changesOf, type Plain, storeOf } from '../../../../test/build.ts';
import type { Json } from '../../../kinds/read/reader.ts';
import { anonymise } from './anonymise.ts';

const term = {
  topologyKey: 'acme.example/rack',
  labelSelector: { matchLabels: { 'acme-app': 'acme-web' } },
  namespaces: ['acme-shop'],
  namespaceSelector: { matchLabels: { 'acme-team': 'acme-a' } },
  matchLabelKeys: ['acme-hash'],
};
const nodeTerm = { matchExpressions: [{ key: 'acme.example/rack', operator: 'In', values: ['acme-r1'] }] };
const objects: readonly Plain[] = [
  { apiVersion: 'v1', kind: 'Node', metadata: { name: 'acme-n1', labels: { 'acme.example/rack': 'acme-r1' } } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'acme-shop', labels: { 'acme-team': 'acme-a' } } },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'acme-shop',
      name: 'acme-0',
      labels: { 'acme-app': 'acme-web', 'acme-hash': 'acme-7' },
    },
    spec: {
      nodeName: 'acme-n1',
      containers: [{ name: 'acme-c', resources: { requests: { cpu: '1' } }, ports: [{ hostPort: 80 }] }],
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
      topologySpreadConstraints: [{ topologyKey: 'acme.example/rack', maxSkew: 1, labelSelector: term.labelSelector }],
      volumes: [
        { name: 'acme-data', persistentVolumeClaim: { claimName: 'acme-data-0' } },
        { name: 'acme-tmp', ephemeral: { volumeClaimTemplate: {} } },
      ],
    },
    status: { containerStatuses: [{ name: 'acme-c', resources: { requests: { cpu: '2' } } }] },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'acme-shop', name: 'acme-data-0' },
    spec: { volumeName: 'acme-pv', storageClassName: 'acme-fast' },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace: 'acme-shop',
      name: 'acme-0-acme-tmp',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'acme-0', uid: 'acme-u', controller: true }],
    },
    spec: { storageClassName: 'acme-fast' },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'acme-pv' },
    spec: {
      csi: { driver: 'csi.acme.example', volumeHandle: 'acme-vol' },
      nodeAffinity: { required: { nodeSelectorTerms: [nodeTerm] } },
    },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'acme-fast' },
    provisioner: 'csi.acme.example',
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'acme.example/rack', values: ['acme-r1'] }] }],
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name: 'acme-n1' },
    spec: { drivers: [{ name: 'csi.acme.example', allocatable: { count: 3 } }] },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { namespace: 'acme-shop', name: 'acme-agent' },
    spec: {
      template: { spec: { nodeSelector: { 'acme.example/rack': 'acme-r1' }, containers: [{ name: 'acme-c' }] } },
    },
  },
];

describe('F6: a masked cluster', () => {
  const { objects: masked } = anonymise(objects as readonly Json[]);
  const { volumes, nodes, daemonSets, namespaceLabels } = (() => {
    const store = storeOf(...masked);
    const labels = (name: string) => store.namespaceLabels(name);
    const { volumes, nodes, daemonSets } = store;
    return { volumes, nodes, daemonSets, namespaceLabels: labels };
  })();
  const [node] = nodes;
  const [pod] = node?.pods ?? [];

  it('has every object, and no original name', () => {
    expect(JSON.stringify(masked)).not.toContain('acme');
    expect(masked).toHaveLength(objects.length);
  });

  it('is read without faults', () => {
    expect(changesOf(masked).flatMap((change) => ('put' in change ? (change.faults ?? []) : []))).toEqual([]);
  });

  it('keeps each claim with its volume, class, driver and limit', () => {
    const [data, scratch] = (pod?.scheduling?.volumeClaims ?? []).map((key) => volumes.claim(key));
    expect(scratch?.isEphemeral).toBe(true);
    const volume = volumes.volume(data?.volume ?? '');
    const [requirement] = volume?.nodeTerms?.[0]?.labels ?? [];
    expect(node?.node.labels[requirement?.key ?? '']).toBe(requirement?.values[0]);
    const storageClass = volumes.storageClass(scratch?.storageClass ?? '');
    expect(storageClass?.provisioner).toBe(volume?.driver);
    expect(storageClass?.topologies).toEqual([[requirement]]);
    expect(volumes.attachLimits(node?.node.name ?? '')?.drivers[volume?.driver ?? '']).toBe(3);
  });

  it('keeps selectors that match the same pods, namespaces and nodes', () => {
    const [apart] = pod?.scheduling?.apart ?? [];
    const labels = pod?.labels ?? {};
    expect(apart?.selector.requirements.map(({ key, values }) => [labels[key], values[0]])).toEqual(
      Object.values(labels).map((value) => [value, value]),
    );
    expect(apart?.namespaces).toEqual([pod?.namespace]);
    const [team] = apart?.namespaceSelector?.requirements ?? [];
    expect(namespaceLabels(pod?.namespace ?? '')[team?.key ?? '']).toBe(team?.values[0]);
    expect(node?.node.labels).toHaveProperty([apart?.topologyKey ?? '']);
    expect(pod?.requests.cpu).toBe(2000);
    expect(Object.entries(daemonSets[0]?.nodeSelector?.labels ?? {})).toEqual([
      [apart?.topologyKey, node?.node.labels[apart?.topologyKey ?? '']],
    ]);
  });
});
