// Messages about pods that fit on no node.
import { describe, expect, it } from 'vitest';
import { machine, type Objects, type Plain, pod, storeOf, zone } from '../../../test/build.ts';
import { boardOf, firstPending, situationOf } from '../../../test/placement/boards.ts';
import { describeMisfit, misfitOf } from './misfit.ts';

function why(objects: Objects, parts: NonNullable<Parameters<typeof pod>[2]> = {}): string {
  const cluster = storeOf(pod('web-7', '', { phase: 'Pending', cpu: '3', ...parts }), ...objects);
  const facts = boardOf(situationOf(cluster));
  const own = firstPending(cluster);
  return describeMisfit(own, misfitOf(facts.board, facts.classOf(own), 'all'));
}

const tainted = { spec: { taints: [{ key: 'team', effect: 'NoSchedule' }] } };
const inA = { nodeSelector: { [zone]: 'a' } };
const selecting = (spec: Plain) => ({ spec: { containers: [{ resources: { requests: { cpu: '3' } } }], ...spec } });
const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } };

describe('J1: why a pod fits nowhere', () => {
  it('names its requests, the nearest miss, and the obstacles on the other nodes', () => {
    const objects = [
      machine('x', { zone: 'a' }),
      pod('big', 'x', { cpu: '1900m' }),
      machine('y', { zone: 'a' }),
      pod('bigger', 'y', { cpu: '3' }),
      ...['t1', 't2', 't3', 't4'].map((name) => machine(name, { zone: 'a', ...tainted })),
      ...['b1', 'b2'].map((name) => machine(name, { zone: 'b' })),
    ];
    expect(why(objects, selecting(inA))).toBe(
      'pod shop/web-7 needs 3 cpu; at most 2.1 cpu is free, on node x; 4 nodes with taints it does not tolerate; 2 in the wrong zone',
    );
  });

  it.each([
    { it: 'no node', objects: [], says: 'there is no other node' },
    {
      it: 'nothing but the other pods of its node',
      objects: [machine('n1')],
      says: 'it would fit on 1, but other pods of its node need that room',
    },
    {
      it: 'a selector',
      objects: [machine('n1')],
      parts: selecting({ nodeSelector: { disk: 'ssd' } }),
      says: '1 node does not match its node selector',
    },
    {
      it: 'anti-affinity',
      objects: [machine('n1'), pod('a', 'n1')],
      parts: selecting({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }),
      says: '1 node excluded by pod anti-affinity',
    },
    {
      it: 'affinity',
      objects: [machine('n1'), machine('n2')],
      parts: {
        labels: { app: 'db' },
        ...selecting({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }),
      },
      says: '2 nodes without the pods that its affinity requires',
    },
    {
      it: 'spread',
      objects: [machine('n1')],
      parts: selecting({
        topologySpreadConstraints: [{ topologyKey: zone, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }],
      }),
      says: '1 node would violate its topology spread constraints',
    },
    {
      it: 'a port',
      objects: [machine('n1'), pod('a', 'n1', { spec: { containers: [{ ports: [{ hostPort: 80 }] }] } })],
      parts: { spec: { containers: [{ ports: [{ hostPort: 80 }] }] } },
      says: '1 node with its host port in use',
    },
    {
      it: 'the number of pods',
      objects: [machine('n1', { allocatable: { pods: '1' } }), pod('a', 'n1', { cpu: '0' })],
      says: 'node n1, which comes closest, has reached its maximum number of pods',
    },
    {
      it: 'volumes',
      objects: [machine('n1')],
      parts: selecting({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'v' } }] }),
      says: '1 node where its volumes are not available',
    },
  ])('$it', ({ objects, parts = {}, says }) => {
    expect(why(objects, parts)).toMatch(new RegExp(`^pod shop/web-7 needs .*; ${says}$`));
  });

  it('of two equal misses the first by name, regardless of the order of the nodes', () => {
    const nodes = ['b', 'a', 'c'].flatMap((name) => [machine(name), pod(`p-${name}`, name, { cpu: '2' })]);
    expect(why(nodes)).toBe('pod shop/web-7 needs 3 cpu; at most 2 cpu is free, on node a');
    expect(why([...nodes].reverse())).toBe(why(nodes));
  });
});
