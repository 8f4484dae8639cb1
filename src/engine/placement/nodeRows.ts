// What is known of each node? Columns of numbers, one row a node.
import type { PodClass, Row, Targets } from './board.ts';
import { placeId } from './places.ts';
import type { ClassRule, RowFacts, Tables } from './tables.ts';
import { isSettledBit, isTargetBit } from './targets.ts';

/** Beside the bits of a target: it leaves; it was made by `add`; it is kept free for now. */
export const liftedBit = 4;
export const madeBit = 8;
export const closedBit = 16;

const shutBits = liftedBit | closedBit;
const openBits = isTargetBit | shutBits;

export class NodeRows {
  readonly tables: Tables;
  protected readonly width: number;
  protected capacity = 16;
  protected free: Float64Array;
  protected flags = new Uint8Array(16);
  protected readonly facts: (RowFacts | undefined)[] = [];
  /** What was put there beyond the facts. */
  protected readonly extra: PodClass[][] = [];
  readonly #byName = new Map<string, Row>();
  #places = new Int32Array(16);

  constructor(tables: Tables) {
    this.tables = tables;
    this.width = tables.resources.length;
    this.free = new Float64Array(this.capacity * this.width);
  }

  rowOf(node: string): Row | undefined {
    return this.#byName.get(node);
  }

  nameOf(row: Row): string {
    return this.facts[row]?.name ?? '';
  }

  factsOf(row: Row): RowFacts {
    return this.facts[row] as RowFacts;
  }

  podsOn(row: Row): ArrayLike<PodClass> {
    const pods = this.facts[row]?.pods ?? [];
    const extra = this.extra[row] ?? [];
    return extra.length === 0 ? pods : [...pods, ...extra];
  }

  classRule(pod: PodClass): ClassRule {
    return this.tables.classes[pod] as ClassRule;
  }

  placeOf(row: Row): number {
    return this.#places[row] as number;
  }

  freeOf(row: Row, column: number): number {
    return this.free[row * this.width + column] as number;
  }

  hasRoom({ columns, amounts }: ClassRule, row: Row): boolean {
    const at = row * this.width;
    for (let index = 0; index < columns.length; index++) {
      if ((amounts[index] as number) > (this.free[at + (columns[index] as number)] as number)) return false;
    }
    return true;
  }

  /** How many nodes there are. */
  get size(): number {
    return this.#byName.size;
  }

  /** How many rows there are, those that are empty among them. */
  get length(): number {
    return this.facts.length;
  }

  /** What there is room for, and who is a target, as it is now. */
  columns(): { readonly free: Float64Array; readonly flags: Uint8Array } {
    const { length } = this.facts;
    return { free: this.free.slice(0, length * this.width), flags: this.flags.slice(0, length) };
  }

  isTarget(row: Row, targets: Targets): boolean {
    const wanted = targets === 'settled' ? isTargetBit | isSettledBit : isTargetBit;
    return ((this.flags[row] as number) & (wanted | shutBits)) === wanted;
  }

  /** Whether anybody was put there since the facts. */
  isTouched(row: Row): boolean {
    return (this.extra[row]?.length ?? 0) > 0;
  }

  isLifted(row: Row): boolean {
    return ((this.flags[row] as number) & liftedBit) !== 0;
  }

  /** Whether anybody may go there. */
  isOpen(row: Row): boolean {
    return ((this.flags[row] as number) & openBits) === isTargetBit;
  }

  /** Whether these facts say the same as those that are known. */
  sameRow(row: Row, facts: RowFacts): boolean {
    const was = this.facts[row];
    return (
      was !== undefined &&
      was.worth === facts.worth &&
      was.unschedulable === facts.unschedulable &&
      sameNumbers(was.free, facts.free) &&
      sameNumbers(was.pods, facts.pods) &&
      sameNumbers(was.standing, facts.standing) &&
      sameNumbers(was.allocatable, facts.allocatable) &&
      sameText(was.labels, facts.labels) &&
      sameText(was.taints, facts.taints) &&
      sameText(was.limits, facts.limits)
    );
  }

  protected write(row: Row, facts: RowFacts): void {
    while (row >= this.capacity) this.widen();
    this.facts[row] = facts;
    this.extra[row] ??= [];
    this.#byName.set(facts.name, row);
    this.#places[row] = placeId(this.tables, facts);
    this.flags[row] = (facts.isTarget ? isTargetBit : 0) | (facts.isSettled ? isSettledBit : 0);
    for (let column = 0; column < this.width; column++) this.free[row * this.width + column] = facts.free[column] ?? 0;
  }

  protected erase(row: Row): void {
    this.#byName.delete(this.nameOf(row));
    this.facts[row] = undefined;
    this.flags[row] = 0;
  }

  protected widen(): void {
    this.capacity *= 2;
    this.free = wider(new Float64Array(this.capacity * this.width), this.free);
    this.flags = wider(new Uint8Array(this.capacity), this.flags);
    this.#places = wider(new Int32Array(this.capacity), this.#places);
  }
}

function wider<T extends Float64Array | Uint8Array | Int32Array>(into: T, from: T): T {
  into.set(from);
  return into;
}

const sameNumbers = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index]);

const sameText = (a: object, b: object): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
