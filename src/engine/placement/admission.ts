// Which nodes admit which pods by taints, selectors and volumes alone: evaluated once per rule and node traits.
import type { Taint } from '../../cluster/model.ts';
import { taint } from '../../cluster/names.ts';
import { tolerates } from '../../cluster/pod.ts';
import {
  isSelected,
  type Obstacle,
  obstacleAt,
  obstacles,
  type PlacementRule,
  type RowTraits,
  toleratesAll,
} from './placementRule.ts';
import type { Tables } from './tables.ts';

/** The taints of a node that is being removed, by Lull or by Karpenter. */
export const leavingTaints: readonly Taint[] = [taint.lullDisrupted, taint.karpenterDisrupted].map((key) => ({
  key,
  effect: 'NoSchedule',
}));

const unknown = 0;
const free = 1;

const noRule: PlacementRule = { tolerations: [] };
const noTraits: RowTraits = { name: '', labels: {}, taints: [], unschedulable: true };

export class Admissions {
  readonly #tables: Tables;
  /** By rule, then traits. */
  readonly #known: Uint8Array[] = [];

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** What keeps pods with this rule off nodes with these traits; undefined = nothing. */
  obstacle(rule: number, traits: number): Obstacle | undefined {
    const answer = this.#answer(rule, traits);
    return answer === free ? undefined : obstacles[answer - 2];
  }

  admits(rule: number, traits: number): boolean {
    return this.#answer(rule, traits) === free;
  }

  selects(rule: number, traits: number): boolean {
    return isSelected(this.#rule(rule).nodeSelector, this.#traitsAt(traits));
  }

  tolerates(rule: number, traits: number): boolean {
    return toleratesAll(this.#rule(rule).tolerations, this.#traitsAt(traits));
  }

  toleratesLeaving(rule: number): boolean {
    return leavingTaints.every((taint) => tolerates(this.#rule(rule).tolerations, taint));
  }

  #rule(rule: number): PlacementRule {
    return this.#tables.rules[rule] ?? noRule;
  }

  #traitsAt(traits: number): RowTraits {
    return this.#tables.traits[traits] ?? noTraits;
  }

  #answer(rule: number, traits: number): number {
    let known = this.#known[rule];
    if (!known || known.length <= traits) {
      const wider = new Uint8Array(this.#tables.traits.length + 16);
      if (known) wider.set(known);
      known = wider;
      this.#known[rule] = known;
    }
    const answer = known[traits] ?? unknown;
    if (answer !== unknown) return answer;
    const obstacle = obstacleAt(this.#rule(rule), this.#traitsAt(traits));
    const found = obstacle === undefined ? free : obstacles.indexOf(obstacle) + 2;
    known[traits] = found;
    return found;
  }
}

/** The ID of a node's traits. Adds them to the tables if they are new. */
export function traitsId(tables: Tables, { name, labels, taints, unschedulable }: RowTraits): number {
  let text = unschedulable ? 'cordoned' : '';
  for (const { key, value, effect } of taints) text += `\n${key} ${value ?? ''} ${effect}`;
  const own = relevantKeys(labels, tables.nodeKeys);
  for (const key of own) text += `\n=${key}=${labels[key]}`;
  if (tables.asksNames) text += `\n${name}`;
  const known = tables.traitsIds.get(text);
  if (known !== undefined) return known;
  const traits: RowTraits = {
    name: tables.asksNames ? name : '',
    labels: Object.fromEntries(own.map((key) => [key, labels[key] ?? ''])),
    taints,
    unschedulable,
  };
  const id = tables.traits.push(traits) - 1;
  tables.traitsIds.set(text, id);
  return id;
}

/** Iterates over the node's labels, which are few, rather than over the keys that pods ask for. */
function relevantKeys(labels: RowTraits['labels'], asked: ReadonlySet<string>): readonly string[] {
  const own: string[] = [];
  for (const key in labels) if (asked.has(key)) own.push(key);
  return own.sort();
}
