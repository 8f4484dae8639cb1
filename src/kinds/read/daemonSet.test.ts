// Tests of reading DaemonSets: what each of them puts on a new node.
import { describe, expect, it } from 'vitest';
import { tolerates } from '../../cluster/pod.ts';
import { readObject } from '../readObject.ts';
import type { Json } from './reader.ts';

function read(spec: Json) {
  const metadata = { namespace: 'kube-system', name: 'agent' };
  const result = readObject({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec: { template: { spec } } });
  if (result.kind !== 'DaemonSet') throw new Error('It is a DaemonSet');
  return result.record;
}

describe('F6: a DaemonSet', () => {
  it('asks for what its template asks for, and a place among the pods', () => {
    const containers = [{ resources: { requests: { cpu: '100m', memory: '1Gi' } } }];
    expect(read({ containers, nodeSelector: { os: 'linux' } })).toMatchObject({
      namespace: 'kube-system',
      name: 'agent',
      requests: { cpu: 100, memory: 2 ** 30, pods: 1 },
      nodeSelector: { labels: { os: 'linux' } },
    });
  });

  it.each([
    { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', hostNetwork: false, borne: true },
    { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute', hostNetwork: false, borne: true },
    { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule', hostNetwork: false, borne: false },
    { key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule', hostNetwork: false, borne: false },
    { key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule', hostNetwork: true, borne: true },
    { key: 'dedicated', effect: 'NoSchedule', hostNetwork: false, borne: true },
    { key: 'other', effect: 'NoSchedule', hostNetwork: false, borne: false },
  ])('bears $key:$effect = $borne, on the network of the host: $hostNetwork', ({ key, effect, hostNetwork, borne }) => {
    const { tolerations } = read({ hostNetwork, tolerations: [{ key: 'dedicated', operator: 'Exists' }] });
    expect(tolerates(tolerations, { key, effect })).toBe(borne);
  });
});
