// Pool limits for replacements.
import { describe, expect, it } from 'vitest';
import {
  claim,
  codesOf,
  command,
  decide,
  ledger,
  longAgo,
  machine,
  noon,
  type Objects,
  type Plain,
  pod,
  pool,
  refusalOf,
  startsOf,
} from '../../../test/build.ts';

const drifted = (name = 'n1', parts: NonNullable<Parameters<typeof machine>[1]> = {}) =>
  machine(name, { drifted: longAgo, ...parts });
const full = (name = 'n1') => pod(`p-${name}`, name, { cpu: '3' });
const commandOf = (objects: Objects, asking: Parameters<typeof decide>[1] = {}) =>
  decide(objects, asking).commands.find(({ nodes }) => nodes[0]?.name === 'n1');
const type = 'node.kubernetes.io/instance-type';

describe("F5: the pool's limits", () => {
  const limited = (limits: Plain) => pool('web', { spec: { limits } });
  it.each([
    { it: 'count what leaves', limits: { cpu: '4' }, goes: true },
    { it: 'are never exceeded', limits: { cpu: '3' }, goes: false },
    { it: 'of memory', limits: { memory: '15Gi' }, goes: false },
    { it: 'of nodes', limits: { nodes: '1' }, goes: true },
    { it: 'of none', limits: { nodes: '0' }, goes: false },
  ])('$it', ({ limits, goes }) => {
    expect(startsOf(decide([limited(limits), drifted(), full()]))).toEqual(goes ? ['n1 Drifted'] : []);
  });

  it('are named with what would be used', () => {
    const { message } = refusalOf(decide([limited({ cpu: '3' }), drifted(), full()]), 'n1', 'Drifted', 'NoPlacement');
    expect(message).toBe(
      "pod shop/p-n1 fits on no other node, and the pool's limit of 3 cpu would be exceeded (4 cpu)",
    );
  });

  it('bind replacements alone: pods that fit elsewhere need none', () => {
    expect(startsOf(decide([limited({ cpu: '1' }), drifted(), full(), machine('n2')]))).toEqual(['n1 Drifted']);
  });

  const catalogue = [
    { name: 'big', cpu: '8', memory: '32Gi', pods: '110', offerings: [{ zone: 'a', capacityType: 'spot', price: 1 }] },
  ];
  const big = (limits: Plain) =>
    pool('web', { spec: { limits }, template: { requirements: [{ key: type, operator: 'In', values: ['big'] }] } });
  const two = [drifted('n1'), full('n1'), drifted('n2'), full('n2')];

  it('count what this round has planned', () => {
    expect(startsOf(decide([big({ cpu: '12' }), two], { settings: { catalogue } }))).toEqual(['n1 Drifted']);
    expect(startsOf(decide([big({ cpu: '16' }), two], { settings: { catalogue } }))).toEqual([
      'n1 Drifted',
      'n2 Drifted',
    ]);
  });

  const replacing = (name: string) =>
    ledger({
      commands: [
        command('n2', {
          replacements: [
            { name, pool: 'web' },
            { name: `${name}-b`, pool: 'web' },
          ],
        }),
      ],
    });

  it('count replacements that are planned already', () => {
    const round = decide([limited({ nodes: '2' }), two], { ledger: replacing('r') });
    expect(codesOf(round, 'n1', 'Drifted')).toEqual(['NoPlacement']);
  });

  it('count replacements whose node is not there yet', () => {
    const launched = ['r', 'r-b'].map((name) => ({
      ...claim(name, { nodeName: null, conditions: { Initialized: { status: 'False' } } }),
      metadata: { name, creationTimestamp: noon, labels: { 'karpenter.sh/nodepool': 'web' } },
    }));
    const round = decide([limited({ nodes: '2' }), two, launched], { ledger: replacing('r') });
    expect(codesOf(round, 'n1', 'Drifted')).toEqual(['NoPlacement']);
  });

  it('count a replacement whose node has come once', () => {
    const known = ledger({ commands: [command('n2', { replacements: [{ name: 'r-claim', pool: 'web' }] })] });
    const come = [machine('r'), full('r')];
    expect(startsOf(decide([limited({ nodes: '2' }), two, come], { ledger: known }))).toEqual(['n1 Drifted']);
  });
});

describe('F5: a static pool', () => {
  const fixed = (replicas: number, limits: Plain = {}) => pool('web', { spec: { replicas, limits } });

  it('replaces a node though its pods fit elsewhere, or it has none', () => {
    expect(commandOf([fixed(2), drifted(), full(), machine('n2')])?.replacements).toHaveLength(1);
    expect(commandOf([fixed(2), drifted(), machine('n2')])?.replacements).toHaveLength(1);
  });

  it('that has too many nodes scales down first', () => {
    const { message } = refusalOf(decide([fixed(1), drifted(), machine('n2')]), 'n1', 'Drifted', 'NoPlacement');
    expect(message).toContain('2 nodes for 1 replicas');
  });

  it('counts every node there is against its limit, that which leaves too', () => {
    expect(startsOf(decide([fixed(2, { nodes: '2' }), drifted(), machine('n2')]))).toEqual([]);
    expect(startsOf(decide([fixed(2, { nodes: '3' }), drifted(), machine('n2')]))).toEqual(['n1 Drifted']);
  });
});
