// The source ranges of maps, lists and scalars in a YAML or JSON text, and splices that replace them.

import {
  type CST,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { defined } from '../../cluster/defined.ts';
import { jsonEntries, skipValue } from '../text/jsonScan.ts';

export interface SourceNode {
  readonly shape: 'map' | 'list' | 'scalar';
  /** Flow style, as in JSON; otherwise block style. */
  readonly flow: boolean;
  readonly from: number;
  /** The offset after its last character. */
  readonly to: number;
  readonly entries: readonly SourceEntry[];
  /** How a scalar is quoted. */
  readonly quotes?: Scalar.Type;
}

export interface SourceEntry {
  /** The key, or the list index. */
  readonly key: string;
  /** The start of the key or dash; in a flow list, of the value. */
  readonly from: number;
  readonly keyTo: number;
  /** In a flow collection. */
  readonly flow: boolean;
  /** In a list. */
  readonly item: boolean;
  /** The offset after the colon or dash. */
  readonly after: number;
  /** Absent if there is no value. */
  readonly value?: SourceNode;
}

export interface EditableText {
  readonly text: string;
  readonly json: boolean;
  /** The object that starts at an offset. */
  mapAt(offset: number): SourceNode | undefined;
  /** The comments in a range, in order. */
  commentsIn(from: number, to: number): readonly string[];
}

export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** At equal offsets insertions come before replacements; otherwise the given order is kept. */
export function spliced(text: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { from, to, text: fresh } of [...splices].sort((a, b) => a.from - b.from || a.to - b.to)) {
    parts.push(text.slice(at, from), fresh);
    at = Math.max(at, to);
  }
  return parts.join('') + text.slice(at);
}

export const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

/** The offset of the newline, LF or CRLF. */
export function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset);
  if (newline < 0) return text.length;
  return newline > offset && text[newline - 1] === '\r' ? newline - 1 : newline;
}

/** The end of the previous line; undefined on the first. */
export function lineBefore(text: string, offset: number): number | undefined {
  const start = lineStart(text, offset);
  if (start === 0) return undefined;
  return text[start - 2] === '\r' ? start - 2 : start - 1;
}

export const columnOf = (text: string, offset: number): number => offset - lineStart(text, offset);

/** Whether the line has other text before the entry, usually the dash of a list. */
export const isInline = (text: string, { from }: SourceEntry): boolean =>
  text.slice(lineStart(text, from), from).trim() !== '';

/** The offset after the last character of an entry. */
export function endOfEntry({ after, value }: SourceEntry): number {
  return value ? endOfNode(value) : after;
}

function endOfNode({ flow, shape, to, entries }: SourceNode): number {
  const last = flow || shape === 'scalar' ? undefined : entries.at(-1);
  return last ? endOfEntry(last) : to;
}

export function jsonSource(text: string): EditableText {
  return {
    text,
    json: true,
    mapAt: (offset) => (text[offset] === '{' ? nodeAt(text, offset) : undefined),
    commentsIn: () => [],
  };
}

function nodeAt(text: string, from: number): SourceNode {
  const open = text[from];
  const to = skipValue(text, from);
  if (open !== '{' && open !== '[') return { shape: 'scalar', flow: true, from, to, entries: [] };
  let entries: readonly SourceEntry[] | undefined;
  return {
    shape: open === '{' ? 'map' : 'list',
    flow: true,
    from,
    to,
    get entries() {
      entries ??= Array.from(jsonEntries(text, from), ({ value, ...entry }) => ({
        ...{ ...entry, flow: true, item: open === '[' },
        value: nodeAt(text, value),
      }));
      return entries;
    },
  };
}

export function yamlSource(text: string): EditableText {
  const maps = new Map<number, SourceNode>();
  let comments: readonly Comment[] | undefined;
  // With the failsafe schema every scalar is a string, so keys are compared as written.
  const documents = parseAllDocuments(text, {
    schema: 'failsafe',
    keepSourceTokens: true,
    logLevel: 'silent',
    prettyErrors: false,
  });
  for (const { contents } of Array.isArray(documents) ? documents : []) gather(contents, text, maps);
  return {
    text,
    json: false,
    mapAt: (offset) => maps.get(offset),
    commentsIn: (from, to) => {
      comments ??= findComments(text);
      return comments.slice(firstFrom(comments, from), firstFrom(comments, to)).map(({ text }) => text);
    },
  };
}

/** Collects the objects of a document: the document itself, or the items of its lists. */
function gather(node: unknown, text: string, maps: Map<number, SourceNode>): void {
  if (isSeq(node)) for (const item of node.items) gather(item, text, maps);
  if (!isMap(node)) return;
  const source = nodeOf(node, text);
  if (source) maps.set(source.from, source);
  for (const { key, value } of node.items) if (isScalar(key) && key.value === 'items') gather(value, text, maps);
}

/** Undefined for an empty node. */
function nodeOf(node: unknown, text: string): SourceNode | undefined {
  const [from, end] = rangeOf(node);
  if (end <= from) return undefined;
  if (isMap(node) || isSeq(node)) {
    let entries: readonly SourceEntry[] | undefined;
    return {
      shape: isMap(node) ? 'map' : 'list',
      flow: node.flow === true,
      from,
      to: end,
      get entries() {
        entries ??= isMap(node) ? mapEntries(node, text) : listEntries(node, text);
        return entries;
      },
    };
  }
  const quotes = isScalar(node) ? node.type : undefined;
  return defined<SourceNode>({
    shape: 'scalar',
    flow: false,
    from,
    to: endOfScalar(from, end, text),
    entries: [],
    quotes,
  });
}

/** A block scalar ends with its last line, without the empty lines after it, unless `+` keeps them. */
function endOfScalar(from: number, end: number, text: string): number {
  if (!/^[|>][-\d]*\s/.test(text.slice(from, from + 4))) return end;
  return from + text.slice(from, end).trimEnd().length;
}

function mapEntries({ items, flow = false }: YAMLMap, text: string): SourceEntry[] {
  return items.flatMap((pair: Pair) => {
    const { key } = pair;
    if (!isScalar(key)) return [];
    const [from, keyTo] = rangeOf(key);
    const colon = tokenIn(pair.srcToken?.sep, 'map-value-ind');
    const after = colon === undefined ? keyTo : colon + 1;
    return [{ key: String(key.value), from, keyTo, after, flow, item: false, ...written(pair.value, text) }];
  });
}

function listEntries({ items, srcToken, flow = false }: YAMLSeq, text: string): SourceEntry[] {
  const tokens = srcToken && 'items' in srcToken ? srcToken.items : [];
  return items.map((item, i) => {
    const [start] = rangeOf(item);
    const dash = flow ? undefined : tokenIn(tokens[i]?.start, 'seq-item-ind');
    const from = dash ?? start;
    const after = dash === undefined ? start : dash + 1;
    return { key: String(i), from, keyTo: from, after, flow, item: true, ...written(item, text) };
  });
}

const written = (node: unknown, text: string): { readonly value?: SourceNode } =>
  defined({ value: nodeOf(node, text) });

/** An empty range for an empty node. */
function rangeOf(node: unknown): readonly [from: number, to: number] {
  const [from, to] = (isNode(node) && node.range) || [0, 0];
  return [from, to];
}

const tokenIn = (tokens: readonly CST.SourceToken[] | undefined, type: string): number | undefined =>
  tokens?.find((token) => token.type === type)?.offset;

interface Comment {
  readonly from: number;
  readonly text: string;
}

/** Marks that the lexer inserts and the text does not have, such as for the start of a document or a scalar. */
const marks = new Set(['\u0002', '\u0018', '\u001f']);

function findComments(text: string): Comment[] {
  const found: Comment[] = [];
  let at = 0;
  let scalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith('#') && !scalar) found.push({ from: at, text: lexeme.trimEnd() });
    scalar = lexeme === '\u001f';
    if (!marks.has(lexeme)) at += lexeme.length;
  }
  return found;
}

/** Binary search for the first comment at or after an offset. */
function firstFrom(comments: readonly Comment[], offset: number): number {
  let low = 0;
  let high = comments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((comments[middle]?.from ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
