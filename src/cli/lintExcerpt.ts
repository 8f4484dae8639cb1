// Which line of the file is meant, and where in it? The line itself, with a mark under the field.
import type { Position } from '../cluster/fault.ts';
import { dim, type Line, plain, type Style, spaces, styled, widthOf } from './span.ts';

interface View {
  readonly width: number;
  readonly style: Style;
}

/** What is kept before the field where a line is too long for the screen. */
const keptBefore = 20;

export function excerpt(source: string, { line, column }: Position, { width, style }: View): Line[] {
  const number = String(line);
  const room = Math.max(width - number.length - 5, 2 * keptBefore);
  const shown = crop(source.replaceAll('\t', ' ').replace(/\r$/, ''), column - 1, room);
  const before = plain(shown.text.slice(0, shown.at)).text;
  const mark = Math.max(1, widthOf(plain(fieldAt(shown.text.slice(shown.at))).text));
  return [
    [dim(`  ${number} | `), plain(shown.text)],
    [dim(`  ${' '.repeat(number.length)} | `), spaces(widthOf(before)), styled(style, '^'.repeat(mark))],
  ];
}

/** The part of a long line around a place, and where in it the place is. */
function crop(text: string, at: number, room: number): { text: string; at: number } {
  if (text.length <= room) return { text, at };
  // One column for the sign that something is left out, on either side.
  const start = Math.max(0, Math.min(at - keptBefore, text.length - room + 1));
  const head = start > 0 ? '…' : '';
  const end = start + room - head.length;
  const rest = text.slice(start, end);
  const shown = end < text.length ? `${rest.slice(0, -1)}…` : rest;
  return { text: `${head}${shown}`, at: at - start + head.length };
}

const word = `"[^"]*"|'[^']*'|[^\\s:,#{}[\\]]+`;
const field = new RegExp(
  `^(?:${word})(?::\\s*(?:"[^"]*"|'[^']*'|[^\\s,#{}[\\]"'][^\\s,#{}[\\]]*)(?=\\s*(?:[,#}\\]]|$)))?`,
);

/** A key with its value where that is a single word, else the key alone. */
const fieldAt = (text: string): string => field.exec(text)?.[0] ?? text.slice(0, 1);
