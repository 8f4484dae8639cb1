// Where could a pod go? Asked of the board as it stands now, with all that was tried on it.
import type { PodClass, Row, Targets } from './board.ts';
import { disputeAt, isPeaceful } from './dispute.ts';
import type { Obstacle } from './obstacle.ts';
import type { ClassRule } from './tables.ts';
import { needsOf } from './targetOrder.ts';
import { isSettledBit } from './targets.ts';
import { TriedRows } from './triedRows.ts';

export class AskedRows extends TriedRows {
  fits(pod: PodClass, row: Row): boolean {
    const rule = this.classRule(pod);
    return this.couldFit(pod, row) && (isPeaceful(rule) || this.dispute(rule, row) === undefined);
  }

  /** Room and rules alone: what others who run there cannot change. */
  couldFit(pod: PodClass, row: Row): boolean {
    const rule = this.classRule(pod);
    return this.hasRoom(rule, row) && this.admissions.admits(rule.rule, this.placeOf(row));
  }

  /** What keeps a pod off a node because of others that run somewhere: undefined = nothing. */
  dispute(rule: ClassRule, row: Row): Obstacle | undefined {
    return disputeAt(row, rule, this);
  }

  /** The first target in order. */
  findFirst(pod: PodClass, targets: Targets): Row | undefined {
    this.order.settle();
    return this.#next(pod, 0, this.order.length, targets);
  }

  /** The next target behind this node, in a circle: so that what is found for one node seldom hangs on a change far away. */
  findBehind(pod: PodClass, row: Row, targets: Targets): Row | undefined {
    const from = this.positionOf(row) + 1;
    return this.#next(pod, from, this.order.length, targets) ?? this.#next(pod, 0, from, targets);
  }

  #next(pod: PodClass, from: number, to: number, targets: Targets): Row | undefined {
    const rule = this.classRule(pod);
    const needs = needsOf(rule);
    const wanted = targets === 'settled' ? isSettledBit : 0;
    const isAlone = isPeaceful(rule);
    for (let at = this.order.next(from, needs); at >= 0 && at < to; at = this.order.next(at + 1, needs)) {
      const row = this.order.rowAt(at);
      if (
        ((this.flags[row] as number) & wanted) === wanted &&
        this.admissions.admits(rule.rule, this.placeOf(row)) &&
        this.hasRoom(rule, row) &&
        (isAlone || this.dispute(rule, row) === undefined)
      )
        return row;
    }
    return undefined;
  }

  /** A settled target with room and rules for it, whoever else runs anywhere. */
  findHome(pod: PodClass): Row | undefined {
    for (const row of this.mightHaveRoom(pod, 0, 'settled')) if (this.couldFit(pod, row)) return row;
    return undefined;
  }

  /** Every target that might have room, in order, from somewhere on. */
  *mightHaveRoom(pod: PodClass, from: number, targets: Targets): Generator<Row, void> {
    this.order.settle();
    const needs = needsOf(this.classRule(pod));
    for (let at = this.order.next(from, needs); at >= 0; at = this.order.next(at + 1, needs)) {
      const row = this.order.rowAt(at);
      if (this.isTarget(row, targets)) yield row;
    }
  }

  /** Where a node stands in the order of the targets. */
  positionOf(row: Row): number {
    return this.order.positionOf(row);
  }

  /** In order. */
  targets(targets: Targets): Row[] {
    return this.order.rows.filter((row) => this.isTarget(row, targets));
  }
}
