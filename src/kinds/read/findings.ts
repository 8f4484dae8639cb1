// Collects the faults of one object. Names, paths and positions are computed only for a fault: most objects have none.
import type { Fault, Position } from '../../cluster/fault.ts';

export type Severity = Fault['severity'];

/** The position of a path in the file the object was read from; undefined for objects of a live cluster. */
export type Where = (path: string) => Position | undefined;

export const nowhere: Where = () => undefined;

/** How many faults of one object are reported: an object with a million wrong entries must not produce a million messages. */
const maxFaults = 1000;
/** A fault may be stored and sent many times, so a larger value is abbreviated in it. */
const maxValueSize = 10_000;

interface FaultDetails {
  readonly message: string;
  readonly severity?: Severity | undefined;
  readonly meant?: readonly string[] | undefined;
}

export class Findings {
  readonly faults: Fault[] = [];
  readonly #reported = new Set<string>();
  readonly #nameOf: () => string;
  readonly #usual: Severity;
  readonly #where: Where;
  #name: string | undefined;
  #wrongs = 0;
  #error: Fault | undefined;

  /** `usual` is the severity of an invalid value: an error in a rule, a warning in an object that rules apply to. */
  constructor(name: () => string, usual: Severity, where: Where) {
    this.#nameOf = name;
    this.#usual = usual;
    this.#where = where;
  }

  add(path: string, value: unknown, message: string, severity: Severity = this.#usual): void {
    this.#put(path, value, { message, severity });
  }

  /** A name that is not known (K4). */
  unknown(path: string, value: unknown, { message, severity = this.#usual, meant }: FaultDetails): void {
    this.#put(path, value, { message, severity, meant });
  }

  #put(path: string, value: unknown, { message, severity, meant }: FaultDetails & { severity: Severity }): void {
    // Two rules may read the same field, as a pod's two schedules read its zone.
    const key = `${path}\n${message}`;
    if (this.#reported.has(key)) return;
    if (severity === this.#usual) this.#wrongs++;
    // The first error makes a rule fail closed: report it even past the maximum.
    const isFirstError = severity === 'error' && !this.#error;
    if (this.faults.length > maxFaults && !isFirstError) return;
    this.#reported.add(key);
    const fault: Fault = { ...this.#fault(path, value, message, severity), ...(meant && { meant }) };
    if (isFirstError) this.#error = fault;
    this.faults.push(fault);
    if (this.faults.length === maxFaults) this.faults.push(this.#fault('', undefined, moreFaults, this.#usual));
  }

  /** Builds a fault without adding it, for a fault that matters only in some roles. */
  aside(path: string, value: unknown, message: string): Fault {
    return this.#fault(path, value, message, this.#usual);
  }

  #fault(path: string, value: unknown, message: string, severity: Severity): Fault {
    this.#name ??= this.#nameOf();
    const position = this.#where(path);
    return { object: this.#name, path, value: shortened(value), message, severity, ...(position && { position }) };
  }

  /** How many invalid values were found so far, without notes. Compare before and after reading a part to see if it is valid. */
  get wrongs(): number {
    return this.#wrongs;
  }

  /** The first error, which makes a rule fail closed (C8, D7, E7). */
  get error(): Fault | undefined {
    return this.#error;
  }
}

const moreFaults = `This object may have more than the ${maxFaults} faults reported. Fix these first.`;

/** NaN and infinities, which JSON cannot represent. */
const isNonFinite = (value: unknown): value is number => typeof value === 'number' && !Number.isFinite(value);

function shortened(value: unknown): unknown {
  if (isNonFinite(value)) return String(value);
  return isLargerThan(value, maxValueSize) ? show(value) : value;
}

const shownLength = 60;

/** A value as a message quotes it. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (isNonFinite(value)) return String(value);
  if (typeof value === 'string') return brief(JSON.stringify(value.slice(0, shownLength + 1)));
  if (isLargerThan(value, maxValueSize))
    return Array.isArray(value)
      ? `a list of ${value.length}`
      : `a map of ${Object.keys(value as object).length} fields`;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // JSON.stringify throws on a value that contains itself.
  }
  return text === undefined ? `a ${typeof value}` : brief(text);
}

/** The beginning of a text that may be too long for a message. */
export function brief(text: string, length = shownLength): string {
  if (text.length <= length) return text;
  // Do not cut a surrogate pair in half.
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The cost of one level of nesting, so that the walk through a value that contains itself ends soon. */
const perLevel = 10;

/** Whether a value has more characters and entries than the limit; stops at the limit. */
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
