// What does this YAML say, as kubectl would read it, and on which line does a field stand?
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
import { brief } from './findings.ts';
import { mostErrors, type Parsed, type ParsedText, type Place, type TextError } from './parsed.ts';
import { type CutList, cutDocuments, cutItems, type Piece } from './yamlCut.ts';
import { offsetIn } from './yamlPlace.ts';
import { readTree, type Tree, Unreadable } from './yamlValue.ts';

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

/** What a piece says. Large, and therefore not kept: asked for a place, it is read again. */
interface Trees {
  readonly trees: readonly Tree[];
  readonly errors: readonly TextError[];
  readonly at: (offset: number) => Place;
}

type Read = (piece: Piece) => Trees;

/** Faults are found object by object, so that one piece at a time is asked about. */
function keepLast(read: Read): Read {
  let last: { readonly piece: Piece; readonly trees: Trees } | undefined;
  return (piece) => {
    if (last?.piece !== piece) last = { piece, trees: read(piece) };
    return last.trees;
  };
}

function readWhole(piece: Piece, read: Read): ParsedText {
  const { trees, errors, at } = read(piece);
  const values = trees.flatMap((tree, index): Parsed[] => {
    // Only a comment, or nothing between two `---`.
    if (tree.value === null) return [];
    const start = at(offsetIn(tree, []));
    return [{ value: tree.value, place: (path) => (path.length === 0 ? start : placeIn(read(piece), index, path)) }];
  });
  return { values, errors: [...errors] };
}

/** One item after another, as one list. */
function readList({ whole, frame, items }: CutList, read: Read): ParsedText {
  const { values, errors: wrong } = readWhole(frame, read);
  // Something in the list is written otherwise: what was left in the frame shows it.
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
    (around: Parsed): Parsed['place'] =>
    (path) => {
      const [field, index = '', ...rest] = path;
      const item = field === 'items' ? items[Number(index)] : undefined;
      return item && path.length > 1 ? placeIn(read(item), 0, ['0', ...rest]) : around.place(path);
    };
  return {
    values: values.map((around) => ({
      value: { ...(around.value as object), items: list },
      place: place(around),
    })),
    errors: [...wrong, ...errors],
  };
}

const isEmptyList = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'items' in value && value.items === null;

const placeIn = ({ trees, at }: Trees, index: number, path: readonly string[]): Place => {
  const tree = trees[index];
  return at(tree ? offsetIn(tree, path) : 0);
};

function readPiece({ text, linesBefore }: Piece): Trees {
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1) + linesBefore(Math.max(line, 1)), column: Math.max(col, 1) };
  };
  if (isTooMuch(text)) return { trees: [], errors: [{ ...at(0), message: tooMuch }], at };
  const trees: Tree[] = [];
  try {
    for (const { contents } of compose(text, lines)) trees.push(readTree(contents, text.length));
    return { trees, errors: [], at };
  } catch (error) {
    const [offset, message] = error instanceof Unreadable ? [error.offset, error.message] : [0, broken(String(error))];
    return { trees, errors: [{ ...at(offset), message }], at };
  }
}

/** Throws Unreadable. */
function* compose(text: string, lines: LineCounter): Generator<Document.Parsed, void> {
  let first: Unreadable | undefined;
  const composer = new Composer({ version: '1.1', customTags: asKubectl, uniqueKeys: false, logLevel: 'silent' });
  // A broken text may hold a million errors, each with its stack: the first one is told, and ends it.
  const onError = (source: ErrorSource, code: ErrorCode, message: string, isWarning?: boolean): void => {
    if (isWarning) return;
    first ??= new Unreadable(offsetOf(source), sentence(code, message));
    throw first;
  };
  Object.assign(composer, { onError });
  try {
    for (const document of composer.compose(new Parser(lines.addNewLine).parse(text), true, text.length)) {
      tellFirst(document.errors);
      yield document;
    }
  } catch (error) {
    // What stood before the document was only gathered.
    tellFirst(composer.streamInfo().errors);
    throw error;
  }
}

function tellFirst([error]: readonly YAMLParseError[]): void {
  if (error) throw new Unreadable(error.pos[0], sentence(error.code, error.message));
}

type ErrorSource = number | readonly number[] | { readonly offset: number };

function offsetOf(source: ErrorSource): number {
  if (typeof source === 'number') return source;
  return 'offset' in source ? source.offset : (source[0] ?? 0);
}

/** kubectl reads timestamps as text, knows no numbers to the base 60 (`12:30` is text as well), and no sets or other collections. */
function asKubectl(tags: Tags): Tags {
  return tags
    .filter((tag) => typeof tag === 'string' || (tag.format !== 'TIME' && !unknown.has(tag.tag)))
    .map((tag) => (typeof tag !== 'string' && isDecimal(tag) ? { ...tag, test: decimal } : tag));
}

const unknown = new Set(['timestamp', 'binary', 'set', 'omap', 'pairs'].map((name) => `tag:yaml.org,2002:${name}`));

const isDecimal = (tag: Exclude<Tags[number], string>): tag is ScalarTag =>
  tag.tag === 'tag:yaml.org,2002:float' && 'test' in tag && !tag.test?.test('.inf');

/** A number needs a digit before its exponent: the library takes the names `e2` and `e-1` for numbers. */
const decimal = /^[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** What one piece may hold: each mark becomes a node of a kilobyte. A hundred thousand lines have some 300,000. */
const mostMarks = 500_000;
const marks = new Set('\n,[{"\''.split(''));
/** Where a space follows. */
const spacedMarks = new Set('-?:&*!'.split(''));

function isTooMuch(text: string): boolean {
  if (text.length < mostMarks) return false;
  let found = 0;
  for (let at = 0; at < text.length && found <= mostMarks; at++) {
    const char = text[at] as string;
    if (marks.has(char) || (spacedMarks.has(char) && text.charCodeAt(at + 1) <= 32)) found++;
  }
  return found > mostMarks;
}

const tooMuch =
  'This is more YAML in one piece than can be read. Give it as JSON (`kubectl get … -o json`), which takes less, or in several files.';

function sentence(code: ErrorCode, message: string): string {
  const told = brief(message.trim(), longestTold);
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'A tab stands where YAML wants spaces. Indent with spaces.';
    case 'MISSING_CHAR':
      return `${told}. Close what was opened before this place, or quote the text.`;
    case 'BAD_INDENT':
      return `${told}. Give the keys of one map the same indentation.`;
    case 'RESOURCE_EXHAUSTION':
      return `This is too deeply nested (${told}). Write the objects out plainly.`;
    default:
      return broken(told);
  }
}

/** Of what the library says, which may repeat the text itself. */
const longestTold = 200;

const broken = (told: string): string => `${told}. Check indentation, quotes and brackets here.`;
