// How do rows become columns that line up, and long sentences lines that fit?
import { type Line, type Span, spaces, widthOf, widthOfLine } from './span.ts';

export interface Space {
  readonly indent: number;
  /** Of the whole screen. */
  readonly width: number;
}

/** Below it a sentence is unreadable beside its columns, and stands under them instead. */
const leastSentence = 28;
const gap = 2;

/** Rows of cells in aligned columns. The last cell of a row is wrapped under itself. */
export function alignColumns(rows: readonly (readonly Line[])[], { indent, width }: Space): Line[] {
  // There may be more rows than a call can have arguments.
  const widths: number[] = [];
  for (const row of rows) {
    row.slice(0, -1).forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOfLine(cell));
    });
  }
  return rows.flatMap((row) => placeRow(row, widths, { indent, width }));
}

function placeRow(row: readonly Line[], widths: readonly number[], { indent, width }: Space): Line[] {
  const head: Span[] = [spaces(indent)];
  row.slice(0, -1).forEach((cell, column) => {
    head.push(...cell, spaces((widths[column] ?? 0) - widthOfLine(cell) + gap));
  });
  const last = row.at(-1) ?? [];
  const start = widthOfLine(head);
  if (widthOfLine(last) <= width - start) return [[...head, ...last]];
  if (width - start >= leastSentence) return hang(head, wrap(last, width - start), start);
  const below = indent + 2 * gap;
  return [head, ...hang([spaces(below)], wrap(last, width - below), below)];
}

/** The first line after the head, the others under it. */
function hang(head: Line, [first = [], ...others]: readonly Line[], start: number): Line[] {
  return [[...head, ...first], ...others.map((line) => [spaces(start), ...line])];
}

export const indented = (lines: readonly Line[], indent: number): Line[] =>
  lines.map((line) => [spaces(indent), ...line]);

/** Breaks between words. A word that is longer than a line, such as a name, stays whole: it may have to be copied. */
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

/** A word with the space after it. A date stays with its time, and a distance in one piece. */
const word = /(?:\d{4}-\d\d-\d\d \d\d:\S+|\(in \S+|\S+)\s*|\s+/g;

function words(line: Line): Span[] {
  return line.flatMap(({ text, style }) =>
    (text.match(word) ?? []).map((part) => ({ text: part, ...(style && { style }) })),
  );
}
