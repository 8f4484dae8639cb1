import { describe, expect, it } from 'vitest';
import { smallWorld } from '../../test/oracle/smallWorld.ts';
import { catalogueOf, objectsOf } from '../../test/oracle/worldObjects.ts';
import { instant, storeOf } from '../../test/vectors/decide.ts';
import { emptyLedger } from '../cluster/ledger.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import { readSettings } from '../kinds/readSettings.ts';
import { searchRequest, searchTask } from './consolidation/searchTask.ts';
import type { Decision } from './decision.ts';
import { reportRound } from './report/report.ts';
import { decide } from './round.ts';

const now = instant('2026-11-16T12:00:00Z');
const worlds = Array.from({ length: 25 }, (_, seed) => smallWorld(seed));

type World = (typeof worlds)[number];

const settingsOf = (world: World, role: 'drive' | 'guide'): Settings =>
  readSettings({ role, catalogue: catalogueOf(world) }).settings;

const decideOn = (cluster: Cluster, settings: Settings): Decision =>
  decide({ cluster, ledger: emptyLedger }, now, settings);

/** What a round says, and what a search after it would work on; the version says only whether anything changed. */
function outcome(decision: Decision): unknown {
  const request = searchRequest(decision);
  const { version: _, board, ...task } = request ? searchTask(request) : { version: '', board: undefined };
  return { round: reportRound(decision), task, rows: board?.rows.map(({ name, free }) => [name, free]) };
}

/** The same cluster, on which something is done whenever a list of it is read. */
const watched = (cluster: Cluster, onRead: () => void): Cluster =>
  new Proxy(cluster, {
    get: (target, name) => {
      if (name === 'pendingPods' || name === 'pools') onRead();
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

describe('Two decisions on one cluster', () => {
  it('say what each would say alone, where one is made in the middle of the other', () => {
    let inner = 0;
    for (const world of worlds) {
      const [drive, guide] = [settingsOf(world, 'drive'), settingsOf(world, 'guide')];
      const alone = outcome(decideOn(storeOf(objectsOf(world)), drive));
      const other = outcome(decideOn(storeOf(objectsOf(world)), guide));
      const store = storeOf(objectsOf(world));
      decideOn(store, drive);
      let reads = 0;
      let isInside = false;
      const cluster = watched(store, () => {
        if (isInside || ++reads % 7 !== 0) return;
        isInside = true;
        expect(outcome(decideOn(store, guide))).toEqual(other);
        isInside = false;
        inner++;
      });
      expect(outcome(decideOn(cluster, drive))).toEqual(alone);
    }
    expect(inner).toBeGreaterThan(worlds.length);
  });

  it('leave each other what they decided: it is reported, and searched on, after another was made', () => {
    for (const world of worlds) {
      const [drive, guide] = [settingsOf(world, 'drive'), settingsOf(world, 'guide')];
      const store = storeOf(objectsOf(world));
      const [first, second] = [decideOn(store, drive), decideOn(store, guide)];
      decideOn(store, drive);
      expect(outcome(first)).toEqual(outcome(decideOn(storeOf(objectsOf(world)), drive)));
      expect(outcome(second)).toEqual(outcome(decideOn(storeOf(objectsOf(world)), guide)));
    }
  });
});
