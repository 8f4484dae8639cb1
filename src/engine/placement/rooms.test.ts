import { describe, expect, it } from 'vitest';
import { at, command, ledger, machine, node, noon, type Objects, pod, settings, storeOf } from '../../../test/build.ts';
import type { Pod } from '../../cluster/model.ts';
import { readObject } from '../../kinds/readObject.ts';
import { observe } from '../situation.ts';
import { Rooms } from './rooms.ts';

const roomsOf = (objects: Objects, known = ledger({})): Rooms =>
  new Rooms(observe({ cluster: storeOf(...objects), ledger: known }, at(noon), settings({})));

function podOf(parts: Parameters<typeof pod>[2] = {}, name = 'p'): Pod {
  const read = readObject(pod(name, '', parts));
  if (read.kind !== 'Pod') throw new Error(read.kind);
  return read.record;
}

const placeOn = (objects: Objects, parts: Parameters<typeof pod>[2] = {}, known = ledger({})): string | undefined =>
  roomsOf(objects, known).trial().place(podOf(parts))?.node.name;

describe('F6: a pod fits', () => {
  const team = { key: 'team', value: 'a', effect: 'NoSchedule' };
  it.each([
    { it: 'where there is room', node: machine('n1'), pod: { cpu: '4' }, fits: true },
    { it: 'not where there is too little', node: machine('n1'), pod: { cpu: '4001m' }, fits: false },
    { it: 'not beyond the number of pods', node: machine('n1', { allocatable: { pods: '0' } }), pod: {}, fits: false },
    {
      it: 'not where a resource is unknown',
      node: machine('n1'),
      pod: { spec: { containers: [{ resources: { requests: { 'nvidia.com/gpu': '1' } } }] } },
      fits: false,
    },
    {
      it: 'though it requests nothing of one',
      node: machine('n1'),
      pod: { spec: { containers: [{ resources: { requests: { 'nvidia.com/gpu': '0' } } }] } },
      fits: true,
    },
    {
      it: 'where its selector matches',
      node: machine('n1', { zone: 'a' }),
      pod: { spec: { nodeSelector: { 'topology.kubernetes.io/zone': 'a' } } },
      fits: true,
    },
    {
      it: 'not where it does not',
      node: machine('n1', { zone: 'b' }),
      pod: { spec: { nodeSelector: { 'topology.kubernetes.io/zone': 'a' } } },
      fits: false,
    },
    { it: 'not against a taint', node: machine('n1', { spec: { taints: [team] } }), pod: {}, fits: false },
    {
      it: 'against one it tolerates',
      node: machine('n1', { spec: { taints: [team] } }),
      pod: { spec: { tolerations: [{ key: 'team', operator: 'Exists' }] } },
      fits: true,
    },
    {
      it: 'not against NoExecute',
      node: machine('n1', { spec: { taints: [{ ...team, effect: 'NoExecute' }] } }),
      pod: {},
      fits: false,
    },
    {
      it: 'against PreferNoSchedule',
      node: machine('n1', { spec: { taints: [{ ...team, effect: 'PreferNoSchedule' }] } }),
      pod: {},
      fits: true,
    },
  ])('$it', ({ node: target, pod: parts, fits }) => {
    expect(placeOn([target], parts)).toBe(fits ? 'n1' : undefined);
  });

  it.each([
    { it: 'In', expression: { key: 'size', operator: 'In', values: ['large'] }, target: 'n2' },
    { it: 'DoesNotExist', expression: { key: 'size', operator: 'DoesNotExist' }, target: 'n1' },
    { it: 'Gt', expression: { key: 'cores', operator: 'Gt', values: ['7'] }, target: 'n2' },
  ])('where its required affinity matches: $it', ({ expression, target }) => {
    const nodeSelectorTerms = [{ matchExpressions: [expression] }];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
    expect(
      placeOn([machine('n1', { labels: { cores: '4' } }), machine('n2', { labels: { size: 'large', cores: '8' } })], {
        spec: { affinity },
      }),
    ).toBe(target);
  });
});

describe('F6: which nodes are targets', () => {
  it.each([
    { it: 'a Ready initialized node', node: machine('n1'), is: true },
    {
      it: 'a Ready node that is nobody’s',
      node: [node('n1', { labels: { 'karpenter.sh/initialized': undefined } })],
      is: true,
    },
    { it: 'one that is not Ready', node: machine('n1', { ready: 'False' }), is: false },
    {
      it: 'one that is starting',
      node: machine('n1', { labels: { 'karpenter.sh/initialized': undefined } }),
      is: false,
    },
    { it: 'one that is cordoned', node: machine('n1', { spec: { unschedulable: true } }), is: false },
    { it: 'one that is leaving', node: machine('n1', { deleted: noon }), is: false },
    { it: 'one in a command', node: machine('n1'), known: ledger({ commands: [command('n1')] }), is: false },
  ])('$it: $is', ({ node: target, known, is }) => {
    expect(placeOn([target], {}, known)).toBe(is ? 'n1' : undefined);
  });
});

describe('A trial is all or nothing', () => {
  const half = () => podOf({ cpu: '2' });

  it('what is kept is taken', () => {
    const rooms = roomsOf([machine('n1'), machine('n2')]);
    const trial = rooms.trial();
    expect([half(), half(), half()].map((it) => trial.place(it)?.node.name)).toEqual(['n1', 'n1', 'n2']);
    trial.keep();
    expect([half(), half()].map((it) => rooms.trial().place(it)?.node.name)).toEqual(['n2', 'n2']);
  });

  it('what is not kept is given back, in full', () => {
    const rooms = roomsOf([machine('n1')]);
    const trial = rooms.trial();
    expect([half(), half(), half()].map((it) => trial.place(it)?.node.name)).toEqual(['n1', 'n1', undefined]);
    expect(rooms.trial().place(podOf({ cpu: '4' }))?.node.name).toBe('n1');
  });

  it('its own node is no target, but is one for others', () => {
    const cluster = storeOf(...machine('n1'));
    const rooms = new Rooms(observe({ cluster, ledger: ledger({}) }, at(noon), settings({})));
    const [source] = cluster.nodes;
    expect(rooms.trial(source).place(half())).toBeUndefined();
    expect(rooms.trial().place(half())?.node.name).toBe('n1');
  });

  it('a node that leaves is no target any more', () => {
    const cluster = storeOf(...machine('n1'), ...machine('n2'));
    const rooms = new Rooms(observe({ cluster, ledger: ledger({}) }, at(noon), settings({})));
    const [first] = cluster.nodes;
    if (first) rooms.leave(first);
    expect(rooms.trial().place(half())?.node.name).toBe('n2');
  });
});
