// Whether a node's pods fit elsewhere if it is removed. Results are cached until something they depend on changes.
import type { Board } from './board.ts';
import type { Columns } from './nodeRows.ts';
import type { Assignment, PodClass, RowId } from './tables.ts';

export interface Removal {
  /** Pods that fit on no other node; empty = the node can be removed. */
  readonly unplaced: readonly PodClass[];
  /** Their indexes in `podsOn`: pods of one class may differ. */
  readonly unplacedAt: readonly number[];
  /** Where the other pods would go. */
  readonly assignments: readonly Assignment[];
}

interface KnownRemoval extends Removal {
  readonly pods: readonly PodClass[];
  /** The target farthest after the node in order; undefined = none. */
  readonly farthest: RowId | undefined;
}

/** With more changed rows than this, all results are dropped. */
const mostChanges = 64;

const always = (): boolean => true;

/** Searches from the node onwards, wrapping around, so that the result depends on few other nodes. */
function judgeRemoval(board: Board, row: RowId, mayFit: (pod: PodClass) => boolean = always): KnownRemoval {
  const pods = board.rows.podsOn(row);
  const mark = board.mark();
  board.removeNode(row);
  const unplacedAt: number[] = [];
  const assignments: Assignment[] = [];
  pods.forEach((pod, index) => {
    const found = mayFit(pod) ? board.findBehind(pod, row, 'stable') : undefined;
    if (found === undefined) unplacedAt.push(index);
    else {
      assignments.push({ pod, row: found });
      board.assign(pod, found);
    }
  });
  board.undo(mark);
  const unplaced = unplacedAt.flatMap((index) => pods[index] ?? []);
  let farthest: RowId | undefined;
  for (const { row: target } of assignments) {
    if (farthest === undefined || distance(board, row, target) > distance(board, row, farthest)) farthest = target;
  }
  return { unplaced, unplacedAt, assignments, pods, farthest };
}

/** The distance in target order, wrapping around. */
function distance(board: Board, from: RowId, to: RowId): number {
  const steps = board.positionOf(to) - board.positionOf(from);
  return steps > 0 ? steps : steps + board.rows.size;
}

/** Shared by all boards, so that revisions are unique. */
let revisions = 0;

export class Removals {
  readonly #board: Board;
  readonly #kept = new Map<RowId, KnownRemoval>();
  /** By class: a node with room for it whose rules admit it; -1 = none. */
  readonly #possibleTargets = new Map<PodClass, RowId>();
  /** Rows that changed in the cluster. */
  readonly changed = new Set<RowId>();
  /** By tally and domain: the change of the count. */
  readonly #counts = new Map<number, number>();
  /** By topology and domain: the number of nodes before the change. */
  readonly #nodeCounts = new Map<number, number>();
  /** The columns when the results were computed. */
  #was: Columns | undefined;
  /** The mark of the opened board: with pending and leaving pods assigned, and no trials. */
  #base = 0;

  constructor(board: Board) {
    this.#board = board;
  }

  /** Undoes all trials and starts recording changes. Trials must be undone before recording, or they would count as changes. */
  beginChange(): void {
    const { tallies } = this.#board;
    this.#board.undo(this.#base);
    tallies.recorder = {
      counted: (tally, domain, change) => {
        const key = keyOf(tally, domain);
        this.#counts.set(key, (this.#counts.get(key) ?? 0) + change);
      },
      weighed: (topology, domain, before) => {
        const key = keyOf(topology, domain);
        if (!this.#nodeCounts.has(key)) this.#nodeCounts.set(key, before);
      },
    };
    this.#board.undo(0);
    this.#base = 0;
  }

  /** Call when the board is up to date: drops the results that the recorded changes affect. */
  endChange(): void {
    const board = this.#board;
    board.tallies.recorder = undefined;
    this.#base = board.mark();
    this.#noteOtherRows();
    if (this.changed.size + this.#counts.size > 0) this.revision = ++revisions;
    if (this.changed.size > mostChanges) {
      this.#kept.clear();
      this.#possibleTargets.clear();
    } else this.#drop(this.#touchedClasses());
    this.changed.clear();
    this.#counts.clear();
    this.#nodeCounts.clear();
    this.#was = board.rows.columns();
  }

  /** Changes whenever the board was opened with changes. */
  revision = ++revisions;

  /** Whether nothing has been tried since the board was opened. */
  isAtBase(): boolean {
    return this.#board.mark() === this.#base;
  }

  of(row: RowId): Removal {
    const board = this.#board;
    if (!this.isAtBase()) return judgeRemoval(board, row);
    const known = this.#kept.get(row);
    if (known) return known;
    // Looked up before any node is removed: if no node has room or admits the pod, it fits nowhere, whichever node leaves.
    for (const pod of board.rows.podsOn(row))
      if (!this.#possibleTargets.has(pod)) this.#possibleTargets.set(pod, this.#possibleTarget(pod));
    const found = judgeRemoval(board, row, (pod) => this.#possibleTargets.get(pod) !== -1);
    this.#kept.set(row, found);
    return found;
  }

  /** A stable target with room that admits the pod, regardless of rules about other pods. */
  #possibleTarget(pod: PodClass): RowId {
    for (const row of this.#board.mightHaveRoom(pod, 0, 'stable')) if (this.#board.couldFit(pod, row)) return row;
    return -1;
  }

  /** Adds rows whose free amounts or flags differ because of commands under way. */
  #noteOtherRows(): void {
    const board = this.#board;
    const now = board.rows.columns();
    const was = this.#was;
    const width = board.tables.resources.length;
    for (let row = 0; row < now.flags.length; row++) {
      let isSame = was !== undefined && was.flags[row] === now.flags[row];
      for (let at = row * width; isSame && at < (row + 1) * width; at++) isSame = was?.free[at] === now.free[at];
      if (!isSame) this.changed.add(row);
    }
  }

  /** The classes whose rules depend on a changed count. */
  #touchedClasses(): ReadonlySet<PodClass> {
    const { tables, tallies } = this.#board;
    const topologies = new Set<number>();
    for (const [key, before] of this.#nodeCounts) {
      // Removing the only node of a domain removes the domain, so it matters whether there are 0, 1 or more.
      if (Math.min(before, 2) !== Math.min(tallies.nodesIn(firstOf(key), secondOf(key)), 2))
        topologies.add(firstOf(key));
    }
    const touched = new Set<number>();
    for (const [key, change] of this.#counts) if (change !== 0) touched.add(firstOf(key));
    const classes = new Set<PodClass>();
    if (touched.size === 0 && topologies.size === 0) return classes;
    tables.classes.forEach(({ forbidden, excused, spread, near, attached }, number) => {
      const isTouched =
        forbidden.some((tally) => touched.has(tally)) ||
        excused.some((tally) => touched.has(tally)) ||
        spread.some(({ tally }) => touched.has(tally) || topologies.has(tables.tallies[tally]?.topology ?? -1)) ||
        near?.tallies.some((tally) => touched.has(tally)) ||
        attached.some(({ volume, used }) => touched.has(volume) || touched.has(used));
      if (isTouched) classes.add(number);
    });
    return classes;
  }

  #drop(touched: ReadonlySet<PodClass>): void {
    if (this.changed.size === 0 && touched.size === 0) return;
    const newTargets = [...this.changed]
      .filter((row) => this.#board.rows.isTarget(row, 'stable'))
      .map((row) => ({ row, fits: this.#classesThatFit(row) }));
    for (const [pod, target] of this.#possibleTargets) {
      if (target >= 0 ? this.changed.has(target) : newTargets.some(({ fits }) => fits.has(pod)))
        this.#possibleTargets.delete(pod);
    }
    for (const [row, known] of this.#kept) {
      if (this.changed.has(row) || this.#isOutdated(row, known, touched, newTargets)) this.#kept.delete(row);
    }
  }

  #classesThatFit(row: RowId): ReadonlySet<PodClass> {
    const fits = new Set<PodClass>();
    for (let pod = 0; pod < this.#board.tables.classes.length; pod++) if (this.#board.couldFit(pod, row)) fits.add(pod);
    return fits;
  }

  #isOutdated(
    row: RowId,
    { pods, unplaced, assignments, farthest }: KnownRemoval,
    touched: ReadonlySet<PodClass>,
    newTargets: readonly { readonly row: RowId; readonly fits: ReadonlySet<PodClass> }[],
  ): boolean {
    if (assignments.some(({ row: target }) => this.changed.has(target))) return true;
    if (touched.size > 0 && pods.some((pod) => touched.has(pod))) return true;
    return newTargets.some(({ row: other, fits }) => {
      if (unplaced.some((pod) => fits.has(pod))) return true;
      const isBetween =
        farthest !== undefined && distance(this.#board, row, other) < distance(this.#board, row, farthest);
      return isBetween && pods.some((pod) => fits.has(pod));
    });
  }
}

/** Packs two small numbers into one. */
const keyOf = (first: number, second: number): number => first * 2 ** 26 + second;
const firstOf = (key: number): number => Math.floor(key / 2 ** 26);
const secondOf = (key: number): number => key % 2 ** 26;
