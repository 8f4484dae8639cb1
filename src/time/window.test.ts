import { describe, expect, it } from 'vitest';
import { parseCron } from './cron.ts';
import { parseDuration } from './duration.ts';
import { asInstant, type Duration, formatInstant, type Instant, parseInstant } from './instant.ts';
import { scheduleWindow } from './scheduleWindow.ts';
import { always, closesAt, lifetime, never, openings, opensAt, type Window } from './window.ts';

const at = (text: string): Instant => parseInstant(text) as Instant;

function windowOf(cron: string, duration: string): Window {
  const parsed = parseCron(cron);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return scheduleWindow([{ cron: parsed.cron, duration: parseDuration(duration) as Duration }]);
}

/** Karpenter's own rows (T) and ours (D) of the reference, section 24.2; what differs on purpose names its clause. */
describe('B4: a window is open from its start until just before its end', () => {
  it.each([
    ['T011', '@daily', '30m', '2000-05-31T00:00:00+01:00', false],
    ['T013', '* * * * *', '1h', '2000-06-15T12:30:30Z', true],
    ['T014', '@yearly', '1h', '2000-06-15T12:30:30Z', false],
    ['T015', '@yearly', '24h', '1000-01-01T12:00:00Z', true],
    ['T016', '@daily', '48h', '2024-01-07T00:00:00Z', true],
    ['T017', '30 6 * * SUN', '6h', '2024-01-07T00:00:00Z', false],
    ['T018, B2', '0 0 * * tue-mon', '6h', '2024-01-07T00:00:00Z', true],
    ['D01', '0 9 * * mon-fri', '8h', '2024-01-08T08:59:59Z', false],
    ['D02', '0 9 * * mon-fri', '8h', '2024-01-08T09:00:00Z', true],
    ['D03', '0 9 * * mon-fri', '8h', '2024-01-08T16:59:59Z', true],
    ['D03', '0 9 * * mon-fri', '8h', '2024-01-08T16:59:59.999Z', true],
    ['D04', '0 9 * * mon-fri', '8h', '2024-01-08T17:00:00Z', false],
    ['D05', '0 9 * * mon-fri', '8h', '2024-01-06T12:00:00Z', false],
    ['D06', '0 22 * * *', '10h', '2024-01-08T07:59:59Z', true],
    ['D06', '0 22 * * *', '10h', '2024-01-08T08:00:00Z', false],
    ['D07', '@daily', '24h', '2024-01-08T00:00:00Z', true],
    ['D07', '@daily', '24h', '2024-01-08T23:59:59Z', true],
    ['D08', '@hourly', '1m', '2024-01-08T10:00:59Z', true],
    ['D08', '@hourly', '1m', '2024-01-08T10:01:00Z', false],
    ['D09', '5/15 * * * *', '5m', '2024-01-08T10:24:59Z', true],
    ['D09', '5/15 * * * *', '5m', '2024-01-08T10:25:00Z', false],
    ['D10', '10 10 * * *', '23h50m', '2024-01-08T10:05:00Z', false],
    ['D10', '10 10 * * *', '23h50m', '2024-01-08T10:10:00Z', true],
    ['D10', '10 10 * * *', '23h50m', '2024-01-08T09:59:59Z', true],
    ['D10', '10 10 * * *', '23h50m', '2024-01-08T10:00:00Z', false],
    ['D11', '0 9 * * *', '0m', '2024-01-08T09:00:00Z', false],
    ['D12, B6: never, not always', '0 0 30 2 *', '1h', '2024-03-01T00:30:00Z', false],
    ['D13, B6: never, not always', '0 0 31 11 *', '1h', '2024-12-01T00:30:00Z', false],
    ['D14', '0 0 29 2 *', '1h', '2024-02-29T00:30:00Z', true],
    ['D14', '0 0 29 2 *', '1h', '2025-03-01T00:30:00Z', false],
    ['D15', '0 0 1 * mon', '1h', '2024-01-08T00:30:00Z', true],
    ['D15', '0 0 1 * mon', '1h', '2024-02-01T00:30:00Z', true],
    ['D16', '0 0 */2 * mon', '1h', '2024-01-09T00:30:00Z', true],
    ['D17', '0 0 * * mon', '1h', '2024-01-09T00:30:00Z', false],
    ['D18, B2: Sunday', '0 0 * * 7', '1h', '2024-01-07T00:30:00Z', true],
    ['D18, B2: every day', '0 0 * * 1-7', '1h', '2024-01-07T00:30:00Z', true],
    ['D19, B2: the weekend', '0 0 * * sat-sun', '1h', '2024-01-07T00:30:00Z', true],
    ['D20', '0 0 * * 6,0', '1h', '2024-01-07T00:30:00Z', true],
    ['D21, B3: a zone is honoured', 'TZ=America/New_York 0 9 * * *', '1h', '2024-01-08T14:30:00Z', true],
  ])('%s: %s for %s at %s', (_, cron, duration, instant, open) => {
    expect(windowOf(cron, duration).isOpen(at(instant))).toBe(open);
  });

  it.each([
    ['D21', '0 0 0 * * *'],
    ['D22', '@dailyfoo'],
    ['D22', '@every 1h'],
  ])('%s: %s is not a schedule', (_, cron) => {
    expect(parseCron(cron)).toHaveProperty('fault');
  });
});

describe('D4: a lifetime', () => {
  const [june, july] = [at('2026-06-01T00:00:00Z'), at('2026-07-01T00:00:00Z')];
  const justBefore = (instant: Instant) => asInstant(instant - 1);

  it.each([
    { name: 'takes its start in', window: lifetime(june, july), at: june, open: true, last: june, next: july },
    { name: 'leaves its end out', window: lifetime(june, july), at: july, open: false, last: july, next: undefined },
    {
      name: 'is closed before',
      window: lifetime(june, july),
      at: justBefore(june),
      open: false,
      last: undefined,
      next: june,
    },
    { name: 'may have no end', window: lifetime(june, undefined), at: july, open: true, last: june, next: undefined },
    { name: 'may have no start', window: lifetime(undefined, july), at: june, open: true, last: undefined, next: july },
    {
      name: 'may have neither',
      window: lifetime(undefined, undefined),
      at: june,
      open: true,
      last: undefined,
      next: undefined,
    },
    {
      name: 'may end before it starts',
      window: lifetime(july, june),
      at: june,
      open: false,
      last: undefined,
      next: undefined,
    },
  ])('$name', ({ window, at, open, last, next }) => {
    expect(window.isOpen(at)).toBe(open);
    expect(window.lastChange(at)).toBe(last);
    expect(window.nextChange(at)).toBe(next);
  });

  it.each([
    [lifetime(june, july), 'from 2026-06-01T00:00:00Z until 2026-07-01T00:00:00Z'],
    [lifetime(june, undefined), 'from 2026-06-01T00:00:00Z'],
    [lifetime(undefined, july), 'until 2026-07-01T00:00:00Z'],
  ])('says so: %#', (window, text) => {
    expect(window.text).toBe(text);
  });
});

describe('B7: the next opening and closing', () => {
  const office = windowOf('0 9 * * mon-fri', '8h');
  const [night, noon] = [at('2024-01-08T03:00:00Z'), at('2024-01-08T12:00:00Z')];

  it.each([
    { name: 'closed', window: office, at: night, opens: at('2024-01-08T09:00:00Z'), closes: night },
    { name: 'open', window: office, at: noon, opens: noon, closes: at('2024-01-08T17:00:00Z') },
    { name: 'always open', window: always, at: noon, opens: noon, closes: undefined },
    { name: 'never open', window: never, at: noon, opens: undefined, closes: noon },
  ])('of a window that is $name', ({ window, at, opens, closes }) => {
    expect(opensAt(window, at)).toBe(opens);
    expect(closesAt(window, at)).toBe(closes);
  });

  function firstTwo(window: Window, from: Instant) {
    const found = [];
    for (const { from: start, to } of openings(window, from)) {
      found.push([start && formatInstant(start), to && formatInstant(to)]);
      if (found.length === 2) break;
    }
    return found;
  }

  it.each([
    {
      name: 'one that holds the instant has its true start',
      window: office,
      from: noon,
      want: [
        ['2024-01-08T09:00:00Z', '2024-01-08T17:00:00Z'],
        ['2024-01-09T09:00:00Z', '2024-01-09T17:00:00Z'],
      ],
    },
    {
      name: 'one that has just closed is past',
      window: office,
      from: at('2024-01-12T17:00:00Z'),
      want: [
        ['2024-01-15T09:00:00Z', '2024-01-15T17:00:00Z'],
        ['2024-01-16T09:00:00Z', '2024-01-16T17:00:00Z'],
      ],
    },
    { name: 'always', window: always, from: noon, want: [[undefined, undefined]] },
    { name: 'never', window: never, from: noon, want: [] },
    { name: 'a last one', window: lifetime(noon, undefined), from: night, want: [['2024-01-08T12:00:00Z', undefined]] },
  ])('L4: the openings: $name', ({ window, from, want }) => {
    expect(firstTwo(window, from)).toEqual(want);
  });
});
