// What does a round say that the one before did not? Most of it stays: only what differs is kept, and the whole is put together again.
import { fingerprint } from '../engine/commands/fingerprint.ts';
import { isMap, type Json } from '../kinds/reader.ts';

/** A field as text: a list by its items. */
type Section = string | readonly string[];
type Sections = ReadonlyMap<string, Section>;

/** Takes rounds as they are printed, and gives what differs from the one before. */
export class RoundWriter {
  #before: Sections = new Map();

  /** The fields of a RoundLine, as JSON without the braces around them. */
  write(printed: Json): string {
    const sections = sectionsOf(printed);
    const keys = [...sections.keys()];
    const before = this.#before;
    this.#before = sections;
    const changed = keys.flatMap((key) => {
      const delta = deltaOf(before.get(key), sections.get(key) as Section);
      return delta === undefined ? [] : [`${JSON.stringify(key)}:${delta}`];
    });
    const sameKeys = keys.join('\n') === [...before.keys()].join('\n');
    const named = sameKeys ? '' : `"keys":${JSON.stringify(keys)},`;
    return `${named}"changed":{${changed.join(',')}},"fingerprint":${JSON.stringify(fingerprint(textOf(sections)))}`;
  }
}

function sectionsOf(printed: Json): Sections {
  const sections = new Map<string, Section>();
  for (const [key, value] of Object.entries(printed)) {
    if (value === undefined) continue;
    sections.set(key, Array.isArray(value) ? value.map((item) => JSON.stringify(item)) : JSON.stringify(value));
  }
  return sections;
}

/** Just as JSON.stringify would write the whole. */
const textOf = (sections: Sections): string =>
  `{${[...sections]
    .map(([key, it]) => `${JSON.stringify(key)}:${typeof it === 'string' ? it : `[${it.join(',')}]`}`)
    .join(',')}}`;

function deltaOf(before: Section | undefined, now: Section): string | undefined {
  if (typeof now === 'string') return before === now ? undefined : `{"is":${now}}`;
  const old = before === undefined || typeof before === 'string' ? [] : before;
  let from = 0;
  while (from < now.length && from < old.length && now[from] === old[from]) from++;
  let end = 0;
  while (end < now.length - from && end < old.length - from && now.at(-1 - end) === old.at(-1 - end)) end++;
  const cut = old.length - from - end;
  const put = now.slice(from, now.length - end);
  const isSame = cut === 0 && put.length === 0 && typeof before === 'object';
  return isSame ? undefined : `{"from":${from},"cut":${cut},"put":[${put.join(',')}]}`;
}

/** Puts rounds together again. */
export class RoundReader {
  #keys: readonly string[] = [];
  readonly #sections = new Map<string, unknown>();

  /** The printed round; or what is wrong with this line. */
  read({
    keys,
    changed,
    fingerprint: wanted,
  }: {
    keys?: readonly string[];
    changed: Json;
    fingerprint: string;
  }): { readonly text: string } | { readonly wrong: string } {
    if (keys) this.#keys = keys;
    for (const [key, delta] of Object.entries(changed)) {
      const value = applyDelta(this.#sections.get(key), delta);
      if (value === undefined) return { wrong: `What changed in ${key} does not fit the round before.` };
      this.#sections.set(key, value);
    }
    const known = new Set(this.#keys);
    for (const key of this.#sections.keys()) if (!known.has(key)) this.#sections.delete(key);
    const text = JSON.stringify(Object.fromEntries(this.#keys.map((key) => [key, this.#sections.get(key)])));
    return fingerprint(text) === wanted
      ? { text }
      : { wrong: 'The fingerprint of this round is another: the recording was damaged or changed.' };
  }
}

/** Undefined = it does not fit. */
function applyDelta(before: unknown, delta: unknown): unknown {
  if (!isMap(delta)) return undefined;
  if ('is' in delta) return delta.is;
  const { from, cut, put } = delta;
  const old: unknown[] = Array.isArray(before) ? before : [];
  if (!isIndex(from) || !isIndex(cut) || !Array.isArray(put) || from + cut > old.length) return undefined;
  return [...old.slice(0, from), ...put, ...old.slice(from + cut)];
}

const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
