// What is wrong with one object? Gathers its faults. Names, paths and places are worked out only where there is a fault: most objects have none.
import type { Fault, Position } from '../cluster/fault.ts';

export type Severity = Fault['severity'];

/** Where a path stands in the file it was read from; nothing for objects of a live cluster. */
export type Where = (path: string) => Position | undefined;

export const nowhere: Where = () => undefined;

/** So many faults of one object are told: an object of a million wrong entries must not make a million sentences. */
const mostTold = 1000;
/** Larger values are not repeated in a fault, which may be kept and sent for long. */
const largestGiven = 10_000;

interface Unknown {
  readonly message: string;
  readonly severity?: Severity | undefined;
  readonly meant?: readonly string[] | undefined;
}

export class Findings {
  readonly faults: Fault[] = [];
  readonly #told = new Set<string>();
  readonly #nameOf: () => string;
  readonly #usual: Severity;
  readonly #where: Where;
  #name: string | undefined;
  #wrongs = 0;
  #error: Fault | undefined;

  /** `usual` is the severity of a value of the wrong form: an error on rules, a warning on what they are applied to. */
  constructor(name: () => string, usual: Severity, where: Where) {
    this.#nameOf = name;
    this.#usual = usual;
    this.#where = where;
  }

  add(path: string, value: unknown, message: string, severity: Severity = this.#usual): void {
    this.#put(path, value, { message, severity });
  }

  /** A name that is not known (K4). */
  unknown(path: string, value: unknown, { message, severity = this.#usual, meant }: Unknown): void {
    this.#put(path, value, { message, severity, meant });
  }

  #put(path: string, value: unknown, { message, severity, meant }: Unknown & { severity: Severity }): void {
    // Two rules may read the same field, as a pod's two schedules read its zone.
    const key = `${path}\n${message}`;
    if (this.#told.has(key)) return;
    if (severity === this.#usual) this.#wrongs++;
    // What makes a rule fail closed is told, however much was told before it.
    const isFirstError = severity === 'error' && !this.#error;
    if (this.faults.length > mostTold && !isFirstError) return;
    this.#told.add(key);
    const fault = { ...this.#fault(path, value, message, severity), ...(meant && { meant }) };
    if (isFirstError) this.#error = fault;
    this.faults.push(fault);
    if (this.faults.length === mostTold) this.faults.push(this.#fault('', undefined, andMore, this.#usual));
  }

  /** A fault that is told only by whom it concerns. */
  aside(path: string, value: unknown, message: string): Fault {
    return this.#fault(path, value, message, this.#usual);
  }

  #fault(path: string, value: unknown, message: string, severity: Severity): Fault {
    this.#name ??= this.#nameOf();
    const position = this.#where(path);
    return { object: this.#name, path, value: given(value), message, severity, ...(position && { position }) };
  }

  /** How many values were wrong so far; notes beside them do not count. Asked before and after, it tells whether a part is sound. */
  get wrongs(): number {
    return this.#wrongs;
  }

  /** What makes a rule fail closed (C8, D7, E7). */
  get error(): Fault | undefined {
    return this.#error;
  }
}

const andMore = `There may be more wrong with this object than the ${mostTold} faults told. Mend these first.`;

/** JSON has no word for the numbers that are none. */
const isNoNumber = (value: unknown): value is number => typeof value === 'number' && !Number.isFinite(value);

function given(value: unknown): unknown {
  if (isNoNumber(value)) return String(value);
  return isLargerThan(value, largestGiven) ? show(value) : value;
}

const shownLength = 60;

/** A value within a sentence. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (isNoNumber(value)) return String(value);
  if (typeof value === 'string') return brief(JSON.stringify(value.slice(0, shownLength + 1)));
  if (isLargerThan(value, largestGiven))
    return Array.isArray(value)
      ? `a list of ${value.length}`
      : `a map of ${Object.keys(value as object).length} fields`;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // A value that contains itself cannot be written out.
  }
  return text === undefined ? `a ${typeof value}` : brief(text);
}

/** The beginning of a text that may be longer than a sentence can bear. */
export function brief(text: string, length = shownLength): string {
  if (text.length <= length) return text;
  // Not within a sign that takes two places.
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** What a level of nesting counts for, so that walking down a value that contains itself ends soon. */
const perLevel = 10;

/** Whether it has more characters and entries than that, found without looking at the rest. */
function isLargerThan(value: unknown, limit: number): boolean {
  let left = limit;
  const walk = (part: unknown): boolean => {
    if (typeof part === 'string') left -= part.length;
    if (typeof part !== 'object' || part === null) return --left < 0;
    left -= perLevel;
    if (left < 0) return true;
    if (Array.isArray(part)) return part.some(walk);
    for (const key in part) {
      left -= key.length;
      if (walk((part as Record<string, unknown>)[key])) return true;
    }
    return false;
  };
  return walk(value);
}
