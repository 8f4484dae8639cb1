// Delta encoding of recorded rounds: writes the differences to the previous round, and restores the whole.
import { fingerprint } from '../cluster/names.ts';
import { isMap, type Json } from '../kinds/read/reader.ts';
import { isCount, type RoundLine } from './recordingLine.ts';

/** A field as JSON text; a list as the texts of its items. */
type Section = string | readonly string[];
type Sections = ReadonlyMap<string, Section>;

/** Encodes printed rounds as differences. */
export class RoundWriter {
  #before: Sections = new Map();

  /** The fields of a RoundLine, as JSON without the braces around them. */
  write(printed: Json): string {
    const sections = sectionsOf(printed);
    const keys = [...sections.keys()];
    const before = this.#before;
    this.#before = sections;
    const changed = [...sections].flatMap(([key, section]) => {
      const delta = deltaOf(before.get(key), section);
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

/** The same text as JSON.stringify of the whole round. */
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

/** Restores rounds from their differences. */
export class RoundReader {
  #keys: readonly string[] = [];
  readonly #sections = new Map<string, unknown>();

  /** The printed round, or the error in this line. */
  read({
    keys,
    changed,
    fingerprint: wanted,
  }: Pick<RoundLine, 'keys' | 'changed' | 'fingerprint'>): { readonly text: string } | { readonly wrong: string } {
    if (keys) this.#keys = keys;
    for (const [key, delta] of Object.entries(changed)) {
      const value = applyDelta(this.#sections.get(key), delta);
      if (value === undefined) return { wrong: `The change of ${key} does not apply to the previous round.` };
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

/** Undefined if the change does not apply. */
function applyDelta(before: unknown, delta: unknown): unknown {
  if (!isMap(delta)) return undefined;
  if ('is' in delta) return delta.is;
  const { from, cut, put } = delta;
  const old: unknown[] = Array.isArray(before) ? before : [];
  if (!isCount(from) || !isCount(cut) || !Array.isArray(put) || from + cut > old.length) return undefined;
  return [...old.slice(0, from), ...put, ...old.slice(from + cut)];
}
