// Parsing and formatting of Kubernetes quantities.
import { describe, expect, it } from 'vitest';
import { formatAmount, parseResources } from './quantity.ts';

describe('F6: a quantity', () => {
  it.each([
    ['cpu', '4', 4000],
    ['cpu', '1500m', 1500],
    ['cpu', '0.1', 100],
    ['cpu', 0.25, 250],
    ['cpu', 2, 2000],
    ['cpu', '250000u', 250],
    ['cpu', '1e1', 10_000],
    ['memory', '128Mi', 134_217_728],
    ['memory', '16Gi', 17_179_869_184],
    ['memory', '1.5Gi', 1_610_612_736],
    ['memory', '1k', 1000],
    ['memory', '2M', 2_000_000],
    ['memory', '1E', 1e18],
    ['memory', '1E3', 1000],
    ['memory', '1Ei', 2 ** 60],
    ['memory', '+5', 5],
    ['memory', '.5k', 500],
    ['memory', '5.', 5],
    ['memory', ' 7 ', 7],
    // Capped, as the API server does.
    ['cpu', '1e300', 2 ** 63],
    ['memory', '-1e999', -(2 ** 63)],
    ['memory', '9Ei', 2 ** 63],
    ['pods', '110', 110],
    ['nvidia.com/gpu', 1, 1],
  ])('of %s: %j is %d', (name, text, amount) => {
    expect(parseResources({ [name]: text })).toEqual({ [name]: amount });
  });

  it.each([
    ['cpu', '0.1m', 1],
    ['cpu', '100.5m', 101],
    ['cpu', '1n', 1],
    ['memory', '128974848000m', 128_974_848],
    ['memory', '1m', 1],
  ])('of %s is rounded up, as the API server does: %j is %d', (name, text, amount) => {
    expect(parseResources({ [name]: text })).toEqual({ [name]: amount });
  });

  it.each(['', 'four', '4 cores', '1.2.3', '1Kib', '1ki', '0x10', 'e3', '1e', null, true, {}])(
    '%j is none',
    (value) => {
      expect(parseResources({ cpu: value, pods: '1' })).toEqual({ pods: 1 });
    },
  );

  it('has no floating-point remainder', () => {
    const parts = ['0.1', '0.2', '0.7', '1.1', '2.3', '4.35'];
    expect(parts.map((cpu) => parseResources({ cpu }).cpu)).toEqual([100, 200, 700, 1100, 2300, 4350]);
  });

  it('may be absent', () => {
    expect(parseResources(undefined)).toEqual({});
  });
});

describe('An amount for people', () => {
  it.each([
    ['cpu', 1500, '1.5 cpu'],
    ['cpu', 100, '0.1 cpu'],
    ['memory', 17_179_869_184, '16 GiB memory'],
    ['memory', 1_610_612_736, '1.5 GiB memory'],
    ['memory', 2 ** 40, '1 TiB memory'],
    ['memory', 2048, '2 KiB memory'],
    ['memory', 12, '12 B memory'],
    ['ephemeral-storage', 2 ** 20, '1 MiB ephemeral-storage'],
    ['pods', 3, '3 pods'],
    ['nvidia.com/gpu', 1, '1 nvidia.com/gpu'],
  ])('of %s: %d is %s', (name, amount, text) => {
    expect(formatAmount(name, amount)).toBe(text);
  });
});
