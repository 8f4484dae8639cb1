import { describe, expect, it } from 'vitest';
import { after, asDuration, type Instant, parseInstant, second } from '../../time/instant.ts';
import type { LogEntry } from './liveLog.ts';
import { ProblemLog } from './liveWaiting.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;
const at = (seconds: number): Instant => after(noon, asDuration(seconds * second));

function scene(isUrgent = false) {
  const lines: string[] = [];
  const say = ({ kind, text }: LogEntry): number => lines.push(`${kind} ${text}`);
  const waiting = new ProblemLog(say, { kind: 'away', over: 'back', isUrgent });
  return { lines, waiting, over: (seconds: number) => waiting.resolve(at(seconds)).forEach(say) };
}

describe('K5: a lasting problem is logged', () => {
  it('not if it is over within seconds', () => {
    const { lines, waiting, over } = scene();
    waiting.report(at(0), 'k', 'no answer');
    waiting.report(at(4), 'k', 'no answer');
    over(4.5);
    expect(lines).toEqual([]);
  });

  it('when it lasts, at growing intervals, and when it is over', () => {
    const { lines, waiting, over } = scene();
    for (let seconds = 0; seconds <= 300; seconds += 2) waiting.report(at(seconds), 'k', 'no answer');
    over(301);
    expect(lines).toEqual([
      'away no answer (for 6s)',
      'away no answer (for 1m6s)',
      'away no answer (for 3m6s)',
      'back after 5m1s',
    ]);
  });

  it('again for another cause', () => {
    const { lines, waiting } = scene();
    waiting.report(at(0), 'a', 'a');
    waiting.report(at(6), 'a', 'a');
    waiting.report(at(7), 'b', 'b');
    expect(lines).toEqual(['away a (for 6s)', 'away b (for 7s)']);
  });

  it('at once at the start', () => {
    const { lines, waiting, over } = scene(true);
    waiting.report(at(0), 'k', 'not listed yet');
    over(2);
    waiting.report(at(10), 'k', 'not listed yet');
    over(11);
    expect(lines).toEqual(['away not listed yet', 'back after 2s']);
  });
});
