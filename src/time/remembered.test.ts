import { describe, expect, it } from 'vitest';
import { asInstant, day, hour, type Instant } from './instant.ts';
import { keepNewest } from './keepNewest.ts';
import { remembered } from './remembered.ts';
import { always, lifetime, type Window } from './window.ts';

/** A window that counts the questions it is asked. */
function counting(window: Window): { counted: Window; asked: () => number } {
  let questions = 0;
  const count =
    <Answer>(answer: (at: Instant) => Answer) =>
    (at: Instant): Answer => {
      questions++;
      return answer(at);
    };
  const counted = {
    text: window.text,
    isOpen: count(window.isOpen),
    nextChange: count(window.nextChange),
    lastChange: count(window.lastChange),
  };
  return { counted, asked: () => questions };
}

const at = (hours: number): Instant => asInstant(hours * hour);

describe('B4: a window that remembers', () => {
  it('answers within the last stretch without being asked again', () => {
    const { counted, asked } = counting(lifetime(at(10), at(20)));
    const window = remembered(counted);
    expect([window.isOpen(at(12)), window.lastChange(at(12)), window.nextChange(at(12))]).toEqual([
      true,
      at(10),
      at(20),
    ]);
    const before = asked();
    expect([window.isOpen(at(10)), window.lastChange(at(19)), window.nextChange(at(11))]).toEqual([
      true,
      at(10),
      at(20),
    ]);
    expect(asked()).toBe(before);
  });

  it('asks again outside of it', () => {
    const window = remembered(lifetime(at(10), at(20)));
    expect([window.isOpen(at(12)), window.nextChange(at(12))]).toEqual([true, at(20)]);
    expect([window.isOpen(at(20)), window.nextChange(at(20))]).toEqual([false, undefined]);
    expect([window.isOpen(at(9)), window.nextChange(at(9))]).toEqual([false, at(10)]);
  });

  it('believes for a day that nothing changes', () => {
    const { counted, asked } = counting(always);
    const window = remembered(counted);
    window.nextChange(at(0));
    const before = asked();
    window.nextChange(asInstant(day - 1));
    expect(asked()).toBe(before);
    window.nextChange(asInstant(day));
    expect(asked()).toBeGreaterThan(before);
  });
});

describe('A map with a limit', () => {
  it('forgets its oldest entry', () => {
    const map = new Map<string, number>();
    for (const [index, key] of ['a', 'b', 'c'].entries()) expect(keepNewest(map, 2, key, index)).toBe(index);
    expect([...map]).toEqual([
      ['b', 1],
      ['c', 2],
    ]);
  });
});
