// Parses YAML as kubectl does, with positions. Long texts are parsed in pieces: a syntax tree takes fifty times the size of its text.
import {
  Composer,
  type Document,
  type ErrorCode,
  LineCounter,
  Parser,
  type ScalarTag,
  type Tags,
  type YAMLParseError,
} from 'yaml';
import { brief } from '../read/findings.ts';
import { isMap } from '../read/reader.ts';
import { type LineColumn, mostErrors, type ParsedText, type ParsedValue, type TextError } from './path.ts';
import { offsetIn, readTree, type Tree, YamlError } from './yamlValue.ts';

export function parseYamlText(text: string): ParsedText {
  const result: ParsedText = { values: [], errors: [] };
  const read = keepLast(readPiece);
  for (const piece of cutDocuments(text)) {
    if (result.errors.length > mostErrors) break;
    const list = cutItems(piece);
    const { values, errors } = list ? readList(list, read) : readWhole(piece, read);
    for (const value of values) result.values.push(value);
    for (const error of errors) result.errors.push(error);
  }
  return result;
}

/** The parsed trees of a piece. They are large, so they are not kept: finding a position parses the piece again. */
interface PieceTrees {
  readonly trees: readonly Tree[];
  readonly errors: readonly TextError[];
  readonly at: (offset: number) => LineColumn;
}

type PieceReader = (piece: Piece) => PieceTrees;

/** Keeps the last piece: positions are requested object by object, so mostly for the same piece. */
function keepLast(read: PieceReader): PieceReader {
  let last: { readonly piece: Piece; readonly trees: PieceTrees } | undefined;
  return (piece) => {
    if (last?.piece !== piece) last = { piece, trees: read(piece) };
    return last.trees;
  };
}

function readWhole(piece: Piece, read: PieceReader): ParsedText {
  const { trees, errors, at } = read(piece);
  const values = trees.flatMap((tree, index): ParsedValue[] => {
    // A document with only comments, or nothing between two `---`.
    if (tree.value === null) return [];
    const start = at(offsetIn(tree, []));
    return [{ value: tree.value, place: (path) => (path.length === 0 ? start : placeIn(read(piece), index, path)) }];
  });
  return { values, errors: [...errors] };
}

/** Parses the items of a list one by one. */
function readList({ whole, frame, items }: CutList, read: PieceReader): ParsedText {
  const { values, errors: wrong } = readWhole(frame, read);
  // The cut missed something in the list, since the frame is not empty: parse the whole.
  if (wrong.length === 0 && !values.every(({ value }) => isEmptyList(value))) return readWhole(whole, read);
  const errors: TextError[] = [];
  const list: unknown[] = [];
  for (const item of items) {
    if (errors.length > mostErrors) break;
    const { trees, errors: wrong } = read(item);
    for (const error of wrong) errors.push(error);
    for (const value of Array.isArray(trees[0]?.value) ? trees[0].value : []) list.push(value);
  }
  const place =
    (around: ParsedValue): ParsedValue['place'] =>
    (path) => {
      const [field, index = '', ...rest] = path;
      const item = field === 'items' ? items[Number(index)] : undefined;
      return item && path.length > 1 ? placeIn(read(item), 0, ['0', ...rest]) : around.place(path);
    };
  return {
    values: values.map((around) => ({
      value: isMap(around.value) ? { ...around.value, items: list } : around.value,
      place: place(around),
    })),
    errors: [...wrong, ...errors],
  };
}

const isEmptyList = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'items' in value && value.items === null;

const placeIn = ({ trees, at }: PieceTrees, index: number, path: readonly string[]): LineColumn => {
  const tree = trees[index];
  return at(tree ? offsetIn(tree, path) : 0);
};

function readPiece({ text, linesBefore }: Piece): PieceTrees {
  const lines = new LineCounter();
  const at = (offset: number): LineColumn => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1) + linesBefore(Math.max(line, 1)), column: Math.max(col, 1) };
  };
  if (isTooMuch(text)) return { trees: [], errors: [{ ...at(0), message: tooMuch }], at };
  const trees: Tree[] = [];
  try {
    for (const { contents } of compose(text, lines)) trees.push(readTree(contents, text.length));
    return { trees, errors: [], at };
  } catch (error) {
    const [offset, message] = error instanceof YamlError ? [error.offset, error.message] : [0, broken(String(error))];
    return { trees, errors: [{ ...at(offset), message }], at };
  }
}

/** Throws YamlError. */
function* compose(text: string, lines: LineCounter): Generator<Document.Parsed, void> {
  let first: YamlError | undefined;
  const composer = new Composer({ version: '1.1', customTags: asKubectl, uniqueKeys: false, logLevel: 'silent' });
  // An invalid text may have a million errors, each with a stack trace: stop at the first one.
  const onError = (source: ErrorSource, code: ErrorCode, message: string, isWarning?: boolean): void => {
    if (isWarning) return;
    first ??= new YamlError(offsetOf(source), sentence(code, message));
    throw first;
  };
  Object.assign(composer, { onError });
  try {
    for (const document of composer.compose(new Parser(lines.addNewLine).parse(text), true, text.length)) {
      throwFirst(document.errors);
      yield document;
    }
  } catch (error) {
    // Errors before the first document are only collected, not thrown.
    throwFirst(composer.streamInfo().errors);
    throw error;
  }
}

function throwFirst([error]: readonly YAMLParseError[]): void {
  if (error) throw new YamlError(error.pos[0], sentence(error.code, error.message));
}

type ErrorSource = number | readonly number[] | { readonly offset: number };

function offsetOf(source: ErrorSource): number {
  if (typeof source === 'number') return source;
  return 'offset' in source ? source.offset : (source[0] ?? 0);
}

/** kubectl reads timestamps and base-60 numbers such as `12:30` as strings, and has no sets or other special collections. */
function asKubectl(tags: Tags): Tags {
  return tags
    .filter((tag) => typeof tag === 'string' || (tag.format !== 'TIME' && !unknown.has(tag.tag)))
    .map((tag) => (typeof tag !== 'string' && isDecimal(tag) ? { ...tag, test: decimal } : tag));
}

const unknown = new Set(['timestamp', 'binary', 'set', 'omap', 'pairs'].map((name) => `tag:yaml.org,2002:${name}`));

const isDecimal = (tag: Exclude<Tags[number], string>): tag is ScalarTag =>
  tag.tag === 'tag:yaml.org,2002:float' && 'test' in tag && !tag.test?.test('.inf');

/** A number needs a digit before its exponent: the library also parses `e2` and `e-1` as numbers. */
const decimal = /^[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** The maximum per piece: each mark becomes a node of about a kilobyte. A hundred thousand lines have some 300,000. */
const mostMarks = 500_000;
const marks = new Set('\n,[{"\''.split(''));
/** Marks only if whitespace follows. */
const spacedMarks = new Set('-?:&*!'.split(''));

function isTooMuch(text: string): boolean {
  if (text.length < mostMarks) return false;
  let found = 0;
  for (let at = 0; at < text.length && found <= mostMarks; at++) {
    const char = text.charAt(at);
    if (marks.has(char) || (spacedMarks.has(char) && text.charCodeAt(at + 1) <= 32)) found++;
  }
  return found > mostMarks;
}

const tooMuch =
  'This YAML is too large to parse as one document. Use JSON (`kubectl get … -o json`), which needs less memory, or several files.';

function sentence(code: ErrorCode, message: string): string {
  const text = brief(message.trim(), maxMessage);
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'YAML does not allow tabs for indentation. Indent with spaces.';
    case 'MISSING_CHAR':
      return `${text}. Close the bracket or quote opened before this position, or quote the string.`;
    case 'BAD_INDENT':
      return `${text}. Indent all keys of a map the same.`;
    case 'RESOURCE_EXHAUSTION':
      return `This is nested too deeply (${text}). Flatten it.`;
    default:
      return broken(text);
  }
}

/** Cuts the library's messages, which may quote the text itself. */
const maxMessage = 200;

const broken = (message: string): string => `${message}. Check indentation, quotes and brackets here.`;

/** A part of a text that consists of whole lines. */
export interface Piece {
  readonly text: string;
  /** How many lines of the whole text precede a line of this piece, counted from 1. */
  readonly linesBefore: (line: number) => number;
}

/** A list as kubectl prints it: the text around the items, and each item as a list of one. */
export interface CutList {
  readonly whole: Piece;
  readonly frame: Piece;
  readonly items: readonly Piece[];
}

/** One piece for each document, separated by `---`. */
export function cutDocuments(text: string): Piece[] {
  // A directive applies to the document after it.
  if (/^%/m.test(text)) return [{ text, linesBefore: () => 0 }];
  const pieces: Piece[] = [];
  let lines = 0;
  let start = 0;
  for (const { index } of [...text.matchAll(/(?<=\n)---(?=\s|$)/g), { index: text.length }]) {
    const piece = text.slice(start, index);
    const before = lines;
    if (!/^(?:---)?[ \t\r\n]*$/.test(piece)) pieces.push({ text: piece, linesBefore: () => before });
    lines += countLines(piece);
    start = index;
  }
  return pieces;
}

/** Shorter texts are parsed as a whole. */
const worthCutting = 100_000;

/** An anchor may be used in a later item. */
const anchor = /[\s[{,]&\w/;

export function cutItems(whole: Piece): CutList | undefined {
  const { text, linesBefore } = whole;
  if (text.length < worthCutting || anchor.test(text)) return undefined;
  const head = /^items:[ \t]*\r?\n(?=( *)- )/m.exec(text);
  if (!head) return undefined;
  const indent = head[1] ?? '';
  const start = head.index + head[0].length;
  const end = endOfItems(text, start, indent.length);
  const above = countLines(text.slice(0, start));
  const items: Piece[] = [];
  let lines = above;
  for (let at = start; at < end; ) {
    const next = text.indexOf(`\n${indent}- `, at);
    const stop = next < 0 || next >= end ? end : next + 1;
    const item = text.slice(at, stop);
    const before = lines;
    items.push({ text: item, linesBefore: () => before + linesBefore(1) });
    lines += countLines(item);
    at = stop;
  }
  const hidden = lines - above;
  const frame: Piece = {
    text: text.slice(0, start) + text.slice(end),
    linesBefore: (line) => linesBefore(1) + (line > above ? hidden : 0),
  };
  return { whole, frame, items };
}

/** The offset of the first line after the items: not an item, not indented deeper, not empty and not a comment. */
function endOfItems(text: string, start: number, indent: number): number {
  for (let at = start; at < text.length; ) {
    let column = at;
    while (text[column] === ' ') column++;
    const isItem = column - at === indent && text.startsWith('- ', column);
    const isNothing = column >= text.length || /[\t\r\n#]/.test(text[column] ?? '');
    if (!isItem && !isNothing && column - at <= indent) return at;
    const newline = text.indexOf('\n', column);
    if (newline < 0) return text.length;
    at = newline + 1;
  }
  return text.length;
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
