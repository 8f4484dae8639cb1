// Which nodes take which pods, whatever runs there? Asked once for each rule and each kind of node.
import type { Taint } from '../../cluster/model.ts';
import { taint } from '../../cluster/names.ts';
import { tolerates } from '../../cluster/pod.ts';
import { type Obstacle, obstacles } from './obstacle.ts';
import { isSelected, obstacleAt, type Place, type Rule, toleratesAll } from './rule.ts';
import type { Tables } from './tables.ts';

/** What is on a node that leaves, by whosever hands. */
export const leavingTaints: readonly Taint[] = [taint.lullDisrupted, taint.karpenterDisrupted].map((key) => ({
  key,
  effect: 'NoSchedule',
}));

const unknown = 0;
const free = 1;

export class Admissions {
  readonly #tables: Tables;
  /** By rule, then place. */
  readonly #known: Uint8Array[] = [];

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** What keeps pods of the rule off nodes of the place: undefined = nothing. */
  obstacle(rule: number, place: number): Obstacle | undefined {
    const answer = this.#answer(rule, place);
    return answer === free ? undefined : obstacles[answer - 2];
  }

  admits(rule: number, place: number): boolean {
    return this.#answer(rule, place) === free;
  }

  selects(rule: number, place: number): boolean {
    return isSelected(this.#rule(rule).nodeSelector, this.#tables.places[place] as Place);
  }

  tolerates(rule: number, place: number): boolean {
    return toleratesAll(this.#rule(rule).tolerations, this.#tables.places[place] as Place);
  }

  toleratesLeaving(rule: number): boolean {
    return leavingTaints.every((taint) => tolerates(this.#rule(rule).tolerations, taint));
  }

  #rule(rule: number): Rule {
    return this.#tables.rules[rule] as Rule;
  }

  #answer(rule: number, place: number): number {
    let known = this.#known[rule];
    if (!known || known.length <= place) {
      const wider = new Uint8Array(this.#tables.places.length + 16);
      if (known) wider.set(known);
      known = wider;
      this.#known[rule] = known;
    }
    const answer = known[place] as number;
    if (answer !== unknown) return answer;
    const obstacle = obstacleAt(this.#rule(rule), this.#tables.places[place] as Place);
    const found = obstacle === undefined ? free : obstacles.indexOf(obstacle) + 2;
    known[place] = found;
    return found;
  }
}
