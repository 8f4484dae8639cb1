// Styled text for a terminal: spans, lines, their width, aligned columns and word wrap.
import picocolors from 'picocolors';
import { escapeControls } from '../kinds/text/escaping.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Span {
  readonly text: string;
  readonly style?: Style;
}

export type Line = readonly Span[];

/** Names and messages come from the cluster and are not trusted: control characters are escaped. */
export const plain = (text: string): Span => ({ text: escapeControls(text) });
export const styled = (style: Style, text: string): Span => ({ text: escapeControls(text), style });
export const bold = (text: string): Span => styled('bold', text);
export const dim = (text: string): Span => styled('dim', text);

export const emptyLine: Line = [];
export const spaces = (count: number): Span => ({ text: ' '.repeat(Math.max(0, count)) });

/** Created on first use: creating it takes longer than a small command. */
let graphemes: Intl.Segmenter | undefined;
/** Characters that take two columns in a terminal. */
const wide =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60\p{Emoji_Presentation}]/u;
const onlyAscii = /^[\x20-\x7e]*$/;

/** The number of terminal columns of a text. */
export function widthOf(text: string): number {
  if (onlyAscii.test(text)) return text.length;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

export const widthOfLine = (line: Line): number => line.reduce((sum, { text }) => sum + widthOf(text), 0);

/** The lines as one text, each with a line break and without trailing spaces. */
export function paint(lines: readonly Line[], color: boolean): string {
  const colors = picocolors.createColors(color);
  return lines.map((line) => `${paintLine(line, colors)}\n`).join('');
}

function paintLine(line: Line, colors: ReturnType<typeof picocolors.createColors>): string {
  const last = line.findLastIndex(({ text }) => text.trim() !== '');
  return joinAlike(line.slice(0, last + 1))
    .map(({ text, style }, index, { length }) => {
      const shown = index === length - 1 ? text.trimEnd() : text;
      return style ? colors[style](shown) : shown;
    })
    .join('');
}

/** Joins neighbours of one style, so that a chart is not mostly escape sequences. */
function joinAlike(line: Line): Line {
  const joined: Span[] = [];
  for (const span of line) {
    const last = joined.at(-1);
    if (last && last.style === span.style) joined[joined.length - 1] = { ...last, text: last.text + span.text };
    else joined.push(span);
  }
  return joined;
}

/** `1 node`, `3 nodes` */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

interface ColumnLayout {
  readonly indent: number;
  /** Of the terminal, indent included. */
  readonly width: number;
}

/** With less room than this beside its columns, the last cell is placed below them. */
const leastLastCell = 28;
const gap = 2;

/** Rows of cells in aligned columns. The last cell of a row is wrapped under itself. */
export function alignColumns(rows: readonly (readonly Line[])[], { indent, width }: ColumnLayout): Line[] {
  // No spread into Math.max: there may be more rows than a call can have arguments.
  const widths: number[] = [];
  for (const row of rows) {
    row.slice(0, -1).forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOfLine(cell));
    });
  }
  return rows.flatMap((row) => placeRow(row, widths, { indent, width }));
}

function placeRow(row: readonly Line[], widths: readonly number[], { indent, width }: ColumnLayout): Line[] {
  const head: Span[] = [spaces(indent)];
  row.slice(0, -1).forEach((cell, column) => {
    head.push(...cell, spaces((widths[column] ?? 0) - widthOfLine(cell) + gap));
  });
  const last = row.at(-1) ?? [];
  const start = widthOfLine(head);
  if (widthOfLine(last) <= width - start) return [[...head, ...last]];
  if (width - start >= leastLastCell) return hang(head, wrap(last, width - start), start);
  const below = indent + 2 * gap;
  return [head, ...hang([spaces(below)], wrap(last, width - below), below)];
}

/** The first line follows the head, the others are indented below it. */
function hang(head: Line, [first = [], ...others]: readonly Line[], start: number): Line[] {
  return [[...head, ...first], ...others.map((line) => [spaces(start), ...line])];
}

export const indented = (lines: readonly Line[], indent: number): Line[] =>
  lines.map((line) => [spaces(indent), ...line]);

/** Breaks between words. A word longer than a line, such as a name, is not broken, so that it can be copied. */
export function wrap(line: Line, width: number): Line[] {
  const lines: Span[][] = [];
  let current: Span[] = [];
  let used = 0;
  for (const word of words(line)) {
    const size = widthOf(word.text);
    if (used > 0 && used + widthOf(word.text.trimEnd()) > width) {
      lines.push(current);
      current = [];
      used = 0;
    }
    current.push(word);
    used += size;
  }
  return [...lines, current];
}

/** A word with the space after it. A date and its time, or `(in 3h)`, count as one word. */
const word = /(?:\d{4}-\d\d-\d\d \d\d:\S+|\(in \S+|\S+)\s*|\s+/g;

function words(line: Line): Span[] {
  return line.flatMap(({ text, style }) =>
    (text.match(word) ?? []).map((part) => ({ text: part, ...(style && { style }) })),
  );
}
