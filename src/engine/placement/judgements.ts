// Would the pods of a node find places if it left? Kept as long as nothing has changed that the answer hangs on.
import type { PodClass, Row } from './board.ts';
import type { BoardState } from './boardState.ts';

export interface Removal {
  /** Those that fit nowhere; none = the node could leave. */
  readonly homeless: readonly PodClass[];
  /** Their places in `podsOn`: pods of one class may fare differently. */
  readonly homelessAt: readonly number[];
  /** Where the others would go, each once. */
  readonly targets: readonly Row[];
}

interface Judgement extends Removal {
  readonly pods: readonly PodClass[];
  /** The target farthest behind the node; undefined = there is none. */
  readonly farthest: Row | undefined;
}

/** With more changes than these everything is judged anew. */
const mostChanges = 64;

/** Asked of the nodes behind it, in a circle, so that the answer hangs on few of them. */
export const judgeOn = (board: BoardState, row: Row): Removal => judge(board, row, () => false);

function judge(board: BoardState, row: Row, isHopeless: (pod: PodClass) => boolean): Judgement {
  const pods = Array.from(board.podsOn(row));
  const mark = board.mark();
  board.lift(row);
  const homelessAt: number[] = [];
  const targets = new Set<Row>();
  pods.forEach((pod, index) => {
    const found = isHopeless(pod) ? undefined : board.findBehind(pod, row, 'settled');
    if (found === undefined) homelessAt.push(index);
    else {
      targets.add(found);
      board.take(pod, found);
    }
  });
  board.undo(mark);
  const homeless = homelessAt.map((index) => pods[index] as PodClass);
  let farthest: Row | undefined;
  for (const target of targets) {
    if (farthest === undefined || distance(board, row, target) > distance(board, row, farthest)) farthest = target;
  }
  return { homeless, homelessAt, targets: [...targets], pods, farthest };
}

/** How far behind, in a circle. */
function distance(board: BoardState, from: Row, to: Row): number {
  const steps = board.positionOf(to) - board.positionOf(from);
  return steps > 0 ? steps : steps + board.size;
}

/** Over all boards, so that none repeats another's. */
let revisions = 0;

export class Judgements {
  readonly #board: BoardState;
  readonly #kept = new Map<Row, Judgement>();
  /** By class: a node with room and rules for it; -1 = there is none. */
  readonly #homes = new Map<PodClass, Row>();
  /** Rows that the facts have changed. */
  readonly changed = new Set<Row>();
  /** By tally and domain, how the count has changed. */
  readonly #counts = new Map<number, number>();
  /** By field and domain, how many nodes stood there. */
  readonly #weights = new Map<number, number>();
  /** As it was when the answers were found. */
  #was: { readonly free: Float64Array; readonly flags: Uint8Array } | undefined;
  /** What had been done to the board then: before anything is tried. */
  #base = 0;

  constructor(board: BoardState) {
    this.#board = board;
  }

  /** From here on it is noted what changes; whatever was tried is undone. */
  beginChange(): void {
    const { tallies } = this.#board;
    this.#board.undo(this.#base);
    tallies.recorder = {
      counted: (tally, domain, change) => {
        const key = keyOf(tally, domain);
        this.#counts.set(key, (this.#counts.get(key) ?? 0) + change);
      },
      weighed: (field, domain, before) => {
        const key = keyOf(field, domain);
        if (!this.#weights.has(key)) this.#weights.set(key, before);
      },
    };
    this.#board.undo(0);
    this.#base = 0;
  }

  /** The board is as the facts have it, and those are seated who wait. */
  endChange(): void {
    const board = this.#board;
    board.tallies.recorder = undefined;
    this.#base = board.mark();
    this.#noteOtherRows();
    if (this.changed.size + this.#counts.size > 0) this.revision = ++revisions;
    if (this.changed.size > mostChanges) {
      this.#kept.clear();
      this.#homes.clear();
    } else this.#drop(this.#touchedClasses());
    this.changed.clear();
    this.#counts.clear();
    this.#weights.clear();
    this.#was = board.columns();
  }

  /** Another number whenever the board was opened with something changed. */
  revision = ++revisions;

  /** Nothing has been tried since the board was opened. */
  get isAtBase(): boolean {
    return this.#board.mark() === this.#base;
  }

  removal(row: Row): Removal {
    const board = this.#board;
    if (!this.isAtBase) return judgeOn(board, row);
    const known = this.#kept.get(row);
    if (known) return known;
    this.#prepare(board.podsOn(row));
    const found = judge(board, row, (pod) => this.#isHopeless(pod));
    this.#kept.set(row, found);
    return found;
  }

  /** At the base nothing has room for it, or nothing takes it: then it fits nowhere, whoever leaves. */
  #isHopeless(pod: PodClass): boolean {
    return this.#homes.get(pod) === -1;
  }

  /** Asked before anything is lifted. */
  #prepare(pods: ArrayLike<PodClass>): void {
    for (let index = 0; index < pods.length; index++) {
      const pod = pods[index] as PodClass;
      if (!this.#homes.has(pod)) this.#homes.set(pod, this.#board.findHome(pod) ?? -1);
    }
  }

  /** Rows that have other room, or are targets no more, because of what is under way. */
  #noteOtherRows(): void {
    const board = this.#board;
    const now = board.columns();
    const was = this.#was;
    const width = board.tables.resources.length;
    for (let row = 0; row < now.flags.length; row++) {
      let isSame = was !== undefined && was.flags[row] === now.flags[row];
      for (let at = row * width; isSame && at < (row + 1) * width; at++) isSame = was?.free[at] === now.free[at];
      if (!isSame) this.changed.add(row);
    }
  }

  /** Those that ask for something which has been counted otherwise. */
  #touchedClasses(): ReadonlySet<PodClass> {
    const { tables, tallies } = this.#board;
    const fields = new Set<number>();
    for (const [key, before] of this.#weights) {
      // A node that leaves takes its domain with it where it is the only one: whether it is counts too.
      if (Math.min(before, 2) !== Math.min(tallies.nodesIn(firstOf(key), secondOf(key)), 2)) fields.add(firstOf(key));
    }
    const touched = new Set<number>();
    for (const [key, change] of this.#counts) if (change !== 0) touched.add(firstOf(key));
    const classes = new Set<PodClass>();
    if (touched.size === 0 && fields.size === 0) return classes;
    tables.classes.forEach(({ forbidden, excused, spread, near, attached }, number) => {
      const isTouched =
        forbidden.some((tally) => touched.has(tally)) ||
        excused.some((tally) => touched.has(tally)) ||
        spread.some(({ tally }) => touched.has(tally) || fields.has(tables.tallies[tally]?.field ?? -1)) ||
        near?.tallies.some((tally) => touched.has(tally)) ||
        attached.some(({ volume, used }) => touched.has(volume) || touched.has(used));
      if (isTouched) classes.add(number);
    });
    return classes;
  }

  #drop(touched: ReadonlySet<PodClass>): void {
    if (this.changed.size === 0 && touched.size === 0) return;
    const tempting = [...this.changed]
      .filter((row) => this.#board.isTarget(row, 'settled'))
      .map((row) => ({ row, fits: this.#classesThatFit(row) }));
    for (const [pod, home] of this.#homes) {
      if (home >= 0 ? this.changed.has(home) : tempting.some(({ fits }) => fits.has(pod))) this.#homes.delete(pod);
    }
    for (const [row, judgement] of this.#kept) {
      if (this.changed.has(row) || this.#isOutdated(row, judgement, touched, tempting)) this.#kept.delete(row);
    }
  }

  #classesThatFit(row: Row): ReadonlySet<PodClass> {
    const fits = new Set<PodClass>();
    for (let pod = 0; pod < this.#board.tables.classes.length; pod++) if (this.#board.couldFit(pod, row)) fits.add(pod);
    return fits;
  }

  #isOutdated(
    row: Row,
    { pods, homeless, targets, farthest }: Judgement,
    touched: ReadonlySet<PodClass>,
    tempting: readonly { readonly row: Row; readonly fits: ReadonlySet<PodClass> }[],
  ): boolean {
    if (targets.some((target) => this.changed.has(target))) return true;
    if (touched.size > 0 && pods.some((pod) => touched.has(pod))) return true;
    return tempting.some(({ row: other, fits }) => {
      if (homeless.some((pod) => fits.has(pod))) return true;
      const isBetween =
        farthest !== undefined && distance(this.#board, row, other) < distance(this.#board, row, farthest);
      return isBetween && pods.some((pod) => fits.has(pod));
    });
  }
}

/** Two small numbers in one. */
const keyOf = (first: number, second: number): number => first * 2 ** 26 + second;
const firstOf = (key: number): number => Math.floor(key / 2 ** 26);
const secondOf = (key: number): number => key % 2 ** 26;
