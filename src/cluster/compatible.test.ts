// Compatibility of claim labels with pool requirements (I2).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { incompatibleKeys, type Operator, type Requirement } from './selector.ts';

const ask = (operator: Operator, ...values: string[]): Requirement => ({ key: 'k', operator, values });
const holds = (requirements: readonly Requirement[], value: string | undefined): boolean =>
  incompatibleKeys(requirements, value === undefined ? {} : { k: value }).length === 0;

describe('I2: a requirement and the label of a claim', () => {
  it.each([
    { asked: [ask('In', 'a', 'b')], has: ['a', 'b'], lacks: ['c', undefined] },
    { asked: [ask('NotIn', 'a')], has: ['b', undefined], lacks: ['a'] },
    { asked: [ask('Exists')], has: ['a', ''], lacks: [undefined] },
    { asked: [ask('DoesNotExist')], has: [undefined], lacks: ['a', ''] },
    { asked: [ask('Gt', '4')], has: ['5', '100'], lacks: ['4', 'x', undefined] },
    { asked: [ask('Lt', '4')], has: ['3', '-1'], lacks: ['4', 'x', undefined] },
    { asked: [ask('Gte', '4')], has: ['4'], lacks: ['3', undefined] },
    { asked: [ask('Lte', '4')], has: ['4'], lacks: ['5', undefined] },
    { asked: [ask('Gt', 'few')], has: ['1'], lacks: ['0', '-1'] },
  ])('$asked', ({ asked, has, lacks }) => {
    expect(has.filter((value) => !holds(asked, value))).toEqual([]);
    expect(lacks.filter((value) => holds(asked, value))).toEqual([]);
  });
});

describe('I2: several requirements on one key', () => {
  it.each([
    { name: 'are met together', asked: [ask('In', 'a', 'b'), ask('NotIn', 'b')], has: ['a'], lacks: ['b', undefined] },
    {
      name: 'bound a number from both sides',
      asked: [ask('Gt', '2'), ask('Lt', '5')],
      has: ['3', '4'],
      lacks: ['2', '5'],
    },
    { name: 'take the narrower bound', asked: [ask('Gt', '2'), ask('Gte', '7')], has: ['7'], lacks: ['3', '6'] },
    { name: 'bound a list', asked: [ask('In', '1', '9'), ask('Lt', '5')], has: ['1'], lacks: ['9', '2'] },
    // Karpenter keeps an empty set, which it writes as DoesNotExist.
    {
      name: 'that exclude each other want it absent',
      asked: [ask('In', 'a'), ask('In', 'b')],
      has: [undefined],
      lacks: ['a'],
    },
    {
      name: 'whose bounds cross want it absent',
      asked: [ask('Gt', '5'), ask('Lt', '3')],
      has: [undefined],
      lacks: ['4'],
    },
  ])('$name', ({ asked, has, lacks }) => {
    expect(has.filter((value) => !holds(asked, value))).toEqual([]);
    expect(lacks.filter((value) => holds(asked, value))).toEqual([]);
  });

  it('are met in any order', () => {
    const requirement = fc.oneof(
      fc.record({
        key: fc.constant('k'),
        operator: fc.constantFrom<Operator>('In', 'NotIn'),
        values: fc.subarray(['1', '2', '3', 'x'], { minLength: 1 }),
      }),
      fc.record({
        key: fc.constant('k'),
        operator: fc.constantFrom<Operator>('Gt', 'Lt', 'Gte', 'Lte'),
        values: fc.tuple(fc.constantFrom('1', '2', '3')),
      }),
      fc.constantFrom(ask('Exists'), ask('DoesNotExist')),
    );
    const value = fc.constantFrom('0', '1', '2', '3', '4', 'x', '', undefined);
    fc.assert(
      fc.property(fc.array(requirement, { minLength: 1, maxLength: 4 }), value, (asked, label) => {
        expect(holds([...asked].reverse(), label)).toBe(holds(asked, label));
      }),
      { seed: 5 },
    );
  });
});

describe('I2: keys', () => {
  it('that are broken are named, sorted, each once', () => {
    const asked: Requirement[] = [
      { key: 'tier', operator: 'In', values: ['db'] },
      { key: 'arch', operator: 'In', values: ['arm64'] },
      { key: 'arch', operator: 'Exists', values: [] },
      { key: 'os', operator: 'In', values: ['linux'] },
    ];
    expect(incompatibleKeys(asked, { tier: 'web', arch: 'amd64', os: 'linux' })).toEqual(['arch', 'tier']);
  });

  it.each([
    ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
    ['beta.kubernetes.io/os', 'kubernetes.io/os'],
    ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
    ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
    ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ])('%s and %s are one', (old, now) => {
    const asked = (key: string): Requirement[] => [{ key, operator: 'In', values: ['a'] }];
    expect(incompatibleKeys(asked(old), { [now]: 'a' })).toEqual([]);
    expect(incompatibleKeys(asked(now), { [old]: 'a' })).toEqual([]);
    expect(incompatibleKeys(asked(old), { [old]: 'b' })).toEqual([now]);
  });
});
