// The virtual clock.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asDuration, asInstant, type Instant } from '../time/instant.ts';
import { VirtualClock, type VirtualTimer } from './virtualClock.ts';

const start = asInstant(1_000_000);

const runOut = (clock: VirtualClock): void => {
  while (clock.step());
};

describe('the virtual clock', () => {
  it('advances only when an event runs, to the time of that event', () => {
    const clock = new VirtualClock(start);
    const seen: Instant[] = [];
    clock.in(asDuration(500), () => seen.push(clock.now));
    expect(clock.now).toBe(start);
    expect(clock.nextAt).toBe(start + 500);
    expect(clock.step()).toBe(true);
    expect(seen).toEqual([start + 500]);
    expect(clock.step()).toBe(false);
    expect(clock.nextAt).toBeUndefined();
  });

  it('runs an event scheduled in the past next, and never goes back', () => {
    const clock = new VirtualClock(start);
    const seen: [string, Instant][] = [];
    clock.in(asDuration(100), () => {
      clock.at(start, () => seen.push(['late', clock.now]));
      seen.push(['first', clock.now]);
    });
    clock.in(asDuration(101), () => seen.push(['last', clock.now]));
    runOut(clock);
    expect(seen).toEqual([
      ['first', start + 100],
      ['late', start + 100],
      ['last', start + 101],
    ]);
  });

  it('does not run a cancelled timer; cancelling one that runs or has run does nothing', () => {
    const clock = new VirtualClock(start);
    const seen: string[] = [];
    const own: VirtualTimer = clock.in(asDuration(1), () => {
      own.cancel();
      seen.push('own');
    });
    const other = clock.in(asDuration(2), () => seen.push('other'));
    clock.in(asDuration(3), () => seen.push('third'));
    other.cancel();
    other.cancel();
    runOut(clock);
    own.cancel();
    clock.in(asDuration(1), () => seen.push('fourth'));
    runOut(clock);
    expect(seen).toEqual(['own', 'third', 'fourth']);
  });

  it('runs everything in order of time, then of scheduling, whatever is cancelled and whatever is added meanwhile', () => {
    const event = fc.record({
      delay: fc.integer({ min: 0, max: 20 }),
      /** Scheduled by the event when it runs. */
      adds: fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 3 }),
      /** Cancels the timer this many before it. */
      cancels: fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const clock = new VirtualClock(start);
        const alive = new Map<number, { at: number; order: number }>();
        const timers: VirtualTimer[] = [];
        let order = 0;
        const schedule = (delay: number, adds: readonly number[]): void => {
          const id = order++;
          alive.set(id, { at: clock.now + delay, order: id });
          timers.push(clock.in(asDuration(delay), () => run(id, adds)));
        };
        // The plain model: of all that are alive, the least is the one to be run.
        const run = (id: number, adds: readonly number[]): void => {
          const [first] = [...alive.values()].sort((a, b) => a.at - b.at || a.order - b.order);
          expect(first).toEqual({ at: clock.now, order: id });
          alive.delete(id);
          for (const delay of adds) schedule(delay, []);
        };
        for (const { delay, adds, cancels } of events) {
          schedule(delay, adds);
          const victim = cancels === undefined ? -1 : timers.length - cancels;
          timers[victim]?.cancel();
          alive.delete(victim);
        }
        runOut(clock);
        expect(alive.size).toBe(0);
      }),
      { seed: 4, numRuns: 500 },
    );
  });
});
