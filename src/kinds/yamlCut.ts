// Where may a long text be cut, so that each part of it is read by itself? The tree of all of YAML at once takes fifty times its size.

/** A part of a text, from the beginning of a line to the end of one. */
export interface Piece {
  readonly text: string;
  /** How many lines of the whole stand before one of this piece, counted from 1. */
  readonly linesBefore: (line: number) => number;
}

/** A list as kubectl prints it: what stands around the items, and each of them as a list of one. */
export interface CutList {
  readonly whole: Piece;
  readonly frame: Piece;
  readonly items: readonly Piece[];
}

/** One piece for each document: what a `---` begins stands for itself. */
export function cutDocuments(text: string): Piece[] {
  // A directive speaks of the document after it.
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

/** Shorter ones are read at once. */
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

/** The first line that is neither an item nor further in than one, nor empty or a comment. */
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
