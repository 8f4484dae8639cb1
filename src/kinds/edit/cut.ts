// What stands at a place, to be written elsewhere? A field with its comments, as it was laid out.
import { type Printed, printScalar } from './print.ts';
import type { Source, SourceEntry, SourceNode } from './source.ts';
import { columnOf, endOfEntry, isInline, lineBefore, lineEnd, lineStart } from './splice.ts';

/** A field as it stood elsewhere. */
export interface Cut {
  readonly value: unknown;
  /** What stood on the lines above it and belongs to it. */
  readonly above: readonly string[];
  /** As it stood behind its colon or dash; absent where it stood in brackets. */
  readonly block?: Printed & { readonly behind: 'colon' | 'dash' };
  /** As it stood, where that is one line without comments. */
  readonly flow?: string;
  /** All comments in it, for where it cannot be written as it stood. */
  readonly comments: readonly string[];
}

/** The same place with another value; its comments stay. */
export function saying(value: unknown, { above, comments, block, flow }: Cut): Cut {
  const { head, rest } = printScalar(value, 'colon', undefined);
  if (!block || rest.length > 0) return { value, above, comments };
  const at = flow === undefined ? -1 : block.head.indexOf(flow);
  if (at < 0 || block.rest.length > 0) return { value, above, comments };
  const said = block.head.slice(0, at) + head.trimStart() + block.head.slice(at + (flow ?? '').length);
  return { value, above, comments, flow: head.trimStart(), block: { ...block, head: said } };
}

export function cutOut(source: Source, entry: SourceEntry): Omit<Cut, 'value'> {
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

/** Where an entry begins with the comments right above it. */
export function startWithComments(source: Source, entry: SourceEntry): number {
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

/** A line with so many more or fewer spaces before it. */
export function shifted(line: string, by: number): string {
  if (by >= 0) return line.trim() === '' ? line : ' '.repeat(by) + line;
  const spaces = line.length - line.trimStart().length;
  return line.slice(Math.min(spaces, -by));
}
