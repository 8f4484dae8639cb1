import { describe, expect, it } from 'vitest';
import { after, asDuration, type Instant, parseInstant, second } from '../time/instant.ts';
import type { Told } from './liveLog.ts';
import { Waiting } from './liveWaiting.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;
const at = (seconds: number): Instant => after(noon, asDuration(seconds * second));

function scene(isUrgent = false) {
  const lines: string[] = [];
  const say = ({ kind, text }: Told): number => lines.push(`${kind} ${text}`);
  const waiting = new Waiting(say, { kind: 'away', over: 'back', isUrgent });
  return { lines, waiting, over: (seconds: number) => waiting.isOver(at(seconds)).forEach(say) };
}

describe('K5: what lasts is told', () => {
  it('not at all where it is over within seconds', () => {
    const { lines, waiting, over } = scene();
    waiting.goesOn(at(0), 'k', 'no answer');
    waiting.goesOn(at(4), 'k', 'no answer');
    over(4.5);
    expect(lines).toEqual([]);
  });

  it('when it has lasted, rarer and rarer, and when it is over', () => {
    const { lines, waiting, over } = scene();
    for (let seconds = 0; seconds <= 300; seconds += 2) waiting.goesOn(at(seconds), 'k', 'no answer');
    over(301);
    expect(lines).toEqual([
      'away no answer (for 6s)',
      'away no answer (for 1m6s)',
      'away no answer (for 3m6s)',
      'back after 5m1s',
    ]);
  });

  it('again where it is for another cause', () => {
    const { lines, waiting } = scene();
    waiting.goesOn(at(0), 'a', 'a');
    waiting.goesOn(at(6), 'a', 'a');
    waiting.goesOn(at(7), 'b', 'b');
    expect(lines).toEqual(['away a (for 6s)', 'away b (for 7s)']);
  });

  it('at once where it is the first thing to be known', () => {
    const { lines, waiting, over } = scene(true);
    waiting.goesOn(at(0), 'k', 'not listed yet');
    over(2);
    waiting.goesOn(at(10), 'k', 'not listed yet');
    over(11);
    expect(lines).toEqual(['away not listed yet', 'back after 2s']);
  });
});
