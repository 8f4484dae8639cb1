// Prints new values and moved fields, with their comments, in the layout of the document.
import { Document, isScalar, type Scalar, visit } from 'yaml';
import { isListPatch, type Patch } from './patch.ts';
import {
  columnOf,
  type EditableText,
  endOfEntry,
  isInline,
  lineBefore,
  lineEnd,
  lineStart,
  type SourceEntry,
  type SourceNode,
} from './source.ts';

export interface Layout {
  readonly newline: string;
  /** The indentation of a map inside a map. */
  readonly step: number;
  /** The indentation of a list's dashes below its key. */
  readonly listStep: number;
  /** One level of indentation in JSON; empty if all is on one line. */
  readonly unit: string;
}

const usualStep = 2;

export function layoutOf({ text, json }: EditableText, root: SourceNode): Layout {
  const unit = json ? (/\n([ \t]+)\S/.exec(text)?.[1] ?? '') : '';
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const step = json ? undefined : stepOf(root, 'map', text);
  const listStep = json ? undefined : stepOf(root, 'list', text);
  return { newline, unit, step: step || usualStep, listStep: listStep ?? usualStep };
}

/** The indentation of the first block of that shape below a key. */
function stepOf(node: SourceNode, shape: 'map' | 'list', text: string): number | undefined {
  if (node.flow) return undefined;
  for (const { from, value } of node.entries) {
    if (!value || value.flow || value.shape === 'scalar') continue;
    const [first] = value.entries;
    if (node.shape === 'map' && value.shape === shape && first)
      return columnOf(text, first.from) - columnOf(text, from);
    const below = stepOf(value, shape, text);
    if (below !== undefined) return below;
  }
  return undefined;
}

/** The text after a colon or dash, on the same line and on further lines, as if the key or dash were in the first column. */
export interface Printed {
  readonly head: string;
  readonly rest: readonly string[];
}

/** YAML 1.1, so `on` and 12:30 are quoted. */
const form = {
  version: '1.1',
  lineWidth: 0,
  aliasDuplicateObjects: false,
  flowCollectionPadding: false,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const;

function printBlock(value: unknown, behind: 'colon' | 'dash', { step, listStep }: Layout): Printed {
  return print(value, behind, { indent: Math.max(step, 1), indentSeq: listStep > 0 });
}

/** A scalar in the same quotes as before, if they can hold it. */
export function printScalar(value: unknown, behind: 'colon' | 'dash', quotes: Scalar.Type | undefined): Printed {
  const hold = quotes !== undefined && (!hasLines(value) || quotes.startsWith('BLOCK'));
  return print(value, behind, { indent: usualStep, ...(hold && { quotes }) });
}

interface PrintOptions {
  readonly indent: number;
  readonly indentSeq?: boolean;
  readonly quotes?: Scalar.Type;
}

function print(value: unknown, behind: 'colon' | 'dash', { indent, indentSeq = true, quotes }: PrintOptions): Printed {
  const document = new Document(behind === 'dash' ? [value] : { k: value }, form);
  visit(document, {
    // Lists of scalars are in flow style: reasons: [Drifted, Empty].
    Seq: (at, node) => {
      if (at !== null && node.items.every((item) => isScalar(item) && !hasLines(item.value))) node.flow = true;
    },
    Scalar: (at, node) => {
      if (at !== 'key' && quotes && typeof node.value === 'string') node.type = quotes;
    },
  });
  const [first = '', ...rest] = document
    .toString({ ...form, indent, indentSeq })
    .trimEnd()
    .split('\n');
  return { head: first.slice(behind === 'dash' ? 1 : 2), rest };
}

/** Prints any value on one line. */
function printFlow(value: unknown): string {
  const document = new Document(value, form);
  visit(document, {
    Scalar: (_, node) => {
      if (hasLines(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ ...form, collectionStyle: 'flow' }).trimEnd();
}

const hasLines = (value: unknown): boolean => typeof value === 'string' && value.includes('\n');

/** A string in the same quotes as before; other values without quotes. */
export const printQuoted = (value: unknown, quotes: Scalar.Type): string =>
  typeof value === 'string' && !value.includes('\n')
    ? printScalar(value, 'colon', quotes).head.trim()
    : printFlow(value);

export function printKey(key: string, json: boolean, like = ''): string {
  if (json || like.startsWith('"')) return JSON.stringify(key);
  return like.startsWith("'") ? `'${key.replaceAll("'", "''")}'` : printFlow(key);
}

/** Indents the following lines like the first. */
export function printJson(value: unknown, unit: string, indent: string): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `\n${indent}`);
}

/** A field as it was written at its old path. */
export interface CutField {
  readonly value: unknown;
  /** The comment lines above it. */
  readonly above: readonly string[];
  /** The text after its colon or dash; absent for a field in a flow collection. */
  readonly block?: Printed & { readonly behind: 'colon' | 'dash' };
  /** Its text, if that is one line without comments. */
  readonly flow?: string;
  /** All comments in it, in case it cannot be printed unchanged. */
  readonly comments: readonly string[];
}

/** The same field with another value; its comments are kept. */
function withValue(value: unknown, { above, comments, block, flow }: CutField): CutField {
  const { head, rest } = printScalar(value, 'colon', undefined);
  if (!block || rest.length > 0) return { value, above, comments };
  const at = flow === undefined ? -1 : block.head.indexOf(flow);
  if (at < 0 || block.rest.length > 0) return { value, above, comments };
  const line = block.head.slice(0, at) + head.trimStart() + block.head.slice(at + (flow ?? '').length);
  return { value, above, comments, flow: head.trimStart(), block: { ...block, head: line } };
}

export function cutOut(source: EditableText, entry: SourceEntry): Omit<CutField, 'value'> {
  const { text } = source;
  const { after, value, flow, item } = entry;
  const end = endOfEntry(entry);
  const shown = value ? text.slice(value.from, end) : '';
  if (flow) {
    const comments = source.commentsIn(entry.from, end);
    return { above: [], comments, ...(isOneLine(value, shown) && { flow: shown }) };
  }
  const last = lineEnd(text, end);
  const [head = '', ...rest] = text.slice(after, last).split(/\r?\n/);
  const indent = columnOf(text, entry.from);
  return {
    above: text
      .slice(startWithComments(source, entry), lineStart(text, entry.from))
      .split(/\r?\n/)
      .slice(0, -1)
      .map((line) => line.trim()),
    block: { head, rest: rest.map((line) => shifted(line, -indent)), behind: item ? 'dash' : 'colon' },
    comments: source.commentsIn(after, last),
    ...(isOneLine(value, shown) && (value?.flow || value?.shape === 'scalar') && { flow: shown }),
  };
}

const isOneLine = (value: SourceNode | undefined, shown: string): boolean =>
  value !== undefined && shown !== '' && !shown.includes('\n') && !/^[|>&*!]/.test(shown);

/** The start of an entry, including the comments directly above it. */
export function startWithComments(source: EditableText, entry: SourceEntry): number {
  const { text } = source;
  let start = lineStart(text, entry.from);
  if (isInline(text, entry)) return entry.from;
  const indent = columnOf(text, entry.from);
  for (;;) {
    const above = lineBefore(text, start);
    if (above === undefined) return start;
    const from = lineStart(text, above);
    const isComment =
      source.commentsIn(from, above).length > 0 &&
      /^ *$/.test(text.slice(from, from + indent)) &&
      text[from + indent] === '#';
    if (!isComment) return start;
    start = from;
  }
}

/** Indents a line by a number of spaces, which may be negative. */
function shifted(line: string, by: number): string {
  if (by >= 0) return line.trim() === '' ? line : ' '.repeat(by) + line;
  const spaces = line.length - line.trimStart().length;
  return line.slice(Math.min(spaces, -by));
}

export type NewContent =
  | { readonly value: unknown }
  | { readonly cut: CutField }
  | { readonly map: readonly (readonly [string, NewContent])[] }
  | { readonly list: readonly NewContent[] };

export function newContentOf(patch: Patch, fetch: (path: readonly string[]) => CutField | undefined): NewContent {
  if (patch.put && 'value' in patch.put) return patch.put;
  if (patch.put) {
    const cut = fetch(patch.put.from);
    if (!cut) return { value: null };
    return { cut: 'as' in patch.put ? withValue(patch.put.as, cut) : cut };
  }
  const below = [...patch.under].map(([key, child]) => [key, newContentOf(child, fetch)] as const);
  return isListPatch(patch) ? { list: below.map(([, fresh]) => fresh) } : { map: below };
}

/** The lines of a block entry; `lead` is its key with the colon, or a dash. */
export function blockLines(lead: string, fresh: NewContent, indent: number, layout: Layout): string[] {
  const { above, head, rest } = behind(lead === '-' ? 'dash' : 'colon', fresh, layout);
  return [...above, `${lead}${head}`, ...rest].map((line) => shifted(line, indent));
}

/** The lines above, the text after, and the lines below a colon or dash in the first column. */
export function behind(
  kind: 'colon' | 'dash',
  fresh: NewContent,
  layout: Layout,
): Printed & { readonly above: readonly string[] } {
  if ('value' in fresh) return { above: [], ...printBlock(fresh.value, kind, layout) };
  if ('cut' in fresh) {
    const { block, above, comments, flow, value } = fresh.cut;
    if (block?.behind === kind) return { above, ...block };
    const printed = flow === undefined ? printBlock(value, kind, layout) : { head: ` ${flow}`, rest: [] };
    return { above: [...above, ...comments], ...printed };
  }
  const deeper = kind === 'dash' ? 2 : 'map' in fresh ? layout.step : layout.listStep;
  const lines =
    'map' in fresh
      ? fresh.map.flatMap(([key, each]) => blockLines(`${printKey(key, false)}:`, each, deeper, layout))
      : fresh.list.flatMap((each) => blockLines('-', each, deeper, layout));
  if (kind === 'colon') return { above: [], head: '', rest: lines };
  return { above: [], head: (lines[0] ?? '').slice(1), rest: lines.slice(1) };
}

/** A plain scalar with a comma has another meaning in a flow collection. */
const safeInFlow = /^["'[{]|^[\w.%/-]+$/;

export function flowText(fresh: NewContent): string {
  if ('value' in fresh) return printFlow(fresh.value);
  if ('cut' in fresh) {
    const { flow, value } = fresh.cut;
    return flow !== undefined && safeInFlow.test(flow) ? flow : printFlow(value);
  }
  if ('list' in fresh) return `[${fresh.list.map(flowText).join(', ')}]`;
  return `{${fresh.map.map(([key, each]) => `${printKey(key, false)}: ${flowText(each)}`).join(', ')}}`;
}

export function plainOf(fresh: NewContent): unknown {
  if ('value' in fresh) return fresh.value;
  if ('cut' in fresh) return fresh.cut.value;
  if ('list' in fresh) return fresh.list.map(plainOf);
  return Object.fromEntries(fresh.map.map(([key, each]) => [key, plainOf(each)]));
}

/** Comments of new content for a flow collection, which cannot contain them. */
export function displacedComments(fresh: NewContent): readonly string[] {
  if ('value' in fresh) return [];
  if ('cut' in fresh) return [...fresh.cut.above, ...fresh.cut.comments];
  return ('list' in fresh ? fresh.list : fresh.map.map(([, each]) => each)).flatMap(displacedComments);
}
