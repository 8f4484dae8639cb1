// Which stretches of a text are replaced by what, and where do lines begin and end?
import type { SourceEntry, SourceNode } from './source.ts';

export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Of two at one offset, what is put in stands before what is taken away; else in the order given. */
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

/** Before the newline, whichever it is. */
export function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset);
  if (newline < 0) return text.length;
  return newline > offset && text[newline - 1] === '\r' ? newline - 1 : newline;
}

/** The end of the line before; undefined where there is none. */
export function lineBefore(text: string, offset: number): number | undefined {
  const start = lineStart(text, offset);
  if (start === 0) return undefined;
  return text[start - 2] === '\r' ? start - 2 : start - 1;
}

export const columnOf = (text: string, offset: number): number => offset - lineStart(text, offset);

/** Something other than space stands before it on its line: the dash of a list, mostly. */
export const isInline = (text: string, { from }: SourceEntry): boolean =>
  text.slice(lineStart(text, from), from).trim() !== '';

/** Just after the last character of what an entry holds. */
export function endOfEntry({ after, value }: SourceEntry): number {
  return value ? endOfNode(value) : after;
}

function endOfNode({ flow, shape, to, entries }: SourceNode): number {
  const last = flow || shape === 'scalar' ? undefined : entries.at(-1);
  return last ? endOfEntry(last) : to;
}
