// What was tried on the board, and the way back from it.
import { label } from '../../cluster/names.ts';
import { Admissions } from './admission.ts';
import type { Mark, PodClass, Row } from './board.ts';
import { closedBit, liftedBit, madeBit, NodeRows } from './nodeRows.ts';
import type { Shape } from './shapes.ts';
import type { RowFacts, Tables } from './tables.ts';
import { Tallies } from './tallies.ts';
import { TargetOrder } from './targetOrder.ts';

const opTake = 0;
const opLift = 1;
const opAdd = 2;
const opClose = 3;

export class TriedRows extends NodeRows {
  readonly admissions: Admissions;
  readonly tallies: Tallies;
  protected readonly order: TargetOrder;
  /** What was done, three numbers each. */
  readonly #log: number[] = [];

  constructor(tables: Tables) {
    super(tables);
    this.admissions = new Admissions(tables);
    this.tallies = new Tallies(tables, this.admissions, this.capacity);
    this.tallies.catchUp();
    this.order = new TargetOrder(this);
  }

  // What the facts say. Nothing may be tried meanwhile: all of it is undone.

  /** A new node, or one that has changed. Undefined = it is gone. */
  setRow(row: Row, facts: RowFacts | undefined): void {
    const was = this.facts[row];
    if (was?.worth !== facts?.worth || was?.name !== facts?.name) this.order.misplace(row);
    if (was) {
      for (const pod of was.standing) this.tallies.count(this.classRule(pod), row, -1);
      this.tallies.leave(row);
      this.erase(row);
    }
    if (!facts) return;
    this.#enter(row, facts);
    this.order.refresh(row);
  }

  #enter(row: Row, facts: RowFacts): void {
    this.write(row, facts);
    this.tallies.enter(row, { labels: facts.labels, place: this.placeOf(row) });
    for (const pod of facts.standing) this.tallies.count(this.classRule(pod), row, 1);
  }

  /** Only whether it is a target: the bits of it. */
  setTarget(row: Row, bits: number): void {
    if (this.flags[row] === bits) return;
    this.flags[row] = bits;
    this.order.refresh(row);
  }

  /** The classes that stand somewhere are counted in tallies that were not there when they came. */
  countLate(late: ReadonlyMap<PodClass, readonly number[]>): void {
    if (late.size === 0) return;
    this.facts.forEach((facts, row) => {
      if (!facts || this.isLifted(row)) return;
      for (const pod of [...facts.standing, ...(this.extra[row] ?? [])]) {
        for (const tally of late.get(pod) ?? []) this.tallies.countLate(tally, row);
      }
    });
  }

  protected override widen(): void {
    super.widen();
    this.tallies.grow(this.capacity);
  }

  // What is tried.

  mark(): Mark {
    return this.#log.length;
  }

  undo(mark: Mark): void {
    const log = this.#log;
    while (log.length > mark) {
      const row = log.pop() as number;
      const pod = log.pop() as number;
      const op = log.pop() as number;
      if (op === opTake) this.#untake(pod, row);
      else if (op === opLift) this.#unlift(row);
      else if (op === opAdd) this.#unadd(row);
      else this.#shut(row, pod === 0);
    }
  }

  take(pod: PodClass, row: Row): void {
    this.#log.push(opTake, pod, row);
    this.extra[row]?.push(pod);
    this.#stand(pod, row, 1);
  }

  #untake(pod: PodClass, row: Row): void {
    this.extra[row]?.pop();
    this.#stand(pod, row, -1);
  }

  #stand(pod: PodClass, row: Row, change: 1 | -1): void {
    const rule = this.classRule(pod);
    const { columns, amounts } = rule;
    const at = row * this.width;
    for (let index = 0; index < columns.length; index++) {
      const place = at + (columns[index] as number);
      this.free[place] = (this.free[place] as number) - change * (amounts[index] as number);
    }
    // What stands on a node that leaves counts for nobody.
    if (!this.isLifted(row)) this.tallies.count(rule, row, change);
    this.order.refresh(row);
  }

  lift(row: Row): void {
    if (this.isLifted(row)) return;
    this.#log.push(opLift, 0, row);
    this.#countAll(row, -1);
    this.tallies.weigh(row, -1);
    this.flags[row] = (this.flags[row] as number) | liftedBit;
    this.order.refresh(row);
  }

  #unlift(row: Row): void {
    this.flags[row] = (this.flags[row] as number) & ~liftedBit;
    this.tallies.weigh(row, 1);
    this.#countAll(row, 1);
    this.order.refresh(row);
  }

  /** Nobody goes there for now, or again somebody may; what runs there counts all the same. */
  close(row: Row, isClosed: boolean): void {
    if ((((this.flags[row] as number) & closedBit) !== 0) === isClosed) return;
    this.#log.push(opClose, isClosed ? 1 : 0, row);
    this.#shut(row, isClosed);
  }

  #shut(row: Row, isClosed: boolean): void {
    const flags = this.flags[row] as number;
    this.flags[row] = isClosed ? flags | closedBit : flags & ~closedBit;
    this.order.refresh(row);
  }

  #countAll(row: Row, change: 1 | -1): void {
    for (const pod of this.facts[row]?.standing ?? []) this.tallies.count(this.classRule(pod), row, change);
    for (const pod of this.extra[row] ?? []) this.tallies.count(this.classRule(pod), row, change);
  }

  add(shape: Shape): Row {
    const row = this.length;
    const name = `\u0000new ${row}`;
    const amounts = (of: Readonly<Record<string, number>>): number[] => this.tables.resources.map((it) => of[it] ?? 0);
    this.#enter(row, {
      name,
      // Another host than all that are there.
      labels: { ...shape.labels, [label.hostname]: name },
      taints: shape.taints,
      unschedulable: false,
      free: amounts(shape.room),
      allocatable: amounts(shape.allocatable),
      pods: [],
      standing: [],
      isTarget: false,
      isSettled: false,
      worth: 0,
      limits: {},
    });
    this.flags[row] = madeBit;
    this.#log.push(opAdd, 0, row);
    return row;
  }

  #unadd(row: Row): void {
    this.tallies.leave(row);
    this.erase(row);
    this.facts.length = row;
    this.extra.length = row;
  }

  /** The node that was lifted last; undefined = none is. */
  get lastLifted(): Row | undefined {
    for (let at = this.#log.length - 3; at >= 0; at -= 3) {
      if (this.#log[at] === opLift) return this.#log[at + 2];
    }
    return undefined;
  }
}
