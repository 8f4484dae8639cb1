// How is a line cut at the edge of the screen?
import { type Line, type Span, widthOf, widthOfLine } from './span.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** As much of it as fits, the last column for `…` where something is left out. */
export function clip(line: Line, width: number): Line {
  if (widthOfLine(line) <= width) return line;
  const spans: Span[] = [];
  let left = width - 1;
  for (const span of line) {
    const size = widthOf(span.text);
    if (size <= left) {
      spans.push(span);
      left -= size;
      continue;
    }
    spans.push({ ...span, text: `${cut(span.text, left)}…` });
    break;
  }
  return width > 0 ? spans : [];
}

function cut(text: string, width: number): string {
  let kept = '';
  let left = width;
  for (const { segment } of graphemes.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    kept += segment;
  }
  return kept;
}
