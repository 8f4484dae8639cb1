// Is there anything worth searching after this round, and over what? Built when somebody asks for it.
import { maxCommands } from '../../cluster/ledger.ts';
import type { NodeView, PdbBox } from '../../cluster/nodeView.ts';
import { fingerprint } from '../commands/fingerprint.ts';
import type { Started } from '../commands/start.ts';
import { podsToEvict } from '../gates/pdbs.ts';
import { limitAt } from '../limits/budgets.ts';
import { isReadByKarpenter, karpenterLimit } from '../limits/karpenterBudgets.ts';
import { consumedFor, limitQuery } from '../limits/poolBudgets.ts';
import type { SharedLimit } from '../limits/sharedLimit.ts';
import type { FactsBoard } from '../placement/factsBoard.ts';
import { isConsumed, type Situation, type Tally } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { balancedTotals, leaverOf } from './ground.ts';
import { marketOf } from './market.ts';
import type { Search, SearchCandidate, SearchGuard, SearchTask } from './searchTask.ts';

/** What a round knows when it is decided. */
export interface AfterRound {
  readonly situation: Situation;
  readonly limits: SharedLimit;
  readonly started: readonly Started[];
  /** Candidates for Underutilized that stay so far, most worth removing first. */
  readonly wishes: readonly Wish[];
  readonly board: () => FactsBoard;
}

/** Undefined = nobody may go, so that nothing is worth searching. */
export function openSearch(after: AfterRound): Search | undefined {
  const { situation, limits } = after;
  if (after.wishes.length === 0) return undefined;
  const left = leftOf(after);
  const isDeclined = declinedIn(situation);
  const wishes = after.wishes.filter(
    (wish) => left.get(wish.pool?.name ?? '') !== 0 && !isDeclined(wish) && limits.refuse(wish).length === 0,
  );
  if (wishes.length === 0) return undefined;
  const board = after.board();
  const guards = new Guards(after);
  const candidates = wishes.map((wish) => candidateOf(wish, guards, situation));
  const { settings, cluster, inFlight } = situation;
  const from = [
    board.judgements.revision,
    candidates,
    [...left],
    guards.all,
    [...inFlight.keys()],
    cluster.pendingPods.length,
  ];
  const version = fingerprint(JSON.stringify(from));
  const task = (): SearchTask => ({
    version,
    board: board.copy(),
    candidates,
    left,
    guards: guards.all,
    commands: maxCommands - situation.ledger.commands.length - after.started.length,
    market: marketOf(situation),
    rules: {
      minimumSavings: settings.minimumSavings,
      podMoveCost: settings.podMoveCost,
      spotToSpot: settings.spotToSpot,
    },
    totals: balancedTotals(situation),
  });
  return { version, task };
}

/** By pool: how many more its budgets let go; beside Karpenter as it reads them, too. */
function leftOf({ situation, started }: AfterRound): ReadonlyMap<string, number> {
  const left = new Map<string, number>();
  const gone = started.flatMap(({ wishes }) => wishes).filter(({ view }) => isFresh(view, situation));
  for (const [name, tally] of situation.tallies) {
    const limit = leastLimit(tally, situation);
    const begun = gone.filter(({ view }) => view.poolName === name).length;
    if (limit !== undefined) left.set(name, Math.max(0, limit - consumedFor('Underutilized', tally) - begun));
  }
  return left;
}

const isFresh = (view: NodeView, situation: Situation): boolean =>
  view.state.counted && !isConsumed(view, 'Underutilized', situation);

function leastLimit(tally: Tally, situation: Situation): number | undefined {
  const { limit } = limitAt(limitQuery(tally, 'Underutilized', situation), situation.now);
  if (!isReadByKarpenter(tally.pool, situation)) return limit;
  const { limit: other } = karpenterLimit(tally, 'Underutilized', situation);
  return limit === undefined || other === undefined ? (limit ?? other) : Math.min(limit, other);
}

/** N3: what Karpenter has just declined is not pressed upon it again. */
export function declinedIn({ ledger, settings }: Situation): (wish: Wish) => boolean {
  const declined = new Set(settings.role === 'guide' ? ledger.declined?.map(({ node }) => node) : []);
  return ({ view }) => declined.has(view.node.name);
}

function candidateOf(wish: Wish, guards: Guards, { settings, now }: Situation): SearchCandidate {
  const { view } = wish;
  const guarded = view.guarded.flatMap((it) => {
    const pods = podsToEvict(it, wish.reason, now);
    return pods === 0 ? [] : [guards.placeOf(it.box), pods];
  });
  return { ...leaverOf(view, settings), node: view.node.name, guarded };
}

/** E10: the PDBs over the candidates, in the order in which they are met. */
class Guards {
  readonly all: SearchGuard[] = [];
  readonly #places = new Map<PdbBox, number>();
  readonly #waiting = new Map<PdbBox, number>();

  constructor({ situation: { cluster, inFlight }, started }: AfterRound) {
    const leaving = [...inFlight.keys()].flatMap((name) => cluster.node(name) ?? []);
    for (const { guarded } of [...leaving, ...started.flatMap(({ wishes }) => wishes.map(({ view }) => view))]) {
      for (const { box, pods } of guarded) this.#waiting.set(box, (this.#waiting.get(box) ?? 0) + pods.length);
    }
  }

  placeOf(box: PdbBox): number {
    const known = this.#places.get(box);
    if (known !== undefined) return known;
    this.#places.set(box, this.all.length);
    return this.all.push({ allowed: box.pdb.disruptionsAllowed, waiting: this.#waiting.get(box) ?? 0 }) - 1;
  }
}
