// Tests of reading pod scheduling constraints as kube-scheduler reads them.
import { describe, expect, it } from 'vitest';
import type { Scheduling } from '../../cluster/scheduling.ts';
import { readObject } from '../readObject.ts';
import type { Json } from './reader.ts';

const nothing: Scheduling = { spread: [], near: [], apart: [], likes: [], hostPorts: [], volumeClaims: [] };
const zone = 'topology.kubernetes.io/zone';
const web = { matchLabels: { app: 'web' } };
const isWeb = { key: 'app', operator: 'In', values: ['web'] };
const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

function read(spec: Json, labels: Json = { app: 'web', hash: '7' }) {
  const metadata = { namespace: 'shop', name: 'web-0', labels };
  const result = readObject({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
  if (result.kind !== 'Pod') throw new Error('It is a pod');
  return result;
}

const schedulingOf = (spec: Json): Scheduling | undefined => read(spec).record.scheduling;

describe('F6: a pod that asks nothing has no scheduling', () => {
  it.each<{ name: string; spec: Json }>([
    { name: 'nothing at all', spec: {} },
    { name: 'empty lists', spec: { affinity: {}, topologySpreadConstraints: [], volumes: [] } },
    { name: 'a required node', spec: { affinity: { nodeAffinity: { [required]: { nodeSelectorTerms: [] } } } } },
    { name: 'ports of its own', spec: { containers: [{ ports: [{ containerPort: 80 }] }] } },
    { name: 'volumes without claims', spec: { volumes: [{ name: 'tmp', emptyDir: {} }] } },
    {
      name: 'a port of what runs once before it',
      spec: { initContainers: [{ ports: [{ containerPort: 80, hostPort: 80 }] }] },
    },
  ])('$name', ({ spec }) => {
    expect(read(spec).record).not.toHaveProperty('scheduling');
    expect(read(spec).faults).toEqual([]);
  });
});

describe('F6: topology spread', () => {
  const constraint = { topologyKey: zone, maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule', labelSelector: web };
  const plain = {
    topologyKey: zone,
    maxSkew: 2,
    isHard: true,
    selector: { requirements: [isWeb] },
    honoursAffinity: true,
    honoursTaints: false,
  };

  it.each<{ name: string; more: Json; expected: Json }>([
    { name: 'the defaults', more: {}, expected: {} },
    { name: 'a preference', more: { whenUnsatisfiable: 'ScheduleAnyway' }, expected: { isHard: false } },
    { name: 'domains that must be there', more: { minDomains: 3 }, expected: { minDomains: 3 } },
    {
      name: 'the two policies',
      more: { nodeAffinityPolicy: 'Ignore', nodeTaintsPolicy: 'Honor' },
      expected: { honoursAffinity: false, honoursTaints: true },
    },
    {
      name: 'label keys with the values of the pod, as far as it has them',
      more: { matchLabelKeys: ['hash', 'unknown'] },
      expected: { selector: { requirements: [isWeb, { key: 'hash', operator: 'In', values: ['7'] }] } },
    },
    {
      name: 'label keys that the API server has written into the selector already',
      more: {
        labelSelector: { ...web, matchExpressions: [{ key: 'hash', operator: 'In', values: ['7'] }] },
        matchLabelKeys: ['hash'],
      },
      expected: { selector: { requirements: [isWeb, { key: 'hash', operator: 'In', values: ['7'] }] } },
    },
    {
      name: 'no selector, which matches no pod',
      more: { labelSelector: null },
      expected: { selector: { requirements: [], nothing: true } },
    },
    { name: 'an empty selector', more: { labelSelector: {} }, expected: { selector: { requirements: [] } } },
  ])('$name', ({ more, expected }) => {
    const scheduling = schedulingOf({ topologySpreadConstraints: [{ ...constraint, ...more }] });
    expect(scheduling).toEqual({ ...nothing, spread: [{ ...plain, ...expected }] });
  });
});

describe('F6: pods beside it, and pods that may not be', () => {
  const term = { topologyKey: zone, labelSelector: web };
  const plain = { topologyKey: zone, selector: { requirements: [isWeb] }, namespaces: ['shop'] };

  it.each<{ name: string; more: Json; expected: Json }>([
    { name: 'its own namespace by default', more: {}, expected: {} },
    { name: 'namespaces by name', more: { namespaces: ['a', 'b'] }, expected: { namespaces: ['a', 'b'] } },
    {
      name: 'every namespace',
      more: { namespaceSelector: {} },
      expected: { namespaces: [], namespaceSelector: { requirements: [] } },
    },
    {
      name: 'namespaces by label beside one by name',
      more: { namespaces: ['a'], namespaceSelector: web },
      expected: { namespaces: ['a'], namespaceSelector: { requirements: [isWeb] } },
    },
    {
      name: 'label keys that match and do not',
      more: { matchLabelKeys: ['hash'], mismatchLabelKeys: ['app'] },
      expected: {
        selector: {
          requirements: [
            isWeb,
            { key: 'hash', operator: 'In', values: ['7'] },
            { key: 'app', operator: 'NotIn', values: ['web'] },
          ],
        },
      },
    },
  ])('$name', ({ more, expected }) => {
    const terms = [{ ...term, ...more }];
    const near = schedulingOf({ affinity: { podAffinity: { [required]: terms } } });
    const apart = schedulingOf({ affinity: { podAntiAffinity: { [required]: terms } } });
    expect(near).toEqual({ ...nothing, near: [{ ...plain, ...expected }] });
    expect(apart).toEqual({ ...nothing, apart: [{ ...plain, ...expected }] });
  });

  it('preferences of nodes and pods, with their weights', () => {
    const preference = { matchExpressions: [{ key: zone, operator: 'In', values: ['a'] }] };
    const affinity = {
      nodeAffinity: { [preferred]: [{ weight: 1, preference }] },
      podAffinity: { [preferred]: [{ weight: 2, podAffinityTerm: term }] },
      podAntiAffinity: { [preferred]: [{ weight: 3, podAffinityTerm: term }] },
    };
    expect(schedulingOf({ affinity })?.likes).toEqual([
      { weight: 1, node: { labels: [{ key: zone, operator: 'In', values: ['a'] }], names: [] } },
      { weight: 2, near: plain },
      { weight: 3, apart: plain },
    ]);
  });
});

describe('F6: ports of the host', () => {
  it.each<{ name: string; spec: Json; ports: Scheduling['hostPorts'] }>([
    {
      name: 'of containers and sidecars, on every address unless one is named',
      spec: {
        containers: [
          { ports: [{ hostPort: 80 }, { hostPort: 53, protocol: 'UDP', hostIP: '10.0.0.1' }, { containerPort: 9 }] },
        ],
        initContainers: [{ restartPolicy: 'Always', ports: [{ hostPort: 81, hostIP: '0.0.0.0' }] }],
      },
      ports: [
        { ip: '', protocol: 'TCP', port: 80 },
        { ip: '10.0.0.1', protocol: 'UDP', port: 53 },
        { ip: '', protocol: 'TCP', port: 81 },
      ],
    },
    {
      name: 'every port of a pod on the network of its host',
      spec: { hostNetwork: true, containers: [{ ports: [{ containerPort: 9100 }] }] },
      ports: [{ ip: '', protocol: 'TCP', port: 9100 }],
    },
  ])('$name', ({ spec, ports }) => {
    expect(schedulingOf(spec)).toEqual({ ...nothing, hostPorts: ports });
  });
});

it('F6: claims that it names, and those that are made for it', () => {
  const volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: 'data-0' } },
    { name: 'again', persistentVolumeClaim: { claimName: 'data-0' } },
    { name: 'scratch', ephemeral: { volumeClaimTemplate: {} } },
    { name: 'token', projected: {} },
  ];
  expect(schedulingOf({ volumes })).toEqual({ ...nothing, volumeClaims: ['shop/data-0', 'shop/web-0-scratch'] });
});

describe('No node satisfies a required constraint that cannot be read', () => {
  it.each<{ name: string; spec: Json }>([
    { name: 'a skew', spec: { topologySpreadConstraints: [{ topologyKey: zone, maxSkew: 0 }] } },
    { name: 'a missing skew', spec: { topologySpreadConstraints: [{ topologyKey: zone }] } },
    { name: 'a missing key', spec: { topologySpreadConstraints: [{ maxSkew: 1 }] } },
    { name: 'constraints that are not a list', spec: { topologySpreadConstraints: 'even' } },
    { name: 'an affinity that is not a map', spec: { affinity: 'close' } },
    { name: 'a node affinity that is not a map', spec: { affinity: { nodeAffinity: 'close' } } },
    {
      name: 'a node affinity that is not a map, beside a valid pod affinity',
      spec: {
        affinity: {
          nodeAffinity: 'close',
          podAffinity: { [required]: [{ topologyKey: zone, labelSelector: web }] },
        },
      },
    },
    {
      name: 'a selector',
      spec: {
        affinity: {
          podAntiAffinity: {
            [required]: [{ topologyKey: zone, labelSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } }],
          },
        },
      },
    },
    { name: 'a port', spec: { containers: [{ ports: [{ hostPort: '80' }] }] } },
    { name: 'the network it is on', spec: { hostNetwork: 'yes' } },
    {
      name: 'whether a container with a port stays',
      spec: { initContainers: [{ restartPolicy: true, ports: [{ hostPort: 80 }] }] },
    },
    { name: 'a claim', spec: { volumes: [{ name: 'data', persistentVolumeClaim: {} }] } },
    { name: 'an ephemeral volume', spec: { volumes: [{ name: 'scratch', ephemeral: true }] } },
    { name: 'volumes that are not a list', spec: { volumes: 'many' } },
  ])('$name', ({ spec }) => {
    const { record, faults } = read(spec);
    expect(record.nodeSelector).toEqual({ labels: {}, terms: [] });
    expect(faults).not.toEqual([]);
  });

  it('a preference that cannot be read is ignored, and blocks nothing', () => {
    const affinity = { nodeAffinity: { [preferred]: [{ weight: 1000, preference: {} }] } };
    const { record, faults } = read({ affinity });
    expect(record).toMatchObject({ scheduling: { likes: [] } });
    expect(record).not.toHaveProperty('nodeSelector');
    expect(faults).toHaveLength(1);
  });
});

describe('Pods of one template share their constraints', () => {
  const spec = (extra: Json = {}): Json => ({
    topologySpreadConstraints: [{ topologyKey: zone, maxSkew: 1, labelSelector: web, ...extra }],
  });

  it('equal constraints are one object', () => {
    expect(read(spec()).record.scheduling).toBe(read(spec()).record.scheduling);
  });

  it('pods with different values of a matchLabelKeys label do not share', () => {
    const keys = { matchLabelKeys: ['hash'] };
    const of = (hash: string): Scheduling | undefined => read(spec(keys), { app: 'web', hash }).record.scheduling;
    expect(of('7')).not.toEqual(of('8'));
  });

  it('faults are reported for each pod', () => {
    const wrong = spec({ minDomains: 0 });
    expect([read(wrong).faults.length, read(wrong).faults.length]).toEqual([1, 1]);
  });

  // JSON serializes these numbers as null, which is valid here, while they are not.
  it.each([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])(
    'a selector of %s is reported for each pod, even after a pod without a selector, and is not shared',
    (none) => {
      const sound = { whenUnsatisfiable: null, matchLabelKeys: null, app: 'nullable' };
      const before = read(spec({ ...sound, labelSelector: null }));
      const wrongs = [1, 2].map(() => read(spec({ ...sound, labelSelector: none })));
      const after = read(spec({ ...sound, labelSelector: null }));
      expect(wrongs.map(({ faults }) => faults.map(({ path }) => path))).toEqual([
        ['spec.topologySpreadConstraints[0].labelSelector'],
        ['spec.topologySpreadConstraints[0].labelSelector'],
      ]);
      for (const { record } of wrongs) expect(record.nodeSelector).toEqual({ labels: {}, terms: [] });
      expect([before.faults, after.faults]).toEqual([[], []]);
      expect(after.record.scheduling).toBe(before.record.scheduling);
      const [first, second] = wrongs.map(({ record }) => record.scheduling);
      expect(new Set([first, second, after.record.scheduling]).size).toBe(3);
    },
  );
});
