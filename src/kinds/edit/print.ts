// How is a value written, in the layout that a text has already?
import { Document, isScalar, type Scalar, visit } from 'yaml';
import type { Source, SourceNode } from './source.ts';
import { columnOf } from './splice.ts';

export interface Layout {
  readonly newline: string;
  /** How much deeper a map stands in a map. */
  readonly step: number;
  /** How much deeper the dashes of a list stand than its key. */
  readonly listStep: number;
  /** One level of indentation in JSON; empty where all is on one line. */
  readonly unit: string;
}

const usualStep = 2;

export function layoutOf({ text, json }: Source, root: SourceNode): Layout {
  const unit = json ? (/\n([ \t]+)\S/.exec(text)?.[1] ?? '') : '';
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const step = json ? undefined : stepOf(root, 'map', text);
  const listStep = json ? undefined : stepOf(root, 'list', text);
  return { newline, unit, step: step || usualStep, listStep: listStep ?? usualStep };
}

/** The first block of that shape below a key tells. */
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

/** What follows a colon or a dash: on its line, and on lines of their own, as if the key or dash stood in the first column. */
export interface Printed {
  readonly head: string;
  readonly rest: readonly string[];
}

/** As YAML 1.1 too reads it: `on` and 12:30 in quotes. */
const form = {
  version: '1.1',
  lineWidth: 0,
  aliasDuplicateObjects: false,
  flowCollectionPadding: false,
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const;

export function printBlock(value: unknown, behind: 'colon' | 'dash', { step, listStep }: Layout): Printed {
  return print(value, behind, { indent: Math.max(step, 1), indentSeq: listStep > 0 });
}

/** A scalar in the quotes that stood there, where they can hold it. */
export function printScalar(value: unknown, behind: 'colon' | 'dash', quotes: Scalar.Type | undefined): Printed {
  const hold = quotes !== undefined && (!hasLines(value) || quotes.startsWith('BLOCK'));
  return print(value, behind, { indent: usualStep, ...(hold && { quotes }) });
}

interface Wishes {
  readonly indent: number;
  readonly indentSeq?: boolean;
  readonly quotes?: Scalar.Type;
}

function print(value: unknown, behind: 'colon' | 'dash', { indent, indentSeq = true, quotes }: Wishes): Printed {
  const document = new Document(behind === 'dash' ? [value] : { k: value }, form);
  visit(document, {
    // Texts of a list stand together: reasons: [Drifted, Empty].
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

/** On one line, whatever it holds. */
export function printFlow(value: unknown): string {
  const document = new Document(value, form);
  visit(document, {
    Scalar: (_, node) => {
      if (hasLines(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ ...form, collectionStyle: 'flow' }).trimEnd();
}

const hasLines = (value: unknown): boolean => typeof value === 'string' && value.includes('\n');

/** A text in the quotes that stood there; anything else has none. */
export const printQuoted = (value: unknown, quotes: Scalar.Type): string =>
  typeof value === 'string' && !value.includes('\n')
    ? printScalar(value, 'colon', quotes).head.trim()
    : printFlow(value);

export function printKey(key: string, json: boolean, like = ''): string {
  if (json || like.startsWith('"')) return JSON.stringify(key);
  return like.startsWith("'") ? `'${key.replaceAll("'", "''")}'` : printFlow(key);
}

/** With the indentation of the line it begins on. */
export function printJson(value: unknown, unit: string, indent: string): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `\n${indent}`);
}
