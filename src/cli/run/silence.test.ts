import { describe, expect, it } from 'vitest';
import { asInstant, second } from '../../time/instant.ts';
import { Silence } from './watchdogVitals.ts';

function scene() {
  const clock = { now: asInstant(0) };
  let beats = 0n;
  const silence = new Silence(() => beats, clock);
  const pass = (seconds: number): number => {
    clock.now = asInstant(clock.now + seconds * second);
    return silence.look() / second;
  };
  return { pass, beat: () => beats++ };
}

describe('The length of the silence of the main thread', () => {
  it('grows without heartbeats, and ends with the next one', () => {
    const { pass, beat } = scene();
    expect([pass(1), pass(1), pass(1)]).toEqual([1, 2, 3]);
    beat();
    expect([pass(1), pass(1)]).toEqual([0, 1]);
  });

  it('does not count time in which the whole process was stopped', () => {
    const { pass } = scene();
    pass(1);
    expect(pass(3600)).toBe(3);
  });
});
