import { describe, expect, it } from 'vitest';
import type { Action } from '../engine/commands/action.ts';
import { after, asDuration, asInstant } from '../time/instant.ts';
import { Outbox } from './outbox.ts';
import type { ApiResponse } from './port.ts';

const evict: Action = { verb: 'evict', kind: 'Pod', namespace: 'shop', name: 'web-1', preconditions: { uid: 'u1' } };
const other: Action = { ...evict, name: 'web-2', preconditions: { uid: 'u2' } };
const tooMany: ApiResponse = { status: 'refused', code: 429, message: 'the budget is spent' };
const done: ApiResponse = { status: 'done' };
const start = asInstant(0);
const at = (milliseconds: number) => after(start, asDuration(milliseconds));

describe('G6: a refused eviction is tried again', () => {
  it('after 100 ms, then twice as long each time, up to 10 s', () => {
    const outbox = new Outbox();
    const waits: number[] = [];
    let now = start;
    for (let tries = 0; tries < 9; tries++) {
      expect(outbox.ready([evict], now)).toEqual([evict]);
      outbox.note(evict, tooMany, now);
      const next = outbox.nextAt(now) ?? now;
      expect(outbox.ready([evict], asInstant(next - 1))).toEqual([]);
      waits.push(next - now);
      now = next;
    }
    expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  });

  it('while the others are sent', () => {
    const outbox = new Outbox();
    outbox.note(evict, tooMany, start);
    expect(outbox.ready([evict, other], at(50))).toEqual([other]);
  });

  it('from the first delay if it was not wanted for a while', () => {
    const outbox = new Outbox();
    outbox.note(evict, tooMany, start);
    outbox.note(evict, tooMany, start);
    outbox.ready([other], at(10));
    expect(outbox.nextAt(at(10))).toBeUndefined();
    expect(outbox.ready([evict], at(10))).toEqual([evict]);
  });

  it('at once if it is another pod of the same name', () => {
    const outbox = new Outbox();
    outbox.note(evict, tooMany, start);
    const again = { ...evict, preconditions: { uid: 'u9' } };
    expect(outbox.ready([again], at(1))).toEqual([again]);
  });
});

describe('K5: an action that was done and is still wanted', () => {
  it('is sent once more, and then less and less often', () => {
    const outbox = new Outbox();
    outbox.note(evict, done, start);
    expect(outbox.ready([evict], at(1))).toEqual([evict]);
    outbox.note(evict, done, at(1));
    expect(outbox.ready([evict], at(100))).toEqual([]);
    expect(outbox.nextAt(at(100))).toBe(at(201));
  });
});
