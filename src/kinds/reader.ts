// What does a field hold? Reads plain objects field by field. What is not as it must be becomes a fault and counts as absent; nothing throws.
import type { Resources } from '../cluster/quantity.ts';
import type { TextMap } from '../cluster/selector.ts';
import { parseDuration } from '../time/duration.ts';
import { type Duration, type Instant, parseInstant } from '../time/instant.ts';
import { readAmounts } from './amounts.ts';
import { type Findings, type Severity, show } from './findings.ts';
import { joinPath } from './path.ts';

export type Json = Readonly<Record<string, unknown>>;
export type Key = string | number;
export type SayFault = (message: string, severity?: Severity) => void;

export const useDuration = 'Use a Go duration such as 8h or 1h30m.';
export const useQuantity = 'Use a quantity such as 500m, 4 or 16Gi.';
const nothing: Json = {};
const noTexts: TextMap = {};

export class Reader {
  readonly findings: Findings;
  readonly values: Json | readonly unknown[];
  readonly #parent: Reader | undefined;
  /** Where it stands in its parent. */
  readonly key: Key;

  constructor(values: Json | readonly unknown[], findings: Findings, parent?: Reader, key: Key = '') {
    this.values = values;
    this.findings = findings;
    this.#parent = parent;
    this.key = key;
  }

  /** The path of a field of this map, or of the map itself. */
  path(key?: Key): string {
    const own = this.#parent ? joinPath(this.#parent.path(), this.key) : '';
    return key === undefined ? own : joinPath(own, key);
  }

  /** null is absent, as Kubernetes reads it. */
  raw(key: Key): unknown {
    return (this.values as Json)[key] ?? undefined;
  }

  has(key: Key): boolean {
    return this.raw(key) !== undefined;
  }

  fault(key: Key, message: string, severity?: Severity): void {
    this.findings.add(this.path(key), this.raw(key), message, severity);
  }

  /** A field or key that is not known here, with the known ones it is close to (K4). */
  unknown(
    key: Key,
    meant: readonly string[],
    { message, severity }: { message: string; severity?: Severity | undefined },
  ): void {
    this.findings.unknown(this.path(key), this.raw(key), { message, severity, meant });
  }

  /** `"soon" is no duration. Use …` */
  wrong(key: Key, noun: string, remedy: string): undefined {
    this.fault(key, `${show(this.raw(key))} is no ${noun}. ${remedy}`);
  }

  text(key: Key): string | undefined {
    const value = this.raw(key);
    if (value === undefined || typeof value === 'string') return value;
    return this.wrong(key, 'text', isScalar(value) ? 'Put it in quotes.' : 'Give a text.');
  }

  /** One that is repeated in many sentences. A longer one is cut. */
  shortText(key: Key, longest: number): string | undefined {
    const text = this.text(key);
    if (text === undefined || text.length <= longest) return text;
    this.fault(key, tooLong(text, longest));
    return text.slice(0, longest);
  }

  boolean(key: Key): boolean | undefined {
    const value = this.raw(key);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.wrong(key, 'boolean', 'Use true or false, without quotes.');
  }

  whole(key: Key, least: number, most: number): number | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
    return this.wrong(key, 'allowed number', `Use a whole number from ${least} to ${most}, without quotes.`);
  }

  oneOf<T extends string>(key: Key, allowed: readonly T[]): T | undefined {
    const value = this.raw(key);
    if (value === undefined || allowed.includes(value as T)) return value as T | undefined;
    return this.wrong(key, 'allowed value', `Use ${orList(allowed)}.`);
  }

  instant(key: Key): Instant | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    const instant = typeof value === 'string' ? parseInstant(value) : undefined;
    return instant ?? this.wrong(key, 'instant', 'Use RFC 3339 such as 2026-11-15T09:00:00Z.');
  }

  duration(key: Key): Duration | undefined {
    return this.#elapsed(key, useDuration);
  }

  /** A duration, or one word that stands for something else. */
  durationOr<Word extends string>(key: Key, word: Word): Duration | Word | undefined {
    return this.raw(key) === word ? word : this.#elapsed(key, `${useDuration.slice(0, -1)}, or ${word}.`);
  }

  #elapsed(key: Key, remedy: string): Duration | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    const duration = typeof value === 'string' ? parseDuration(value) : undefined;
    return duration !== undefined && duration >= 0 ? duration : this.wrong(key, 'duration', remedy);
  }

  /** An absent map reads as an empty one. */
  map(key: Key): Reader {
    const value = this.raw(key);
    if (isMap(value)) return this.#enter(key, value);
    if (value !== undefined) this.wrong(key, 'map', 'Give a map of fields.');
    return this.#enter(key, nothing);
  }

  /** The same without a word, to name places in it: whoever read it has said what is wrong with it. */
  at(key: Key): Reader {
    const value = this.raw(key);
    return this.#enter(key, isMap(value) ? value : nothing);
  }

  list(key: Key): readonly unknown[] | undefined {
    const value = this.raw(key);
    if (value === undefined || Array.isArray(value)) return value;
    return this.wrong(key, 'list', 'Give a list.');
  }

  /** The maps of a list; what is no map is left out. */
  maps(key: Key): Reader[] {
    const list = this.list(key);
    if (list === undefined || list.length === 0) return [];
    const inside = this.#enter(key, list);
    const readers: Reader[] = [];
    for (let i = 0; i < list.length; i++) {
      const value = list[i];
      if (isMap(value)) readers.push(inside.#enter(i, value));
      else inside.wrong(i, 'map', 'Give a map of fields.');
    }
    return readers;
  }

  /** The texts of a list; what is no text is left out. */
  texts(key: Key): string[] {
    return this.eachText(key, (text) => text);
  }

  /** What each text of a list means; what means nothing is left out. A fault speaks of that very text. */
  eachText<T>(key: Key, read: (text: string, fault: SayFault) => T | undefined): T[] {
    const list = this.list(key);
    if (list === undefined) return [];
    const inside = this.#enter(key, list);
    const found: T[] = [];
    for (let i = 0; i < list.length; i++) {
      // An entry cannot be absent: a dash with nothing after it was meant to say something.
      const text = list[i] === null ? inside.wrong(i, 'text', 'Give a text, or leave the entry out.') : inside.text(i);
      const value =
        text === undefined ? undefined : read(text, (message, severity) => inside.fault(i, message, severity));
      if (value !== undefined) found.push(value);
    }
    return found;
  }

  /** Text by key, as labels and annotations are. A number or boolean somebody forgot to quote is taken as it was meant, and one too long is cut. */
  textMap(key: Key, longest = Number.POSITIVE_INFINITY): TextMap {
    const value = this.raw(key);
    if (value === undefined) return noTexts;
    if (!isMap(value)) return this.wrong(key, 'map', 'Give a map of texts.') ?? noTexts;
    for (const name in value) {
      const text = value[name];
      if (typeof text !== 'string' || text.length > longest) return this.#mended(this.#enter(key, value), longest);
    }
    return value as TextMap;
  }

  #mended(map: Reader, longest: number): TextMap {
    const texts: [string, string][] = [];
    for (const [name, value] of Object.entries(map.values)) {
      if (typeof value === 'string') texts.push([name, map.shortText(name, longest) ?? '']);
      else if (isScalar(value)) texts.push([name, String(value)]);
      if (isScalar(value) && typeof value !== 'string') map.wrong(name, 'text', 'Put it in quotes.');
      else if (!isScalar(value) && value !== null) map.wrong(name, 'text', 'Give a text.');
    }
    return Object.fromEntries(texts);
  }

  /** Amounts by resource; what is no quantity is left out. */
  resources(key: Key): Resources {
    const value = this.raw(key);
    if (!isMap(value)) return value === undefined ? {} : (this.wrong(key, 'map', 'Give quantities by resource.') ?? {});
    return readAmounts(value, (name) => this.#enter(key, value).wrong(name, 'quantity', useQuantity));
  }

  /** The same map with another value at one key: for a list that was written there as text. */
  replaced(key: Key, value: unknown): Reader {
    return new Reader({ ...this.values, [key]: value }, this.findings, this.#parent, this.key);
  }

  #enter(key: Key, values: Json | readonly unknown[]): Reader {
    return new Reader(values, this.findings, this, key);
  }
}

export function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const tooLong = (text: string, longest: number): string =>
  `This has ${text.length} characters, and is cut. Use at most ${longest}.`;

/** `a, b or c` */
export function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** A record without its undefined fields: absent means absent. */
export function defined<T extends object>(fields: { readonly [Field in keyof T]-?: T[Field] | undefined }): T {
  const record: Partial<T> = {};
  for (const field in fields) {
    const value = fields[field];
    if (value !== undefined) record[field] = value as T[typeof field];
  }
  return record as T;
}
