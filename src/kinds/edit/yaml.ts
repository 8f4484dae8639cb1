// Where in a YAML text does each part of a value stand, and where are its comments?
import {
  type CST,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  type ParsedNode,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Source, SourceEntry, SourceNode } from './source.ts';

export function yamlSource(text: string): Source {
  const maps = new Map<number, SourceNode>();
  let comments: readonly Comment[] | undefined;
  // Without a schema every scalar is a text, so keys are compared as they are written.
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

/** The objects of a document: itself, or the items of the lists it is made of. */
function gather(node: unknown, text: string, maps: Map<number, SourceNode>): void {
  if (isSeq(node)) for (const item of node.items) gather(item, text, maps);
  if (!isMap(node)) return;
  const source = nodeOf(node as ParsedNode, text);
  maps.set(source.from, source);
  for (const { key, value } of node.items) if (isScalar(key) && key.value === 'items') gather(value, text, maps);
}

function nodeOf(node: ParsedNode, text: string): SourceNode {
  const [from, end] = node.range;
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
  const quotes = isScalar(node) ? (node as Scalar).type : undefined;
  return {
    shape: 'scalar',
    flow: false,
    from,
    to: endOfScalar(from, end, text),
    entries: [],
    ...(quotes && { quotes }),
  };
}

/** A block of text ends with its last line, not with the empty lines after it; unless `+` keeps them. */
function endOfScalar(from: number, end: number, text: string): number {
  if (!/^[|>][-\d]*\s/.test(text.slice(from, from + 4))) return end;
  return from + text.slice(from, end).trimEnd().length;
}

function mapEntries({ items, flow = false }: YAMLMap, text: string): SourceEntry[] {
  return items.flatMap((pair: Pair) => {
    const key = pair.key as ParsedNode | null;
    if (!key || !isScalar(key)) return [];
    const [from, keyTo] = key.range;
    const colon = tokenIn(pair.srcToken?.sep, 'map-value-ind');
    const after = colon === undefined ? keyTo : colon + 1;
    return [{ key: String(key.value), from, keyTo, after, flow, item: false, ...written(pair.value, text) }];
  });
}

function listEntries({ items, srcToken, flow = false }: YAMLSeq, text: string): SourceEntry[] {
  const tokens = srcToken && 'items' in srcToken ? srcToken.items : [];
  return items.map((item, i) => {
    const [start] = (item as ParsedNode).range;
    const dash = flow ? undefined : tokenIn(tokens[i]?.start, 'seq-item-ind');
    const from = dash ?? start;
    const after = dash === undefined ? start : dash + 1;
    return { key: String(i), from, keyTo: from, after, flow, item: true, ...written(item, text) };
  });
}

function written(node: unknown, text: string): { value?: SourceNode } {
  const { range } = (node ?? {}) as Partial<ParsedNode>;
  return range && range[1] > range[0] ? { value: nodeOf(node as ParsedNode, text) } : {};
}

const tokenIn = (tokens: readonly CST.SourceToken[] | undefined, type: string): number | undefined =>
  tokens?.find((token) => token.type === type)?.offset;

interface Comment {
  readonly from: number;
  readonly text: string;
}

/** Marks that the lexer puts into its stream, which are not in the text: a document begins, a scalar follows. */
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

/** The first of them not before an offset: there may be many, and they are asked for often. */
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
