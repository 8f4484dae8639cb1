import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { not } from './combine.ts';
import { type Cron, parseCron } from './cron.ts';
import { parseDuration } from './duration.ts';
import { asInstant, type Duration, day, type Instant, minute, parseInstant } from './instant.ts';
import { firstMeeting } from './meet.ts';
import { blockOf, instantOf, lookahead, minutesPerBlock, startOfBlock } from './minutes.ts';
import { minutesOf } from './remembered.ts';
import { scheduleWindow } from './scheduleWindow.ts';
import { lifetime, staysForEver, type Window } from './window.ts';

const at = (text: string): Instant => parseInstant(text) as Instant;

function cronOf(text: string, zone?: string): Cron {
  const parsed = parseCron(text, zone);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return parsed.cron;
}

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Casablanca',
];
const durations = ['1m', '90s', '1m0.5s', '49m', '1h', '23h59m', '24h', '25h', '48h', '72h30s', '168h'];
const field = (low: number, high: number, shapes: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(fc.constantFrom(...shapes), fc.integer({ min: low, max: high }).map(String));
const texts = fc
  .tuple(
    field(0, 59, ['*', '*/7', '0-48', '0,30']),
    field(0, 23, ['*', '1-3', '*/5', '22-2']),
    field(1, 28, ['*', '*/3']),
    field(1, 12, ['*', '*', '1-11']),
    field(0, 6, ['*', '*', '1-5']),
  )
  .map((fields) => fields.join(' '));
const schedules = fc.array(fc.tuple(texts, fc.constantFrom(...durations), fc.constantFrom(...zones)), {
  minLength: 1,
  maxLength: 3,
});

const windowOf = (list: readonly (readonly [string, string, string])[]): Window =>
  scheduleWindow(
    list.map(([text, duration, zone]) => ({ cron: cronOf(text, zone), duration: parseDuration(duration) as Duration })),
  );

/** Months in which clocks are changed, and one in which they are not. */
const starts = ['2026-03-15', '2026-10-10', '2026-06-01', '2027-02-20'].map((date) => at(`${date}T00:00:00Z`));

describe('B3, B4: the minutes of a window', () => {
  it('are those at which it is open', () => {
    fc.assert(
      fc.property(schedules, fc.constantFrom(...starts), (list, start) => {
        const window = windowOf(list);
        const block = blockOf(start);
        const minutes = minutesOf(window, block);
        const wrong: string[] = [];
        for (let index = 0; index < minutesPerBlock; index += 3) {
          const from = instantOf(block, index);
          const [first, last] = [window.isOpen(from), window.isOpen(asInstant(from + minute - 1))];
          const has = (set: Int32Array | undefined): boolean => (((set?.[index >> 5] ?? 0) >> (index & 31)) & 1) === 1;
          if (has(minutes?.some) !== first || has(minutes?.whole) !== (first && last)) wrong.push(`${from}`);
        }
        expect(wrong).toEqual([]);
      }),
      { seed: 15, numRuns: 60 },
    );
  });

  it('are the same of a lifetime and of the opposite', () => {
    const start = startOfBlock(blockOf(at('2026-06-01T00:00:00Z')));
    const life = lifetime(asInstant(start + 90_000), asInstant(start + 5 * minute));
    expect(minutesOf(life, blockOf(start))?.some[0]).toBe(0b11110);
    expect(minutesOf(life, blockOf(start))?.whole[0]).toBe(0b11100);
    expect(minutesOf(not(life), blockOf(start))?.some[0]).toBe(~0b11100);
    expect(minutesOf(not(life), blockOf(start))?.whole[0]).toBe(~0b11110);
  });
});

describe('B7: changes that are found in the minutes', () => {
  /** Each run has thousands of hits. */
  const many = fc.array(
    fc.tuple(
      fc.constantFrom('* 0-21 * * *', '0-58 * * * *', '59 1-23 * * *', '* 23 1-27 * *', '0/2 * * * *', '1/2 * * * 1-5'),
      fc.constantFrom('1m', '90s', '61m'),
      fc.constantFrom(...zones),
    ),
    { minLength: 1, maxLength: 4 },
  );

  it('are those that a walk over every minute finds', () => {
    fc.assert(
      fc.property(many, fc.constantFrom(...starts), fc.nat({ max: 3000 }), (list, start, offset) => {
        const window = windowOf(list);
        const from = asInstant(start + offset * minute);
        const isOpen = window.isOpen(from);
        const next = window.nextChange(from);
        const last = window.lastChange(from);
        const steps = 6 * 1440;
        let same = 0;
        for (let i = 1; i < steps && from + i * minute < (next ?? Infinity); i++)
          if (window.isOpen(asInstant(from + i * minute)) !== isOpen) same++;
        for (let i = 1; i < steps && from - i * minute >= (last ?? -Infinity); i++)
          if (window.isOpen(asInstant(from - i * minute)) !== isOpen) same++;
        expect(same).toBe(0);
        if (next !== undefined)
          expect([window.isOpen(asInstant(next - 1)), window.isOpen(next)]).toEqual([isOpen, !isOpen]);
        if (last !== undefined)
          expect([window.isOpen(asInstant(last - 1)), window.isOpen(last)]).toEqual([!isOpen, isOpen]);
      }),
      { seed: 15, numRuns: 100 },
    );
  });

  it('and where none is found within 400 days, that is not yet for ever', () => {
    // Open until 29 February 2028, by hits that no schedule carries far.
    const leap = windowOf([
      ['0/2 * * * *', '1m', 'UTC'],
      ['1/2 * * 1,3-12 *', '1m', 'UTC'],
      ['1/2 * 1-28 2 *', '1m', 'UTC'],
    ]);
    const open = windowOf([
      ['0 0 * * 1-5', '24h', 'UTC'],
      ['0 0 * * 0,6', '24h', 'UTC'],
    ]);
    const start = at('2024-03-02T10:00:00Z');
    expect([leap.nextChange(start), staysForEver(leap, start)]).toEqual([undefined, false]);
    expect([open.nextChange(start), staysForEver(open, start)]).toEqual([undefined, true]);
  });
});

describe('Issue 15: what schedules cost', () => {
  /** A schedule whose questions to its zone and cron are counted: each is one step. */
  function counted(list: readonly (readonly [string, string])[]): { window: Window; steps: () => number } {
    let steps = 0;
    const window = scheduleWindow(
      list.map(([text, duration]) => {
        const cron = cronOf(text, 'Europe/Berlin');
        const zone = {
          ...cron.zone,
          periodAt: (instant: Instant) => {
            steps++;
            return cron.zone.periodAt(instant);
          },
        };
        const next = (after: Instant): Instant | undefined => {
          steps++;
          return cron.next(after);
        };
        const previous = (until: Instant): Instant | undefined => {
          steps++;
          return cron.previous(until);
        };
        return { cron: { ...cron, zone, next, previous }, duration: parseDuration(duration) as Duration };
      }),
    );
    return { window, steps: () => steps };
  }

  const start = at('2026-11-11T10:00:30Z');
  /** Days looked at, whole blocks, and for each schedule a few questions a day; days on which clocks are changed are walked. */
  const bound = (count: number): number => count * (5 * (lookahead / day + 64) + 4 * 1440) + 12_000;

  it.each([
    { it: '49 minutes of each hour by one cron', block: [['0-48 * * * *', '1m']] as const },
    {
      it: '49 minutes of each hour by 49 crons',
      block: Array.from({ length: 49 }, (_, i) => [`${i} * * * *`, '1m'] as const),
    },
    {
      it: 'every minute but one of the year',
      block: [
        ['* 0-22 * * *', '1m'],
        ['0-58 23 * * *', '1m'],
        ['59 23 * 1-11 *', '1m'],
      ] as const,
    },
    { it: 'a week each', block: Array.from({ length: 50 }, (_, i) => [`${i} ${i % 24} * * 1-5`, '168h'] as const) },
  ])('a common instant costs no more than the days ahead: $it', ({ block }) => {
    const allow = counted([['0 * * * *', '1m']]);
    const blocked = counted(block);
    firstMeeting([{ window: allow.window }, { window: not(blocked.window) }], start);
    blocked.window.nextChange(start);
    blocked.window.lastChange(start);
    expect(allow.steps()).toBeLessThan(bound(1));
    expect(blocked.steps()).toBeLessThan(bound(block.length));
  });

  it('and what missed each other for 400 days is known never to meet', () => {
    const allow = windowOf([['0 * * * *', '1m', 'Europe/Berlin']]);
    const block = windowOf([['0-48 * * * *', '1m', 'Europe/Berlin']]);
    expect(firstMeeting([{ window: allow }, { window: not(block) }], start)).toBe('never');
  });
});
