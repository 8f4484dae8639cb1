// How does a piece of text look on a screen? Styles are applied last, so that widths are those of what one sees.
import picocolors from 'picocolors';
import { escapeControls } from '../kinds/escaping.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Span {
  readonly text: string;
  readonly style?: Style;
}

export type Line = readonly Span[];

/** Names and messages come from the cluster, where anybody may have written them. */
export const plain = (text: string): Span => ({ text: escapeControls(text) });
export const styled = (style: Style, text: string): Span => ({ text: escapeControls(text), style });
export const bold = (text: string): Span => styled('bold', text);
export const dim = (text: string): Span => styled('dim', text);

export const emptyLine: Line = [];
export const spaces = (count: number): Span => ({ text: ' '.repeat(Math.max(0, count)) });

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Scripts and signs that a terminal gives two columns. */
const wide =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60\p{Emoji_Presentation}]/u;
const onlyAscii = /^[\x20-\x7e]*$/;

/** How many columns a text takes. */
export function widthOf(text: string): number {
  if (onlyAscii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

export const widthOfLine = (line: Line): number => line.reduce((sum, { text }) => sum + widthOf(text), 0);

/** The lines as one text, each ended; no space is left at the end of any. */
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

/** Neighbours of one style as one span: a line of 48 cells would else be mostly escape sequences. */
function joinAlike(line: Line): Line {
  const joined: Span[] = [];
  for (const span of line) {
    const last = joined.at(-1);
    if (last && last.style === span.style) joined[joined.length - 1] = { ...last, text: last.text + span.text };
    else joined.push(span);
  }
  return joined;
}
