// Rules about other pods: ports, spread, affinity, anti-affinity.
import { describe, expect, it } from 'vitest';
import { machine, noon, type Objects, type Plain, pod, zone } from '../../../test/build.ts';
import { whereFits } from '../../../test/placement/boards.ts';

type PodParts = NonNullable<Parameters<typeof pod>[2]>;
const host = 'kubernetes.io/hostname';
const waits = (parts: PodParts = {}): Plain => pod('new', '', { phase: 'Pending', ...parts });

/** n1 and n2 in zone a, n3 in zone b, n4 in none. */
const zones: Objects = [
  machine('n1', { zone: 'a' }),
  machine('n2', { zone: 'a' }),
  machine('n3', { zone: 'b' }),
  machine('n4'),
];
const web = { matchLabels: { app: 'web' } };
const spread = (more: Plain = {}): PodParts => ({
  spec: {
    topologySpreadConstraints: [
      { topologyKey: zone, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector: web, ...more },
    ],
  },
});
const required = (kind: 'podAffinity' | 'podAntiAffinity', topologyKey: string, more: Plain = {}): PodParts => ({
  spec: {
    affinity: {
      [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: web, ...more }] },
    },
  },
});

describe('F6: topology spread', () => {
  const one = pod('a', 'n1');
  it.each([
    { it: 'goes where fewer are', pod: spread(), there: [one], fits: ['n3'] },
    {
      it: 'goes anywhere while even, but not where the key is missing',
      pod: spread(),
      there: [],
      fits: ['n1', 'n2', 'n3'],
    },
    { it: 'may differ by maxSkew', pod: spread({ maxSkew: 2 }), there: [one], fits: ['n1', 'n2', 'n3'] },
    {
      it: 'counts its own namespace alone',
      pod: spread(),
      there: [pod('a', 'n1', { namespace: 'bank' })],
      fits: ['n1', 'n2', 'n3'],
    },
    {
      it: 'counts none that terminate',
      pod: spread(),
      there: [pod('a', 'n1', { deleted: noon })],
      fits: ['n1', 'n2', 'n3'],
    },
    {
      it: 'counts none, where there are fewer domains than minDomains',
      pod: spread({ minDomains: 3 }),
      there: [one],
      fits: ['n3'],
    },
    {
      it: 'holds all back, where each has one and there are fewer than minDomains',
      pod: spread({ minDomains: 3 }),
      there: [one, pod('b', 'n3')],
      fits: [],
    },
    {
      it: 'prefers only, with ScheduleAnyway',
      pod: spread({ whenUnsatisfiable: 'ScheduleAnyway' }),
      there: [one],
      fits: ['n1', 'n2', 'n3', 'n4'],
    },
    {
      it: 'leaves out domains that its selector leaves out',
      pod: { spec: { ...spread().spec, nodeSelector: { [zone]: 'a' } } },
      there: [one],
      fits: ['n1', 'n2'],
    },
    {
      it: 'counts them though, where it ignores its selector',
      pod: { spec: { ...spread({ nodeAffinityPolicy: 'Ignore' }).spec, nodeSelector: { [zone]: 'a' } } },
      there: [one],
      fits: [],
    },
  ])('$it', ({ pod: parts, there, fits }) => {
    expect(whereFits(waits(parts), [...zones, ...there])).toEqual(fits);
  });

  it('leaves out tainted domains only where it honours taints', () => {
    const tainted = machine('n5', { zone: 'c', spec: { taints: [{ key: 'team', effect: 'NoSchedule' }] } });
    const there = [...zones, tainted, pod('a', 'n1'), pod('b', 'n3')];
    expect(whereFits(waits(spread()), there)).toEqual([]);
    expect(whereFits(waits(spread({ nodeTaintsPolicy: 'Honor' })), there)).toEqual(['n1', 'n2', 'n3']);
  });
});

describe('F6: pod affinity and anti-affinity', () => {
  const other = { labels: { app: 'db' } };
  it.each([
    {
      it: 'near: in the zone of the other',
      pod: required('podAffinity', zone),
      there: [pod('a', 'n1')],
      fits: ['n1', 'n2'],
    },
    {
      it: 'near: anywhere with the key, where it is the first of its kind',
      pod: required('podAffinity', zone),
      there: [],
      fits: ['n1', 'n2', 'n3'],
    },
    {
      it: 'near: nowhere, where it looks for others than its kind',
      pod: { ...required('podAffinity', zone), ...other },
      there: [],
      fits: [],
    },
    {
      it: 'apart: not in the zone of the other',
      pod: required('podAntiAffinity', zone),
      there: [pod('a', 'n1')],
      fits: ['n3', 'n4'],
    },
    {
      it: 'apart: on another host',
      pod: required('podAntiAffinity', host),
      there: [pod('a', 'n1')],
      fits: ['n2', 'n3', 'n4'],
    },
    {
      it: 'apart: the other says so',
      pod: {},
      there: [pod('a', 'n1', { ...other, ...required('podAntiAffinity', zone) })],
      fits: ['n3', 'n4'],
    },
    {
      it: 'apart: of its own namespace',
      pod: required('podAntiAffinity', host),
      there: [pod('a', 'n1', { namespace: 'bank' })],
      fits: ['n1', 'n2', 'n3', 'n4'],
    },
    {
      it: 'apart: of a namespace that is named',
      pod: required('podAntiAffinity', host, { namespaces: ['bank'] }),
      there: [pod('a', 'n1', { namespace: 'bank' }), pod('b', 'n2')],
      fits: ['n2', 'n3', 'n4'],
    },
    {
      it: 'apart: of every namespace',
      pod: required('podAntiAffinity', host, { namespaceSelector: {} }),
      there: [pod('a', 'n1', { namespace: 'bank' }), pod('b', 'n2')],
      fits: ['n3', 'n4'],
    },
    {
      it: 'apart: of those that a selector without labels means: of all, as kube-scheduler 1.36 has it',
      pod: required('podAntiAffinity', host, {
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['bank'] }],
        },
      }),
      there: [pod('a', 'n1', { namespace: 'bank' })],
      fits: ['n2', 'n3', 'n4'],
    },
  ])('$it', ({ pod: parts, there, fits }) => {
    expect(whereFits(waits(parts), [...zones, ...there])).toEqual(fits);
  });

  it('one pod must be all that several terms look for', () => {
    const terms = [
      { topologyKey: zone, labelSelector: web },
      { topologyKey: zone, labelSelector: { matchLabels: { tier: 'front' } } },
    ];
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
    const wants = waits({ labels: { app: 'x' }, spec: { affinity } });
    const apart = [pod('a', 'n1'), pod('b', 'n2', { labels: { tier: 'front' } })];
    expect(whereFits(wants, [...zones, ...apart])).toEqual([]);
    const both = pod('c', 'n3', { labels: { app: 'web', tier: 'front' } });
    expect(whereFits(wants, [...zones, ...apart, both])).toEqual(['n3']);
  });
});

describe('F6: host ports', () => {
  const port = (hostPort: number, more: Plain = {}): PodParts => ({
    spec: { containers: [{ ports: [{ containerPort: 80, hostPort, ...more }] }] },
  });
  it.each([
    { it: 'one pod to a port', taken: port(80), pod: port(80), fits: false },
    { it: 'another port is free', taken: port(81), pod: port(80), fits: true },
    { it: 'another protocol is another port', taken: port(80, { protocol: 'UDP' }), pod: port(80), fits: true },
    {
      it: 'another address is another port',
      taken: port(80, { hostIP: '10.0.0.1' }),
      pod: port(80, { hostIP: '10.0.0.2' }),
      fits: true,
    },
    { it: 'every address is each of them', taken: port(80, { hostIP: '10.0.0.1' }), pod: port(80), fits: false },
    { it: 'each of them is in every address', taken: port(80), pod: port(80, { hostIP: '10.0.0.1' }), fits: false },
  ])('$it', ({ taken, pod: parts, fits }) => {
    expect(whereFits(waits(parts), [...machine('n1'), pod('a', 'n1', taken)])).toEqual(fits ? ['n1'] : []);
  });
});
