import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, noon } from '../../../test/build.ts';
import { asInstant, formatInstant, type Instant, minute, second } from '../../time/instant.ts';
import { type EvictionDeadline, forcedAt, spreadOut } from './drains.ts';

const doomed = (key: string, graceSeconds = 30, minutes = 60): EvictionDeadline => ({
  key,
  graceSeconds,
  drainAt: at(noon),
  deadline: asInstant(at(noon) + minutes * minute),
});

const timesOf = (pods: readonly EvictionDeadline[]): string[] =>
  [...spreadOut(pods)]
    .sort(([, a], [, b]) => a - b)
    .map(([{ key }, when]) => `${key} ${formatInstant(when).slice(11, 19)}`);

describe('H2: a pod that no PDB selects', () => {
  it.each([
    { it: 'is deleted at the deadline minus its own grace', pod: doomed('a', 30), when: '2026-03-10T12:59:30Z' },
    { it: 'is deleted at the deadline when its grace is zero', pod: doomed('a', 0), when: '2026-03-10T13:00:00Z' },
    { it: 'is deleted at once when its grace is longer than the drain', pod: doomed('a', 7200), when: noon },
  ])('$it', ({ pod, when }) => {
    expect(forcedAt(pod)).toBe(at(when));
  });
});

describe('H3: pods of one PDB', () => {
  it.each([
    { it: 'one alone is deleted as without a PDB', pods: [doomed('a')], times: ['a 12:59:30'] },
    {
      it: 'several are deleted two minutes apart, by name',
      pods: [doomed('c'), doomed('a'), doomed('b')],
      times: ['a 12:55:30', 'b 12:57:30', 'c 12:59:30'],
    },
    {
      it: 'where time is short they are closer together',
      pods: [doomed('a', 0, 3), doomed('b', 0, 3)],
      times: ['a 12:02:00', 'b 12:03:00'],
    },
    {
      it: 'one with a longer grace moves those before it earlier',
      pods: [doomed('a', 30), doomed('b', 600)],
      times: ['a 12:48:00', 'b 12:50:00'],
    },
    {
      it: 'graces that are too long are cut short, and the deletions stay spread out',
      pods: [doomed('a', 3600), doomed('b', 3600)],
      times: ['a 12:20:00', 'b 12:40:00'],
    },
    {
      it: 'over several nodes the earliest deadline is first',
      pods: [doomed('a', 30, 60), doomed('b', 30, 50)],
      times: ['b 12:49:30', 'a 12:59:30'],
    },
  ])('$it', ({ pods, times }) => {
    expect(timesOf(pods)).toEqual(times);
  });

  const pods = fc
    .tuple(
      fc.integer({ min: 1, max: 86_400 }),
      fc.array(fc.integer({ min: 0, max: 90_000 }), { minLength: 1, maxLength: 9 }),
    )
    .map(([length, graces]) =>
      graces.map(
        (graceSeconds, index): EvictionDeadline => ({
          key: `shop/p${index}`,
          graceSeconds,
          drainAt: at(noon),
          deadline: asInstant(at(noon) + length * second),
        }),
      ),
    );
  const next = (left: readonly EvictionDeadline[]): [string, Instant] => {
    const [first] = [...spreadOut(left)].sort(([, a], [, b]) => a - b);
    if (!first) throw new Error('no pods left');
    return [first[0].key, first[1]];
  };

  it('are never deleted before the drain starts, after the deadline, or two at once', () => {
    fc.assert(
      fc.property(pods, (group) => {
        const { drainAt, deadline } = group[0] as EvictionDeadline;
        const moments = [...spreadOut(group).values()].sort((a, b) => a - b);
        expect(moments[0]).toBeGreaterThanOrEqual(drainAt);
        expect(moments.at(-1)).toBeLessThanOrEqual(deadline);
        expect(new Set(moments).size).toBe(group.length);
      }),
    );
  });

  it('recomputed after each deletion, the next is always later than the last', () => {
    fc.assert(
      fc.property(pods, (group) => {
        let left: readonly EvictionDeadline[] = group;
        let last = Number.NEGATIVE_INFINITY;
        while (left.length > 0) {
          const [key, when] = next(left);
          expect(when).toBeGreaterThan(last);
          last = when;
          left = left.filter((it) => it.key !== key);
        }
        expect(last).toBeLessThanOrEqual((group[0] as EvictionDeadline).deadline);
      }),
    );
  });
});
