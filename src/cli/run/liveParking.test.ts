import { describe, expect, it } from 'vitest';
import { at, noon } from '../../../test/build.ts';
import { after, asDuration, second } from '../../time/instant.ts';
import { ParkingProgress } from './liveWaiting.ts';

interface Seen {
  readonly seconds: number;
  readonly parked: number;
  readonly unparked: number;
  readonly late?: number;
}

/** The log entries of each round, and what keeps Lull from being ready then. */
function follow(
  rounds: readonly Seen[],
  progress = new ParkingProgress(),
): (readonly [string[], string | undefined])[] {
  return rounds.map(({ seconds, parked, unparked, late = unparked }) => {
    const told = progress.next({
      at: after(at(noon), asDuration(seconds * second)),
      parking: [
        { pool: 'web', parked, unparked, late },
        { pool: 'api', parked: 0, unparked: 0, late: 0 },
      ],
    });
    return [told.map(({ kind, text }) => `${kind} ${text}`), progress.hindrance];
  });
}

const words = (parked: number) =>
  `parked ${parked} of 600 nodes; Karpenter may disrupt the others until they are parked`;

describe('N3: the first parking', () => {
  it('is logged when it begins, every five seconds and when it ends; until then Lull is not ready', () => {
    const rounds = [
      { seconds: 0, parked: 0, unparked: 600 },
      { seconds: 2, parked: 256, unparked: 344 },
      { seconds: 6, parked: 512, unparked: 88 },
      { seconds: 7, parked: 600, unparked: 0 },
    ];
    expect(follow(rounds)).toEqual([
      [[`parking ${words(0)}`], words(0)],
      [[], words(256)],
      [[`parking ${words(512)}`], words(512)],
      [['parked all 600 nodes, in 7s'], undefined],
    ]);
  });

  it('counts new nodes too; once it is over, only nodes that stay unparked', () => {
    const rounds = [
      { seconds: 0, parked: 0, unparked: 600, late: 0 },
      { seconds: 1, parked: 600, unparked: 0 },
      { seconds: 2, parked: 599, unparked: 1, late: 0 },
      { seconds: 60, parked: 599, unparked: 1, late: 1 },
    ];
    expect(follow(rounds).map(([, hindrance]) => hindrance)).toEqual([words(0), undefined, undefined, words(599)]);
  });

  it('is not logged if everything is parked already, or nothing must be', () => {
    expect(follow([{ seconds: 0, parked: 600, unparked: 0 }])).toEqual([[[], undefined]]);
    const progress = new ParkingProgress();
    expect(progress.next({ at: at(noon) })).toEqual([]);
    expect(progress.hindrance).toBeUndefined();
  });

  it('starts over when a process leads again', () => {
    const progress = new ParkingProgress();
    const young = { seconds: 0, parked: 599, unparked: 1, late: 0 };
    follow([{ seconds: 0, parked: 600, unparked: 0 }, young], progress);
    progress.restart();
    expect(follow([young], progress)).toEqual([[[`parking ${words(599)}`], words(599)]]);
  });
});
