import { describe, it } from 'vitest';
import type { NodeView } from '../../src/cluster/nodeView.ts';
import { type Change, type ClusterStore, keyOf } from '../../src/cluster/store.ts';
import { decideRound } from '../../src/engine/round.ts';
import { asInstant } from '../../src/time/instant.ts';
import { load, type Put, putsOf, storeOf } from './decide.ts';
import { Dice } from './dice.ts';
import { difference } from './difference.ts';
import { fewerClusters, forAll } from './forAll.ts';
import { randomCluster } from './randomCluster.ts';

describe('a store that was changed object by object', () => {
  it('has the same views as one built at once, and gives the same round', () => {
    forAll((plain, seed) => {
      const { changes, ledger, at, settings } = load(plain);
      const store = wander(changes, new Dice(seed));
      const once = storeOf(changes);
      const rounds = [once, store].map((cluster) => JSON.stringify(decideRound({ cluster, ledger }, at, settings)));
      const what = difference(...rounds);
      return [...viewDifferences(once.nodes, store.nodes), ...(what ? [`store: the rounds part: ${what}`] : [])];
    }, fewerClusters);
  });
});

describe('F2: a store on which many rounds were decided', () => {
  it('gives the same round as a new store, regardless of earlier rounds', () => {
    forAll((plain, seed) => {
      const dice = new Dice(seed);
      const { changes, ledger, at, settings } = load(plain);
      const other = load(randomCluster(dice.whole(1, 10_000)));
      const warm = storeOf(changes);
      const now = new Map<string, Change>(changes.map((put) => [nameOf(put), put]));
      let instant = at;
      for (let round = 0; round < rounds; round++) {
        for (const change of dice.some<Change>(
          [...changes, ...other.changes, ...changes.map(goneOf)],
          dice.whole(0, 3),
        )) {
          warm.apply(change);
          if ('put' in change) now.set(nameOf(change), change);
          else now.delete(`${change.kind} ${change.gone}`);
        }
        // Time mostly moves forward, but may also move back.
        instant = asInstant(instant + dice.pick([0, 1, 60, 600, 3600, 20_000, 90_000, -3600]) * 1000);
        const how = dice.chance(0.2) ? other.settings : settings;
        const asked = { ledger: dice.chance(0.2) ? other.ledger : ledger };
        const cold = storeOf([...now.values()]);
        const [one, two] = [cold, warm].map((cluster) =>
          JSON.stringify(decideRound({ cluster, ...asked }, instant, how)),
        );
        const what = difference(one, two);
        if (what !== undefined) return [`F2: in round ${round}: ${what}`];
      }
      return [];
    }, fewerClusters);
  });
});

const rounds = 5;

/** A store that reaches these objects from another cluster with the same names, with deletions and additions on the way. */
function wander(goal: readonly Put[], dice: Dice): ClusterStore {
  const others = putsOf(randomCluster(dice.whole(1, 10_000)).objects);
  const names = new Set(goal.map(nameOf));
  const leftover = others.filter((put) => !names.has(nameOf(put))).map(goneOf);
  const detours = dice.some(goal, goal.length >> 2).flatMap((put) => [put, goneOf(put)]);
  const store = storeOf([]);
  for (const change of [...dice.shuffled<Change>([...others, ...detours]), ...dice.shuffled([...goal, ...leftover])]) {
    store.apply(change);
    // Reading the nodes in between caches views that must not become stale.
    if (dice.chance(0.2)) store.nodes.length;
  }
  return store;
}

const nameOf = ({ kind, put }: Put): string => `${kind} ${keyOf(put)}`;
const goneOf = ({ kind, put }: Put) => ({ kind, gone: keyOf(put) }) as Change;

function viewDifferences(some: readonly NodeView[], others: readonly NodeView[]): string[] {
  const names = [some, others].map((views) => views.map(({ node }) => node.name).join());
  if (names[0] !== names[1]) return [`store: nodes are ${names[1]}, not ${names[0]}`];
  return some.flatMap((view, index) => {
    const what = difference(...[view, others[index]].map(textOf));
    return what === undefined ? [] : [`store: view of ${view.node.name}: ${what}`];
  });
}

/** Without the memory of rules, which depends on earlier calls, and ids, which only identify objects. */
const textOf = (view: NodeView | undefined): string =>
  JSON.stringify(view, (key, value) =>
    key === 'memory' || key === 'id' ? undefined : value instanceof Set ? [...value] : value,
  );
