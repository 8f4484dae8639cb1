// Which instance types may be launched as a replacement.
import { describe, expect, it } from 'vitest';
import { label } from '../../cluster/names.ts';
import { chooseLaunch, type LaunchQuestion, type LaunchType, type Offer } from './launch.ts';

interface Where {
  readonly zone?: string;
  readonly capacityType?: string;
  readonly holds?: boolean;
}

const offer = (
  name: string,
  price: number,
  { zone = 'a', capacityType = 'on-demand', holds = true }: Where,
): Offer => ({
  zone,
  capacityType,
  price,
  holds,
  shape: {
    instanceType: name,
    labels: { [label.instanceType]: name, [label.zone]: zone, [label.capacityType]: capacityType },
    taints: [],
    allocatable: {},
    room: {},
    price,
  },
});

const type = (name: string, ...offers: readonly [number, Where?][]): LaunchType => ({
  name,
  offers: offers.map(([price, where = {}]) => offer(name, price, where)),
});

const spot = { capacityType: 'spot' };
const reserved = { capacityType: 'reserved' };
const node = (price: number, capacityType = 'on-demand', instanceType = 'old') => ({
  price,
  capacityType,
  instanceType,
});
/** T171: eighteen spot types, the seventeenth the cheapest. */
const eighteen = Array.from({ length: 18 }, (_, index) =>
  type(`s${String(index).padStart(2, '0')}`, [index === 16 ? 0.001 : 1 + index / 10, spot]),
);

const choose = (types: readonly LaunchType[], question: Partial<LaunchQuestion> = {}) =>
  chooseLaunch({
    types,
    minValues: [],
    leaving: [node(0.5)],
    podsMoved: 1,
    ...question,
    rules: { minimumSavings: 0, podMoveCost: 0, spotToSpot: true, ...question.rules },
  });

const chosen = (...asked: Parameters<typeof choose>): readonly string[] | string => {
  const plan = choose(...asked);
  return 'why' in plan ? plan.why : plan.instanceTypes;
};

describe('A: what replaces a node is sure to be cheaper', () => {
  it.each([
    {
      id: 'T167: the dearest type is left out',
      types: [type('dear', [0.5]), type('low', [0.2]), type('mid', [0.4])],
      is: ['low', 'mid'],
    },
    {
      id: 'T175: one spot offering is dearer, and it may be that one',
      types: [type('x', [1, spot], [0.2, { ...spot, zone: 'b' }], [0.4, { ...spot, zone: 'c' }])],
      is: /x, may cost 1 per hour \(now 0.5\)/,
    },
    { id: 'T176: the pool makes on-demand alone', types: [type('x', [0.6])], is: /x, may cost 0.6 per hour/ },
    {
      id: 'the same price, though it is a sum of fractions',
      types: [type('x', [0.3])],
      leaving: [node(0.1), node(0.2)],
      is: /x, may cost 0.3 per hour/,
    },
    { id: 'T204: reserved capacity of the same type', types: [type('old', [0.5], [0.0005, reserved])], is: ['old'] },
  ])('$id', ({ types, leaving, is }) => {
    const answer = chosen(types, leaving ? { leaving } : {});
    if (is instanceof RegExp) expect(answer).toMatch(is);
    else expect(answer).toEqual(is);
  });

  it('spot and on-demand both possible: it is spot, since the price of spot was counted', () => {
    const plan = choose([type('x', [0.9], [0.2, spot]), type('y', [0.4])]);
    expect(plan).toMatchObject({ instanceTypes: ['x'], capacityTypes: ['spot'], price: 0.2 });
  });

  it('T201, T266: only in the zones where the pods fit', () => {
    const types = [type('x', [0.05, { holds: false }], [0.45, { zone: 'b' }]), type('y', [0.3], [0.48, { zone: 'b' }])];
    expect(choose(types)).toMatchObject({ zones: ['b'], price: 0.45, instanceTypes: ['x', 'y'] });
  });

  it('T267: unrestricted, what it most likely costs is the cheapest', () => {
    expect(choose([type('x', [0.45], [0.1, { ...spot, zone: 'b' }])])).toMatchObject({ price: 0.1, zones: ['b'] });
  });
});

describe('The order of the types that may be launched', () => {
  it('goes by the cheapest offering of each type, and that is the price the plan states', () => {
    const types = [type('steady', [0.2]), type('varied', [0.45], [0.1, { zone: 'b' }])];
    expect(choose(types)).toMatchObject({ instanceTypes: ['varied', 'steady'], price: 0.1 });
  });

  it('judges a type by its dearest offering among those where the pods fit', () => {
    const types = [type('x', [0.6, { holds: false }], [0.3, { zone: 'b' }])];
    expect(choose(types)).toMatchObject({ instanceTypes: ['x'], zones: ['b'], price: 0.3 });
  });
});

describe('A: spot is replaced by spot', () => {
  const leaving = [node(2, 'spot')];
  it.each([
    { id: 'T169: not where it is off', rules: { spotToSpot: false }, is: /spotToSpot is off/ },
    { id: 'T168: not where fewer than 15 types are cheaper', types: eighteen.slice(4), is: /requires 15 .* found 7/ },
    { id: 'T170: not by on-demand instead', types: [type('x', [1], [3, spot])], is: /may cost 3/ },
  ])('$id', ({ types = eighteen, rules, is }) => {
    expect(
      chosen(types, { leaving, rules: { minimumSavings: 0, podMoveCost: 0, spotToSpot: true, ...rules } }),
    ).toMatch(is);
  });

  it('T171: the 15 cheapest, the cheapest first', () => {
    const plan = chosen(eighteen, { leaving: [node(9, 'spot')] });
    expect(plan).toHaveLength(15);
    expect(plan[0]).toBe('s16');
    expect(plan).not.toContain('s17');
  });

  it.each([
    { least: 16, types: 16 },
    { least: 10, types: 15 },
  ])('T172: minValues $least: $types types', ({ least, types }) => {
    const minValues = [{ key: label.instanceType, least }];
    expect(chosen(eighteen, { leaving: [node(9, 'spot')], minValues })).toHaveLength(types);
  });

  it('several have no need of 15', () => {
    const few = [type('x', [1, spot])];
    expect(chosen(few, { leaving: [node(1, 'spot'), node(1, 'spot')] })).toEqual(['x']);
    expect(chosen(few, { leaving: [node(2, 'spot')] })).toMatch(/requires 15/);
  });

  it('one of them on-demand: as any other', () => {
    const rules = { minimumSavings: 0, podMoveCost: 0, spotToSpot: false };
    expect(chosen([type('x', [1, spot])], { leaving: [node(1, 'spot'), node(1)], rules })).toEqual(['x']);
  });
});

describe('A: minValues', () => {
  it('T173, T205: nothing is launched where the price leaves too few', () => {
    const types = Array.from({ length: 16 }, (_, index) => type(`t${index}`, [index === 0 ? 0.6 : 0.1]));
    const minValues = [{ key: label.instanceType, least: 16 }];
    expect(chosen(types, { minValues })).toMatch(
      /have 15 values of node.kubernetes.io.instance-type; minValues requires 16/,
    );
  });

  it('T174: nor where those that leave leave too few', () => {
    const types = [type('old', [0.5]), type('low', [0.4])];
    const minValues = [{ key: label.instanceType, least: 2 }];
    expect(chosen(types, { minValues, leaving: [node(0.5), node(0.5), node(0.5)] })).toMatch(/have 1 values/);
  });
});

describe('A: never a replacement that could as well be one of those that leave', () => {
  it('T198: not two into one of the same type', () => {
    expect(chosen([type('old', [0.5])], { leaving: [node(0.5), node(0.5)] })).toMatch(
      /keeping one of the nodes of that type/,
    );
  });

  it('T197: three into one that is cheaper than each', () => {
    expect(chosen([type('old', [0.5]), type('low', [0.4])], { leaving: [node(0.5), node(0.5), node(0.5)] })).toEqual([
      'low',
    ]);
  });

  it('a larger one is worth it where its type does not leave', () => {
    expect(chosen([type('big', [0.9])], { leaving: [node(0.5), node(0.5)] })).toEqual(['big']);
  });
});

describe('M: swaps between nearly equal nodes are refused', () => {
  const rules = (more: object) => ({ minimumSavings: 0, podMoveCost: 0, spotToSpot: false, ...more });
  it.each([
    {
      it: 'less than its share',
      rules: rules({ minimumSavings: 20 }),
      is: /saves 0.05 per hour of 0.5; minimumSavings requires 20%/,
    },
    { it: 'just its share', rules: rules({ minimumSavings: 10 }), is: ['x'] },
    {
      it: 'less than the moves cost',
      rules: rules({ podMoveCost: 0.005 }),
      is: /saves 0.05 per hour for 10 moved pods; podMoveCost requires more than 0.05/,
    },
    { it: 'more than the moves cost', rules: rules({ podMoveCost: 0.0049 }), is: ['x'] },
  ])('$it', ({ rules: asked, is }) => {
    const answer = chosen([type('x', [0.45])], { podsMoved: 10, rules: asked });
    if (is instanceof RegExp) expect(answer).toMatch(is);
    else expect(answer).toEqual(is);
  });

  it('every type that may be launched saves enough, not only the first', () => {
    expect(chosen([type('x', [0.1]), type('y', [0.49])], { rules: rules({ minimumSavings: 5 }) })).toEqual(['x']);
  });
});
