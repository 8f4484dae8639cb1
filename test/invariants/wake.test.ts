import { describe, it } from 'vitest';
import type { Round } from '../../src/engine/verdict.ts';
import { asInstant, formatInstant, type Instant } from '../../src/time/instant.ts';
import { decideAt, type Loaded, load } from './decide.ts';
import { Dice } from './dice.ts';
import { difference } from './difference.ts';
import { fewerClusters, forAll } from './forAll.ts';
import { recorded, timeless } from './later.ts';

const second = 1000;
const day = 86_400 * second;
/** Continues from each wakeAt to the next, since some changes are missed only after an earlier one. */
const hops = 3;
const looks = 2;

describe('B7: before wakeAt', () => {
  it('time alone changes nothing; without a wakeAt it never does', () => {
    forAll((plain) => {
      const dice = new Dice(plain.objects.length);
      const wrong: string[] = [];
      let loaded = load(plain);
      for (let hop = 0; hop < hops && wrong.length === 0; hop++) {
        loaded = recorded(loaded, loaded.at);
        const round = decideAt(loaded, loaded.at);
        for (const later of instantsBefore(round, dice)) wrong.push(...changes(round, later, loaded));
        if (round.wakeAt === undefined) break;
        loaded = { ...loaded, at: round.wakeAt };
      }
      return wrong;
    }, fewerClusters);
  });
});

/** Whole seconds, like wakeAt. */
function instantsBefore({ at, wakeAt }: Round, dice: Dice): Instant[] {
  if (wakeAt === undefined) return [day, 400 * day].map((later) => asInstant(at + later));
  const first = Math.floor(at / second) + 1;
  const last = wakeAt / second - 1;
  if (last < first) return [];
  return [last, ...dice.many(looks - 1, () => dice.whole(first, last))].map((later) => asInstant(later * second));
}

function changes(round: Round, later: Instant, loaded: Loaded): string[] {
  const [now, then] = [round, decideAt(loaded, later)].map((it) => timeless(it, loaded));
  const [from, until] = [round.at, later].map((at) => formatInstant(at));
  return Object.keys({ ...now, ...then }).flatMap((field) => {
    const what = difference(now?.[field], then?.[field]);
    return what === undefined ? [] : [`B7: ${field} at ${from} and at ${until}: ${what}`];
  });
}
