// Reads plain objects field by field. An invalid value becomes a fault and counts as absent; nothing throws.
// Past 300 lines: one method for each type of field.
import type { NodeCount } from '../../cluster/model.ts';
import { parseResources, type Resources } from '../../cluster/quantity.ts';
import type { TextMap } from '../../cluster/selector.ts';
import { parseSigned, type SignedInstant } from '../../cluster/signedInstant.ts';
import { parseDuration } from '../../time/duration.ts';
import { type Duration, type Instant, parseInstant } from '../../time/instant.ts';
import { joinPath } from '../text/path.ts';
import { type Findings, type Severity, show } from './findings.ts';

export type Json = Readonly<Record<string, unknown>>;
export type FieldKey = string | number;
/** Reports a fault of one field or list item. */
export type ReportFault = (message: string, severity?: Severity) => void;

export const maxInt32 = 2 ** 31 - 1;

export const useDuration = 'Use a Go duration such as 8h or 1h30m.';
export const useQuantity = 'Use a quantity such as 500m, 4 or 16Gi.';
const writeString = 'Write a string.';
const writeMap = 'Write a map of fields.';
const emptyItem = 'This list item is empty. Write a string, or remove the item.';
const nothing: Json = {};
const noTexts: TextMap = {};

export class Reader {
  readonly findings: Findings;
  readonly values: Json | readonly unknown[];
  readonly #parent: Reader | undefined;
  /** Its key or index in the parent. */
  readonly key: FieldKey;

  constructor(values: Json | readonly unknown[], findings: Findings, parent?: Reader, key: FieldKey = '') {
    this.values = values;
    this.findings = findings;
    this.#parent = parent;
    this.key = key;
  }

  /** The map itself; empty where this is a list. */
  fields(): Json {
    return isMap(this.values) ? this.values : nothing;
  }

  /** The path of a field of this map, or of the map itself. */
  path(key?: FieldKey): string {
    const own = this.#parent ? joinPath(this.#parent.path(), this.key) : '';
    return key === undefined ? own : joinPath(own, key);
  }

  /** The value, with null as undefined: Kubernetes treats null as absent. */
  raw(key: FieldKey): unknown {
    const { values } = this;
    return (isMap(values) ? values[key] : values[Number(key)]) ?? undefined;
  }

  has(key: FieldKey): boolean {
    return this.raw(key) !== undefined;
  }

  fault(key: FieldKey, message: string, severity?: Severity): void {
    this.findings.add(this.path(key), this.raw(key), message, severity);
  }

  /** An unknown field or key, with the known ones it is close to (K4). */
  unknown(
    key: FieldKey,
    meant: readonly string[],
    { message, severity }: { message: string; severity?: Severity | undefined },
  ): void {
    this.findings.unknown(this.path(key), this.raw(key), { message, severity, meant });
  }

  /** `"soon" is not a valid duration: use a Go duration such as 8h or 1h30m.` */
  wrong(key: FieldKey, noun: string, remedy: string): undefined {
    this.fault(
      key,
      `${show(this.raw(key))} is not a valid ${noun}: ${remedy.charAt(0).toLowerCase()}${remedy.slice(1)}`,
    );
  }

  text(key: FieldKey): string | undefined {
    const value = this.raw(key);
    if (value === undefined || typeof value === 'string') return value;
    return this.wrong(key, 'string', isScalar(value) ? 'Put it in quotes.' : writeString);
  }

  /** A text that many messages repeat, so a longer one is cut. */
  shortText(key: FieldKey, longest: number): string | undefined {
    const text = this.text(key);
    if (text === undefined || text.length <= longest) return text;
    this.fault(key, tooLong(text, longest));
    return text.slice(0, longest);
  }

  boolean(key: FieldKey): boolean | undefined {
    const value = this.raw(key);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.wrong(key, 'boolean', 'Use true or false, without quotes.');
  }

  whole(key: FieldKey, least: number, most: number): number | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    return this.wrong(key, 'number', `Use a whole number from ${least} to ${most}, without quotes.`);
  }

  oneOf<T extends string>(key: FieldKey, allowed: readonly T[]): T | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    return allowed.find((word) => word === value) ?? this.wrong(key, 'value', `Use ${orList(allowed)}.`);
  }

  instant(key: FieldKey): Instant | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    const instant = typeof value === 'string' ? parseInstant(value) : undefined;
    return instant ?? this.wrong(key, 'time', 'Use RFC 3339, such as 2026-11-15T09:00:00Z.');
  }

  /** An instant with who wrote it and why (Q1). */
  signed(key: FieldKey): SignedInstant | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    const signed = typeof value === 'string' ? parseSigned(value) : undefined;
    return (
      signed ??
      this.wrong(key, 'time', 'Use RFC 3339, such as 2026-11-15T09:00:00Z, or 2026-11-15T09:00:00Z by ann: why.')
    );
  }

  duration(key: FieldKey): Duration | undefined {
    return this.#elapsed(key, useDuration);
  }

  /** A duration, or one word with a meaning of its own, such as Never. */
  durationOr<Word extends string>(key: FieldKey, word: Word): Duration | Word | undefined {
    return this.raw(key) === word ? word : this.#elapsed(key, `${useDuration.slice(0, -1)}, or ${word}.`);
  }

  #elapsed(key: FieldKey, remedy: string): Duration | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    const duration = typeof value === 'string' ? parseDuration(value) : undefined;
    return duration !== undefined && duration >= 0
      ? duration
      : this.wrong(key, 'duration', durationHint(value) ?? remedy);
  }

  /** Such as 3, "3" or "10%". */
  nodeCount(key: FieldKey): NodeCount | undefined {
    if (!this.has(key)) return undefined;
    return parseNodeCount(this.raw(key)) ?? this.wrong(key, 'number of nodes', useNodeCount);
  }

  /** An absent map reads as an empty one. */
  map(key: FieldKey): Reader {
    const value = this.raw(key);
    if (isMap(value)) return this.#enter(key, value);
    if (value !== undefined) this.wrong(key, 'map', writeMap);
    return this.#enter(key, nothing);
  }

  /** A map or list without a fault if it is neither, for callers that only need paths below a value that was read before. */
  at(key: FieldKey): Reader {
    const value = this.raw(key);
    return this.#enter(key, isMap(value) || Array.isArray(value) ? value : nothing);
  }

  list(key: FieldKey): readonly unknown[] | undefined {
    const value = this.raw(key);
    if (value === undefined || Array.isArray(value)) return value;
    return this.wrong(key, 'list', 'Write a list.');
  }

  /** The maps in a list; other items are faults and left out. */
  maps(key: FieldKey): Reader[] {
    const list = this.list(key);
    if (list === undefined || list.length === 0) return [];
    const inside = this.#enter(key, list);
    const readers: Reader[] = [];
    for (let i = 0; i < list.length; i++) {
      const value = list[i];
      if (isMap(value)) readers.push(inside.#enter(i, value));
      else inside.wrong(i, 'map', writeMap);
    }
    return readers;
  }

  /** The strings in a list; other items are faults and left out. */
  texts(key: FieldKey): string[] {
    return this.eachText(key, (text) => text);
  }

  /** What `read` returns for each string in a list, without undefined. The callback reports faults at the item's path. */
  eachText<T>(key: FieldKey, read: (text: string, fault: ReportFault) => T | undefined): T[] {
    const list = this.list(key);
    if (list === undefined) return [];
    const inside = this.#enter(key, list);
    const found: T[] = [];
    for (let i = 0; i < list.length; i++) {
      // A list item cannot be absent: a dash with nothing after it is a mistake.
      const text = list[i] === null ? inside.fault(i, emptyItem) : inside.text(i);
      const value =
        text === undefined ? undefined : read(text, (message, severity) => inside.fault(i, message, severity));
      if (value !== undefined) found.push(value);
    }
    return found;
  }

  /** Strings by key, as in labels and annotations. An unquoted number or boolean is a fault, but read as its text; a value too long is cut. */
  textMap(key: FieldKey, longest = Number.POSITIVE_INFINITY): TextMap {
    const value = this.raw(key);
    if (value === undefined) return noTexts;
    if (!isMap(value)) return this.wrong(key, 'map', 'Write a map of strings.') ?? noTexts;
    return areTexts(value, longest) ? value : this.#asTexts(this.#enter(key, value), longest);
  }

  #asTexts(map: Reader, longest: number): TextMap {
    const texts: [string, string][] = [];
    for (const [name, value] of Object.entries(map.values)) {
      if (typeof value === 'string') texts.push([name, map.shortText(name, longest) ?? '']);
      else if (isScalar(value)) texts.push([name, String(value)]);
      if (isScalar(value) && typeof value !== 'string') map.wrong(name, 'string', 'Put it in quotes.');
      else if (!isScalar(value) && value !== null) map.wrong(name, 'string', writeString);
    }
    return Object.fromEntries(texts);
  }

  /** Amounts by resource; an invalid quantity is a fault and left out. */
  resources(key: FieldKey): Resources {
    const value = this.raw(key);
    if (!isMap(value))
      return value === undefined ? {} : (this.wrong(key, 'map', 'Write quantities by resource.') ?? {});
    return readAmounts(value, (name) => this.#enter(key, value).wrong(name, 'quantity', useQuantity));
  }

  /** The same map with another value at one key, for a list that was written as text in an annotation. */
  replaced(key: FieldKey, value: unknown): Reader {
    return new Reader({ ...this.values, [key]: value }, this.findings, this.#parent, this.key);
  }

  #enter(key: FieldKey, values: Json | readonly unknown[]): Reader {
    return new Reader(values, this.findings, this, key);
  }
}

export function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The maps in the list at a field; empty if there is no list. */
export function listIn(map: Json | undefined, field: string): readonly Json[] {
  const list = map?.[field];
  return Array.isArray(list) ? list.filter(isMap) : [];
}

function areTexts(values: Json, longest: number): values is TextMap {
  for (const name in values) {
    const text = values[name];
    if (typeof text !== 'string' || text.length > longest) return false;
  }
  return true;
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const tooLong = (text: string, longest: number): string =>
  `This value has ${text.length} characters and is cut. Use at most ${longest}.`;

/** The value itself if it is a map, else an empty map. */
export const mapIn = (value: unknown): Json => (isMap(value) ? value : {});

/** Longer texts are not written as durations. */
const longestDuration = 20;

/** What to write for a text that is a duration but for its spaces, such as `10 h`. */
export function durationHint(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.replace(/\s+/g, '') : '';
  const duration = text === value || text.length > longestDuration ? undefined : parseDuration(text);
  return duration !== undefined && duration >= 0 ? `Write ${text}.` : undefined;
}

/** `a, b or c` */
export function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** Quantities by name; calls `wrong` for each invalid one. null counts as absent, as in Kubernetes. */
export function readAmounts(values: Readonly<Record<string, unknown>>, wrong: (name: string) => void): Resources {
  const amounts = parseResources(values);
  const bad = Object.keys(values).filter((name) => values[name] !== null && !isAmount(amounts, name));
  if (bad.length === 0) return amounts;
  bad.forEach(wrong);
  return Object.fromEntries(Object.entries(amounts).filter(([name]) => isAmount(amounts, name)));
}

/** Names that every JavaScript object inherits, such as `constructor`, are not amounts: sums would start from the inherited value. */
function isAmount(amounts: Resources, name: string): boolean {
  const amount = Object.hasOwn(amounts, name) && !(name in Object.prototype) ? amounts[name] : undefined;
  return amount !== undefined && amount >= 0 && Number.isFinite(amount);
}

const useNodeCount = `Use a whole number up to ${maxInt32}, such as "3", or a percentage from "0%" to "100%".`;

export function parseNodeCount(value: unknown): NodeCount | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? countOf(value) : undefined;
  if (typeof value !== 'string') return undefined;
  const match = /^(\d+)(%?)$/.exec(value);
  if (!match) return undefined;
  const number = Number(match[1]);
  if (match[2] === '') return countOf(number);
  return number <= 100 ? { percent: number } : undefined;
}

/** Karpenter parses the count as an int32 and silently wraps a larger one around. */
const countOf = (count: number): NodeCount | undefined => (count >= 0 && count <= maxInt32 ? { count } : undefined);

export const formatNodeCount = (nodes: NodeCount): string =>
  'count' in nodes ? String(nodes.count) : `${nodes.percent}%`;
