import { describe, expect, it } from 'vitest';
import { asDuration, asInstant, minute, second } from '../../time/instant.ts';
import type { LogEntry } from './liveLog.ts';
import { Silence, Vitals } from './watchdogVitals.ts';

function scene() {
  const clock = { now: asInstant(0) };
  const logged: LogEntry[] = [];
  let beats = 0n;
  const silence = new Silence(() => beats, clock);
  const vitals = new Vitals({ silence, stuckAfter: asDuration(5 * minute), log: (told) => logged.push(told) });
  const pass = (seconds: number, isBusy: boolean): void => {
    for (let passed = 0; passed < seconds; passed++) {
      clock.now = asInstant(clock.now + second);
      if (!isBusy) beats++;
      vitals.look();
    }
  };
  return { vitals, logged, pass };
}

const ok = { status: 200, text: 'ok\n' };

describe('Probes', () => {
  it('return the readiness of the main thread as long as it is alive', () => {
    const { vitals, pass } = scene();
    expect(vitals.readiness()).toEqual({ status: 503, text: 'starting\n' });
    expect(vitals.health()).toEqual(ok);
    vitals.ready = { status: 503, text: 'parking: 3 of 5\n' };
    pass(60, false);
    expect(vitals.readiness()).toEqual({ status: 503, text: 'parking: 3 of 5\n' });
  });

  it('report late rounds, with the same status', () => {
    const { vitals, pass, logged } = scene();
    vitals.ready = ok;
    pass(82, true);
    const late = { status: 200, text: 'ok\nrounds are late: the main thread has been busy for 1m22s\n' };
    expect([vitals.health(), vitals.readiness()]).toEqual([late, late]);
    expect(vitals.isAlive()).toBe(true);
    pass(2, false);
    expect(vitals.readiness()).toEqual(ok);
    // One line in ten minutes, however often.
    for (let round = 0; round < 5; round++) {
      pass(82, true);
      pass(1, false);
    }
    expect(logged.map(({ kind }) => kind)).toEqual(['late']);
    pass(600, false);
    pass(20, true);
    expect(logged.map(({ kind }) => kind)).toEqual(['late', 'late']);
  });

  it('fail for a stuck thread, with the reason, until it responds again', () => {
    const { vitals, pass, logged } = scene();
    vitals.ready = ok;
    pass(299, true);
    expect(vitals.isAlive()).toBe(true);
    pass(1, true);
    expect(vitals.isAlive()).toBe(false);
    const text =
      'stuck: the main thread has been busy for 5m, longer than --stuck-after 5m; the lease is not renewed, and the process should be restarted\n';
    expect([vitals.health(), vitals.readiness()]).toEqual([
      { status: 503, text },
      { status: 503, text },
    ]);
    pass(1, false);
    expect([vitals.health(), vitals.isAlive()]).toEqual([ok, true]);
    expect(logged.map(({ kind }) => kind)).toEqual(['late', 'stuck', 'unstuck']);
  });

  it('fail if the lease is lost and the main thread has not noticed', () => {
    const { vitals } = scene();
    vitals.ready = ok;
    vitals.isLost = true;
    expect(vitals.readiness()).toEqual({ status: 503, text: 'the lease is no longer held\n' });
    expect(vitals.health()).toEqual(ok);
  });
});
