// The input of a search after a round: plain data, so that it can be sent to a worker.
import { maxCommands } from '../../cluster/ledger.ts';
import { fingerprint } from '../../cluster/names.ts';
import type { NodeView, PdbRef } from '../../cluster/nodeView.ts';
import { consumedFor, limitQuery } from '../limits/poolBudgets.ts';
import type { SharedLimit } from '../limits/sharedLimit.ts';
import type { BoardCopy } from '../placement/board.ts';
import { isReadByKarpenter, karpenterLimit, limitAt } from '../rules/budgets.ts';
import { podsToEvict } from '../rules/podRules.ts';
import { asKarpenterCounts, isConsumed, type PoolTally, type Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { StartedCommand } from '../wishOutcome.ts';
import { type CandidateNode, candidateNode } from './candidateNode.ts';
import type { SavingsRules } from './launch.ts';
import { catalogueOf, type LaunchCatalogue } from './launchCatalogue.ts';
import { balancedTotals, type PoolTotals } from './pricing.ts';

/** The input of a search. */
export interface SearchTask {
  /** A hash of the inputs. If it is unchanged, a search would find the same as before. */
  readonly version: string;
  /** The nodes that no rule refuses, most worth removing first. */
  readonly candidates: readonly SearchCandidate[];
  /** By pool: how many more nodes its budgets allow. A missing pool has no limit. */
  readonly left: ReadonlyMap<string, number>;
  /** The PDBs over the candidates (E10). */
  readonly guards: readonly SearchGuard[];
  readonly board: BoardCopy;
  /** How many commands the ledger still has room for. */
  readonly commands: number;
  readonly catalogue: LaunchCatalogue;
  readonly rules: SavingsRules;
  /** By pool, for pools with the policy Balanced. */
  readonly totals: ReadonlyMap<string, PoolTotals>;
}

export interface SearchCandidate extends CandidateNode {
  readonly node: string;
  readonly guarded: readonly GuardedPods[];
}

/** The number of a node's pods under a PDB, given by its index in `guards`. */
interface GuardedPods {
  readonly guard: number;
  readonly pods: number;
}

export interface SearchGuard {
  readonly allowed: number;
  /** Its pods on nodes that are already leaving. */
  readonly waiting: number;
}

/** What a round passes on to a search. */
export interface SearchBasis {
  /** Underutilized candidates that the round does not remove, most worth removing first. */
  readonly staying: readonly Wish[];
  /** The board at the end of the round. */
  readonly board: BoardCopy;
  /** Changes whenever the board was opened with changes. */
  readonly revision: number;
}

/** The parts of a decision that a search depends on. */
export interface Searchable {
  readonly situation: Situation;
  readonly limits: SharedLimit;
  readonly started: readonly StartedCommand[];
  /** Absent = no candidate is left. */
  readonly search?: SearchBasis;
}

/** A cheap description of a search, enough to decide whether to search again. */
export interface SearchRequest extends Omit<SearchTask, 'catalogue' | 'rules' | 'totals'> {
  /** A view of the live cluster: create the task immediately. */
  readonly situation: Situation;
}

/** Undefined = no candidate may be removed, so there is nothing to search. */
export function searchRequest(decided: Searchable): SearchRequest | undefined {
  const { situation, limits, started, search } = decided;
  if (!search) return undefined;
  const left = leftOf(decided);
  const isDeclined = declinedIn(situation);
  const wishes = search.staying.filter(
    (wish) => left.get(wish.pool?.name ?? '') !== 0 && !isDeclined(wish) && limits.refuse(wish).length === 0,
  );
  if (wishes.length === 0) return undefined;
  const guards = new PdbTable(decided);
  const candidates = wishes.map((wish) => candidateOf(wish, guards, situation));
  const leaving = [...situation.inFlight.keys()];
  const from = [search.revision, candidates, [...left], guards.all, leaving, situation.cluster.pendingPods.length];
  const version = fingerprint(JSON.stringify(from));
  const commands = maxCommands - situation.ledger.commands.length - started.length;
  return { version, candidates, left, guards: guards.all, board: search.board, commands, situation };
}

/** Adds the parts that are expensive to compute and drops the live cluster. */
export function searchTask({ situation, ...request }: SearchRequest): SearchTask {
  const { minimumSavings, podMoveCost, spotToSpot } = situation.settings;
  const rules = { minimumSavings, podMoveCost, spotToSpot };
  return { ...request, catalogue: catalogueOf(situation), rules, totals: balancedTotals(situation) };
}

/** By pool: how many more nodes its budgets allow, and except in drive mode also as Karpenter reads them. */
function leftOf({ situation, started }: Searchable): ReadonlyMap<string, number> {
  const left = new Map<string, number>();
  const gone = started.flatMap(({ wishes }) => wishes).filter(({ view }) => isFresh(view, situation));
  for (const [name, tally] of situation.tallies) {
    const atStart = leastLeft(tally, situation);
    const begun = gone.filter(({ view }) => view.poolName === name).length;
    if (atStart !== undefined) left.set(name, Math.max(0, atStart - begun));
  }
  return left;
}

const isFresh = (view: NodeView, situation: Situation): boolean =>
  view.state.counted && !isConsumed(view, 'Underutilized', situation);

function leastLeft(tally: PoolTally, situation: Situation): number | undefined {
  const { limit } = limitAt(limitQuery(tally, 'Underutilized', situation), situation.now);
  const ours = limit === undefined ? undefined : limit - consumedFor('Underutilized', tally);
  if (!isReadByKarpenter(tally.pool, situation)) return ours;
  const { limit: other } = karpenterLimit(tally, 'Underutilized', situation);
  const theirs = other === undefined ? undefined : other - asKarpenterCounts(tally).consumed;
  return ours === undefined || theirs === undefined ? (ours ?? theirs) : Math.min(ours, theirs);
}

/** Whether Karpenter declined the node recently (N3). Such nodes are not proposed in groups. */
export function declinedIn({ ledger, settings }: Situation): (wish: Wish) => boolean {
  const declined = new Set(settings.role === 'guide' ? ledger.declined?.map(({ node }) => node) : []);
  return ({ view }) => declined.has(view.node.name);
}

function candidateOf(wish: Wish, guards: PdbTable, { settings, now }: Situation): SearchCandidate {
  const { view } = wish;
  const guarded = view.guarded.flatMap((it) => {
    const pods = podsToEvict(it, wish.reason, now);
    return pods === 0 ? [] : [{ guard: guards.indexOf(it.box), pods }];
  });
  return { ...candidateNode(view, settings), node: view.node.name, guarded };
}

/** The PDBs over the candidates, in order of first use (E10). */
class PdbTable {
  readonly all: SearchGuard[] = [];
  readonly #indexes = new Map<PdbRef, number>();
  readonly #waiting = new Map<PdbRef, number>();

  constructor({ situation: { cluster, inFlight }, started }: Searchable) {
    const leaving = [...inFlight.keys()].flatMap((name) => cluster.node(name) ?? []);
    for (const { guarded } of [...leaving, ...started.flatMap(({ wishes }) => wishes.map(({ view }) => view))]) {
      for (const { box, pods } of guarded) this.#waiting.set(box, (this.#waiting.get(box) ?? 0) + pods.length);
    }
  }

  indexOf(box: PdbRef): number {
    const known = this.#indexes.get(box);
    if (known !== undefined) return known;
    this.#indexes.set(box, this.all.length);
    return this.all.push({ allowed: box.pdb.disruptionsAllowed, waiting: this.#waiting.get(box) ?? 0 }) - 1;
  }
}
