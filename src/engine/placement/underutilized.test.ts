import { describe, expect, it } from 'vitest';
import { codesOf, decide, machine, type Objects, pod, pool } from '../../../test/build.ts';

const full = (name = 'n1') => pod(`p-${name}`, name, { cpu: '3' });
const commandOf = (objects: Objects, asking: Parameters<typeof decide>[1] = {}) =>
  decide(objects, asking).commands.find(({ nodes }) => nodes[0]?.name === 'n1');
const type = 'node.kubernetes.io/instance-type';

describe('F5: Underutilized is judged by removal alone', () => {
  const web = pool('web', { consolidateAfter: '0s' });
  const priced = (price: string, name = 'n1') =>
    machine(name, {
      zone: 'a',
      labels: { [type]: 'own', 'karpenter.sh/capacity-type': 'spot', 'eks-node-viewer/instance-price': price },
    });
  const offers = (price: number, cpu = '4') => [
    { name: 'other', cpu, memory: '16Gi', pods: '110', offerings: [{ zone: 'a', capacityType: 'spot', price }] },
  ];
  it.each([
    { it: 'its price is not known', node: machine('n1'), catalogue: [], code: 'NoPriceKnown' },
    { it: 'no replacement is cheaper', node: priced('2'), catalogue: offers(2), code: 'NotCheaper' },
    { it: 'a cheaper one would be', node: priced('2'), catalogue: offers(1), code: 'NoPlacement' },
    { it: 'a cheaper one is too small', node: priced('2'), catalogue: offers(1, '1'), code: 'NotCheaper' },
  ] as const)('$code: $it', ({ node, catalogue, code }) => {
    expect(codesOf(decide([web, node, full()], { settings: { catalogue } }), 'n1', 'Underutilized')).toEqual([code]);
  });

  it("is compared with the node's own price, though today's requirements exclude its shape", () => {
    const asking = pool('web', {
      consolidateAfter: '0s',
      template: { requirements: [{ key: type, operator: 'In', values: ['other'] }] },
    });
    const round = decide([asking, priced('2'), full()], { settings: { catalogue: offers(1) } });
    expect(codesOf(round, 'n1', 'Underutilized')).toEqual(['NoPlacement']);
  });

  it('goes where all of its pods fit elsewhere', () => {
    const stay = pod('s', 'n2', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    expect(commandOf([web, machine('n1'), full(), machine('n2'), stay])).toMatchObject({
      reason: 'Underutilized',
      promisedTo: ['n2'],
      replacements: [],
    });
  });

  it('stays where one of them does not', () => {
    const busy = [machine('n2'), pod('s', 'n2', { cpu: '2', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })];
    expect(
      commandOf([web, machine('n1'), pod('a', 'n1', { cpu: '1' }), pod('b', 'n1', { cpu: '2500m' }), busy]),
    ).toBeUndefined();
  });
});
