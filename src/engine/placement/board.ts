// The board: which pods run on which nodes and where more fit, with undo for everything that was tried.
// Rows and classes are numbers, so that the same code runs on a copy in a worker.
// Past 300 lines: each trial changes the rows, the tallies and the order together.
import { label } from '../../cluster/names.ts';
import { Admissions, leavingTaints } from './admission.ts';
import { closedBit, madeBit, NodeRows, removedBit, stableBit, type Targets, targetBit } from './nodeRows.ts';
import type { NodeShape } from './nodeShapes.ts';
import type { Obstacle } from './placementRule.ts';
import { conflictAt, hasNoPodRules } from './podConflicts.ts';
import type { ClassRule, PodClass, RowFacts, RowId, Tables } from './tables.ts';
import { Tallies } from './tallies.ts';
import { TargetOrder, treeNeeds } from './targetOrder.ts';

/** A point to go back to. */
export type Mark = number;

/** Plain data for a structured clone. A board built from it only appends to its tables. */
export interface BoardCopy {
  readonly tables: Tables;
  readonly rows: readonly RowFacts[];
  /** By row: its target bits. */
  readonly targets: Uint8Array;
}

const opTake = 0;
const opLift = 1;
const opAdd = 2;
const opClose = 3;
const opOpen = 4;

/** Shared by all boards, so that state numbers are unique. */
let states = 0;

export class Board {
  readonly tables: Tables;
  readonly rows: NodeRows;
  readonly admissions: Admissions;
  readonly tallies: Tallies;
  readonly #order: TargetOrder;
  /** The undo log, four numbers per entry: operation, pod, row, and the state number after it. */
  readonly #log: number[] = [];
  /** The state with nothing tried. */
  #untried = ++states;

  constructor(tables: Tables) {
    this.tables = tables;
    this.rows = new NodeRows(tables);
    this.admissions = new Admissions(tables);
    this.tallies = new Tallies(tables, this.admissions);
    this.tallies.catchUp();
    this.#order = new TargetOrder(this.rows);
  }

  classRule(pod: PodClass): ClassRule {
    const rule = this.tables.classes[pod];
    if (!rule) throw new RangeError(`no class ${pod} on this board`);
    return rule;
  }

  // Updates from the cluster. All trials must have been undone.

  /** Adds or replaces a node. Undefined = it is gone. */
  setRow(row: RowId, facts: RowFacts | undefined): void {
    const was = this.rows.factsOf(row);
    this.#untried = ++states;
    if (was?.worth !== facts?.worth || was?.name !== facts?.name) this.#order.markMoved(row);
    if (was) {
      for (const pod of was.running) this.tallies.count(this.classRule(pod), row, -1);
      this.tallies.leave(row);
      this.rows.erase(row);
    }
    if (!facts) return;
    this.#enter(row, facts);
    this.#order.refresh(row);
  }

  #enter(row: RowId, facts: RowFacts): void {
    this.rows.write(row, facts);
    this.tallies.enter(row, { labels: facts.labels, traits: this.rows.traitsOf(row) });
    for (const pod of facts.running) this.tallies.count(this.classRule(pod), row, 1);
  }

  /** Sets the target bits of a row. */
  setTarget(row: RowId, bits: number): void {
    if (this.rows.flagsOf(row) === bits) return;
    this.#untried = ++states;
    this.rows.setFlags(row, bits);
    this.#order.refresh(row);
  }

  /** Counts pods that are already on the board in tallies that were added later. */
  countLate(late: ReadonlyMap<PodClass, readonly number[]>): void {
    if (late.size === 0) return;
    for (let row = 0; row < this.rows.length; row++) {
      if (this.rows.isRemoved(row)) continue;
      for (const pod of this.#runningOn(row)) {
        for (const tally of late.get(pod) ?? []) this.tallies.bump(tally, row, 1);
      }
    }
  }

  #runningOn(row: RowId): readonly PodClass[] {
    const { running = [] } = this.rows.factsOf(row) ?? {};
    const extra = this.rows.extraOf(row);
    return extra.length === 0 ? running : [...running, ...extra];
  }

  // Trials.

  mark(): Mark {
    return this.#log.length;
  }

  /** The same number means the same board, even if something was tried and undone in between. */
  get state(): number {
    return this.#log.at(-1) ?? this.#untried;
  }

  #note(op: number, row: RowId, pod: PodClass = 0): void {
    this.#log.push(op, pod, row, ++states);
  }

  /** Undoes everything since the mark. */
  undo(mark: Mark): void {
    const log = this.#log;
    while (log.length > mark) {
      log.pop();
      const row = log.pop() ?? 0;
      const pod = log.pop() ?? 0;
      const op = log.pop();
      if (op === opTake) this.#stand(pod, row, -1);
      else if (op === opLift) this.#leave(row, 1);
      else if (op === opAdd) this.#unadd(row);
      else this.#shut(row, op === opOpen);
    }
  }

  /** Puts the pod on the node, whether it fits or not. */
  assign(pod: PodClass, row: RowId): void {
    this.#note(opTake, row, pod);
    this.#stand(pod, row, 1);
  }

  #stand(pod: PodClass, row: RowId, change: 1 | -1): void {
    const rule = this.classRule(pod);
    this.rows.put(pod, rule, row, change);
    // Pods on a removed node do not count.
    if (!this.rows.isRemoved(row)) this.tallies.count(rule, row, change);
    this.#order.refresh(row);
  }

  /** Removes the node: it is not a target any more and its pods no longer count. The caller places them elsewhere. */
  removeNode(row: RowId): void {
    if (this.rows.isRemoved(row)) return;
    this.#note(opLift, row);
    this.#leave(row, -1);
  }

  /** Removes the node (-1) or brings it back (1). */
  #leave(row: RowId, change: 1 | -1): void {
    this.rows.setFlags(row, this.rows.flagsOf(row) ^ removedBit);
    this.tallies.weigh(row, change);
    for (const pod of this.#runningOn(row)) this.tallies.count(this.classRule(pod), row, change);
    this.#order.refresh(row);
  }

  /** Closes the node to new pods, or opens it again. Its own pods still count. */
  close(row: RowId, isClosed: boolean): void {
    if (((this.rows.flagsOf(row) & closedBit) !== 0) === isClosed) return;
    this.#note(isClosed ? opClose : opOpen, row);
    this.#shut(row, isClosed);
  }

  #shut(row: RowId, isClosed: boolean): void {
    const flags = this.rows.flagsOf(row);
    this.rows.setFlags(row, isClosed ? flags | closedBit : flags & ~closedBit);
    this.#order.refresh(row);
  }

  /** Adds a new node, empty except for its daemons. `find` does not return it; use `assignTo`. */
  add(shape: NodeShape): RowId {
    const row = this.rows.length;
    const name = `\u0000new ${row}`;
    const amounts = (of: NodeShape['room']): number[] => this.tables.resources.map((it) => of[it] ?? 0);
    this.#enter(row, {
      name,
      // A hostname that no other node has.
      labels: { ...shape.labels, [label.hostname]: name },
      taints: shape.taints,
      unschedulable: false,
      free: amounts(shape.room),
      allocatable: amounts(shape.allocatable),
      pods: [],
      running: [],
      worth: 0,
      limits: {},
    });
    this.rows.setFlags(row, madeBit);
    this.#note(opAdd, row);
    return row;
  }

  #unadd(row: RowId): void {
    this.tallies.leave(row);
    this.rows.drop(row);
  }

  /** The node that was removed last; undefined = none. */
  lastRemoved(): RowId | undefined {
    for (let at = this.#log.length - 4; at >= 0; at -= 4) if (this.#log[at] === opLift) return this.#log[at + 2];
    return undefined;
  }

  // Queries.

  fits(pod: PodClass, row: RowId): boolean {
    const rule = this.classRule(pod);
    return this.couldFit(pod, row) && (hasNoPodRules(rule) || this.conflict(rule, row) === undefined);
  }

  /** Checks room and node rules only, not the rules about other pods. */
  couldFit(pod: PodClass, row: RowId): boolean {
    const rule = this.classRule(pod);
    return this.rows.hasRoom(rule, row) && this.admissions.admits(rule.rule, this.rows.traitsOf(row));
  }

  /** The rule about other pods that keeps a pod off a node; undefined = none. */
  conflict(rule: ClassRule, row: RowId): Obstacle | undefined {
    return conflictAt(row, rule, this);
  }

  /** The first target in order that the pod fits on; undefined = none. Assigns nothing. */
  find(pod: PodClass, targets: Targets): RowId | undefined {
    this.#order.settle();
    return this.#next(pod, 0, this.#order.length, targets);
  }

  /** Like find, and assigns the pod. */
  assignFirst(pod: PodClass, targets: Targets): RowId | undefined {
    const row = this.find(pod, targets);
    if (row !== undefined) this.assign(pod, row);
    return row;
  }

  /** Assigns the pod to this node if it fits. */
  assignTo(pod: PodClass, row: RowId): boolean {
    const fits = this.fits(pod, row);
    if (fits) this.assign(pod, row);
    return fits;
  }

  /** The next target after this node, wrapping around. Results then seldom depend on changes far away in the order. */
  findBehind(pod: PodClass, row: RowId, targets: Targets): RowId | undefined {
    const from = this.positionOf(row) + 1;
    return this.#next(pod, from, this.#order.length, targets) ?? this.#next(pod, 0, from, targets);
  }

  #next(pod: PodClass, from: number, to: number, targets: Targets): RowId | undefined {
    const rule = this.classRule(pod);
    const needs = treeNeeds(rule);
    const wanted = targets === 'stable' ? stableBit : 0;
    const isAlone = hasNoPodRules(rule);
    for (let at = this.#order.next(from, needs); at >= 0 && at < to; at = this.#order.next(at + 1, needs)) {
      const row = this.#order.rowAt(at);
      if (
        (this.rows.flagsOf(row) & wanted) === wanted &&
        this.admissions.admits(rule.rule, this.rows.traitsOf(row)) &&
        this.rows.hasRoom(rule, row) &&
        (isAlone || this.conflict(rule, row) === undefined)
      )
        return row;
    }
    return undefined;
  }

  /** Every target that might have room, in order, starting at a position. */
  *mightHaveRoom(pod: PodClass, from: number, targets: Targets): Generator<RowId, void> {
    this.#order.settle();
    const needs = treeNeeds(this.classRule(pod));
    for (let at = this.#order.next(from, needs); at >= 0; at = this.#order.next(at + 1, needs)) {
      const row = this.#order.rowAt(at);
      if (this.rows.isTarget(row, targets)) yield row;
    }
  }

  /** A node's position in the order of targets. */
  positionOf(row: RowId): number {
    return this.#order.positionOf(row);
  }

  /** In target order. */
  targets(targets: Targets): RowId[] {
    return this.#order.rows().filter((row) => this.rows.isTarget(row, targets));
  }

  /** A snapshot. Rows without trials are shared with it, so that it is cheap. */
  copy(): BoardCopy {
    const { rows } = this;
    const copied: RowFacts[] = [];
    const bits: number[] = [];
    for (let row = 0; row < rows.length; row++) {
      const facts = rows.factsOf(row);
      if (!facts) continue;
      copied.push(this.#copyRow(facts, row));
      bits.push(rows.isTarget(row, 'all') ? rows.flagsOf(row) & (targetBit | stableBit) : 0);
    }
    return { tables: this.tables, rows: copied, targets: Uint8Array.from(bits) };
  }

  #copyRow(facts: RowFacts, row: RowId): RowFacts {
    // A removed node is not a target and has no pods, but most spread constraints still count it as a domain.
    if (this.rows.isRemoved(row))
      return { ...facts, taints: [...facts.taints, ...leavingTaints], pods: [], running: [] };
    if (this.rows.extraOf(row).length === 0) return facts;
    const free = facts.free.map((_, column) => this.rows.freeOf(row, column));
    return { ...facts, free, pods: this.rows.podsOn(row), running: this.#runningOn(row) };
  }
}

/** A board from a snapshot. */
export function boardFrom({ tables, rows, targets }: BoardCopy): Board {
  const board = new Board(tables);
  rows.forEach((facts, row) => {
    board.setRow(row, facts);
    board.setTarget(row, targets[row] ?? 0);
  });
  return board;
}
