// Where in a JSON text does each part of a value stand? Scanned only along the paths that are asked for: snapshots are large.
import type { Source, SourceEntry, SourceNode } from './source.ts';

export function jsonSource(text: string): Source {
  return {
    text,
    json: true,
    mapAt: (offset) => (text[offset] === '{' ? nodeAt(text, offset) : undefined),
    commentsIn: () => [],
  };
}

function nodeAt(text: string, from: number): SourceNode {
  const open = text[from];
  const to = endOfValue(text, from);
  if (open !== '{' && open !== '[') return { shape: 'scalar', flow: true, from, to, entries: [] };
  let entries: readonly SourceEntry[] | undefined;
  return {
    shape: open === '{' ? 'map' : 'list',
    flow: true,
    from,
    to,
    get entries() {
      entries ??= [...entriesOf(text, from)];
      return entries;
    },
  };
}

function* entriesOf(text: string, from: number): Generator<SourceEntry> {
  const isMap = text[from] === '{';
  let at = skipSpace(text, from + 1);
  for (let i = 0; at < text.length && text[at] !== '}' && text[at] !== ']'; i++) {
    const keyTo = isMap ? endOfValue(text, at) : at;
    const after = isMap ? skipSpace(text, keyTo) + 1 : at;
    const value = nodeAt(text, skipSpace(text, after));
    const key = isMap ? String(JSON.parse(text.slice(at, keyTo))) : String(i);
    yield { key, from: at, keyTo, after, flow: true, item: !isMap, value };
    at = skipSpace(text, value.to);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return at;
}

/** The offset just after a value of a text that is known to be JSON. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = closingQuote(text, at);
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    else if (depth > 0 || !/[\s,\]}]/.test(text[at + 1] ?? ',')) continue;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

function closingQuote(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
