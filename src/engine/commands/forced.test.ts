import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, noon } from '../../../test/build.ts';
import { asInstant, formatInstant, type Instant, minute, second } from '../../time/instant.ts';
import { type Doomed, forcedAt, spreadOut } from './forced.ts';

const doomed = (key: string, graceSeconds = 30, minutes = 60): Doomed => ({
  key,
  graceSeconds,
  drainAt: at(noon),
  deadline: asInstant(at(noon) + minutes * minute),
});

const timesOf = (pods: readonly Doomed[]): string[] =>
  [...spreadOut(pods)]
    .sort(([, a], [, b]) => a - b)
    .map(([key, when]) => `${key} ${formatInstant(when).slice(11, 19)}`);

describe('H2: a pod that no PDB means', () => {
  it.each([
    { it: 'goes at the deadline less its own grace', pod: doomed('a', 30), when: '2026-03-10T12:59:30Z' },
    { it: 'goes at the deadline where it has none', pod: doomed('a', 0), when: '2026-03-10T13:00:00Z' },
    { it: 'goes at once where it asks for more than there is', pod: doomed('a', 7200), when: noon },
  ])('$it', ({ pod, when }) => {
    expect(forcedAt(pod)).toBe(at(when));
  });
});

describe('H3: pods of one PDB', () => {
  it.each([
    { it: 'one goes as it would alone', pods: [doomed('a')], times: ['a 12:59:30'] },
    {
      it: 'several go one after another, two minutes apart, by name',
      pods: [doomed('c'), doomed('a'), doomed('b')],
      times: ['a 12:55:30', 'b 12:57:30', 'c 12:59:30'],
    },
    {
      it: 'where time is short they share it',
      pods: [doomed('a', 0, 3), doomed('b', 0, 3)],
      times: ['a 12:02:00', 'b 12:03:00'],
    },
    {
      it: 'one with a longer grace pulls those before it forward',
      pods: [doomed('a', 30), doomed('b', 600)],
      times: ['a 12:48:00', 'b 12:50:00'],
    },
    {
      it: 'graces that are too long are cut short, not all asked for at once',
      pods: [doomed('a', 3600), doomed('b', 3600)],
      times: ['a 12:20:00', 'b 12:40:00'],
    },
    {
      it: 'over several nodes the earlier deadline goes first',
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
        (graceSeconds, index): Doomed => ({
          key: `shop/p${index}`,
          graceSeconds,
          drainAt: at(noon),
          deadline: asInstant(at(noon) + length * second),
        }),
      ),
    );
  const next = (left: readonly Doomed[]): [string, Instant] => {
    const [first] = [...spreadOut(left)].sort(([, a], [, b]) => a - b);
    if (!first) throw new Error('nobody is left');
    return first;
  };

  it('never go before the drain starts, nor after the deadline, and no two at once', () => {
    fc.assert(
      fc.property(pods, (group) => {
        const { drainAt, deadline } = group[0] as Doomed;
        const moments = [...spreadOut(group).values()].sort((a, b) => a - b);
        expect(moments[0]).toBeGreaterThanOrEqual(drainAt);
        expect(moments.at(-1)).toBeLessThanOrEqual(deadline);
        expect(new Set(moments).size).toBe(group.length);
      }),
    );
  });

  it('asked anew after each has gone, never want the next before, or together with, the last', () => {
    fc.assert(
      fc.property(pods, (group) => {
        let left: readonly Doomed[] = group;
        let last = Number.NEGATIVE_INFINITY;
        while (left.length > 0) {
          const [key, when] = next(left);
          expect(when).toBeGreaterThan(last);
          last = when;
          left = left.filter((it) => it.key !== key);
        }
        expect(last).toBeLessThanOrEqual((group[0] as Doomed).deadline);
      }),
    );
  });
});
