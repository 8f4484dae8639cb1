// The memo helper: caches results of pure functions on the object they were computed from.
import { after, asDuration, day, type Instant } from '../time/instant.ts';

/** The cached results stored on an object. They are collected with it, and cost the garbage collector less than a WeakMap. */
export type Memory = unknown[];

/** A result and the first instant at which time alone may change it. Undefined = no such instant is known. */
interface AnswerUntil<T> {
  readonly value: T;
  readonly until: Instant | undefined;
}

/** A cached result with its arguments, in the linked list that one memo keeps for one owner, newest first. */
interface MemoEntry<T> {
  readonly a: unknown;
  readonly b: unknown;
  readonly c: unknown;
  readonly answer: T;
  /** The result is valid from `from` until `until`; undefined = at any time. */
  readonly from: Instant | undefined;
  readonly until: Instant | undefined;
  next: MemoEntry<T> | undefined;
}

/** Schedules are searched 400 days ahead. "No change found" is trusted for less than that. */
const trust = asDuration(300 * day);

/**
 * Caches `work`, a pure function of the owner and at most three more arguments. The cached result is returned while those arguments are
 * identical, or arrays with identical elements. `kept` is the number of results per owner, for callers that alternate between arguments.
 */
export function memo<Owner extends object, Keys extends readonly [unknown?, unknown?, unknown?], T>(
  work: (owner: Owner, ...keys: Keys) => T,
  kept?: number,
): (owner: Owner, ...keys: Keys) => T;
// No rest parameters: a cache hit allocates nothing.
export function memo<Owner extends object, T>(work: (owner: Owner, a: never, b: never, c: never) => T, kept = 1) {
  const answers = new Answers<T>(kept);
  return (owner: Owner, a: never, b: never, c: never): T => {
    const known = answers.find(owner, a, b, c);
    if (known) return known.answer;
    const answer = work(owner, a, b, c);
    return answers.keep(owner, { a, b, c, answer, from: undefined, until: undefined, next: undefined });
  };
}

/** Like memo, for results that also depend on the time: valid from the instant they were computed until `until`. */
export function memoUntil<Owner extends object, Keys extends readonly [unknown?, unknown?], T>(
  work: (owner: Owner, now: Instant, ...keys: Keys) => AnswerUntil<T>,
  kept?: number,
): (owner: Owner, now: Instant, ...keys: Keys) => T;
export function memoUntil<Owner extends object, T>(
  work: (owner: Owner, now: Instant, a: never, b: never) => AnswerUntil<T>,
  kept = 1,
) {
  const answers = new Answers<T>(kept);
  return (owner: Owner, now: Instant, a: never, b: never): T => {
    const known = answers.find(owner, a, b, undefined);
    if (known && holdsAt(known, now)) return known.answer;
    const { value, until = after(now, trust) } = work(owner, now, a, b);
    return answers.keep(owner, { a, b, c: undefined, answer: value, from: now, until, next: undefined });
  };
}

const holdsAt = ({ from, until }: MemoEntry<unknown>, now: Instant): boolean =>
  (from === undefined || from <= now) && (until === undefined || now < until);

let slots = 0;

/** The results of one memo: in its own slot of each owner's memory, or in a WeakMap for owners without one. */
class Answers<T> {
  readonly #kept: number;
  readonly #slot = slots++;
  readonly #weak = new WeakMap<object, MemoEntry<T>>();

  constructor(kept: number) {
    this.#kept = kept;
  }

  find(owner: object, a: unknown, b: unknown, c: unknown): MemoEntry<T> | undefined {
    let entry = this.#first(owner);
    while (entry && !(isSame(entry.a, a) && isSame(entry.b, b) && isSame(entry.c, c))) entry = entry.next;
    return entry;
  }

  keep(owner: object, entry: MemoEntry<T>): T {
    if (this.#kept > 1) entry.next = shortened(this.#first(owner), this.#kept - 1);
    const memory = memoryOf(owner);
    if (memory) memory[this.#slot] = entry;
    else this.#weak.set(owner, entry);
    return entry.answer;
  }

  #first(owner: object): MemoEntry<T> | undefined {
    const memory = memoryOf(owner);
    return memory ? (memory[this.#slot] as MemoEntry<T> | undefined) : this.#weak.get(owner);
  }
}

const memoryOf = (owner: { readonly memory?: unknown }): Memory | undefined =>
  Array.isArray(owner.memory) ? owner.memory : undefined;

const isSame = (a: unknown, b: unknown): boolean => a === b || (Array.isArray(a) && Array.isArray(b) && hasSame(a, b));

function hasSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function shortened<T>(first: MemoEntry<T> | undefined, most: number): MemoEntry<T> | undefined {
  let last = first;
  for (let count = 1; count < most; count++) last = last?.next;
  if (last) last.next = undefined;
  return first;
}
