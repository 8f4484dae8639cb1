// The edge of the program: what commands write is escaped here, in the way of its form, before it leaves (K8).
import { escapeGithub, escapeJson, escapeText, escapeYaml } from '../kinds/escaping.ts';
import type { Io, Written } from './io.ts';

/** What paint writes: picocolors' codes for our styles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const colors = /\u{1b}\[(?:1|2|22|31|32|33|36|39)m/gu;
/** Besides, what upScreen moves and clears with. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const drawing = /\u{1b}\[(?:(?:1|2|22|31|32|33|36|39)m|\?1049[hl]|\?25[hl]|[HJK])|\r$/gu;

/** The same streams, on which nothing can be written that a terminal or a CI system would obey. */
export function guarded(io: Io): Io {
  const { stdout, stderr, progress, confirm } = io;
  const escaped = (text: string, form: Written = 'text'): string => {
    switch (form) {
      case 'text':
        return escapeText(text, io.color ? colors : undefined);
      case 'screen':
        return escapeText(text, drawing);
      case 'json':
        return escapeJson(text);
      case 'yaml':
        return escapeYaml(text);
      case 'github':
        return escapeGithub(text);
      case 'file':
        return text;
    }
  };
  return {
    ...io,
    stdout: (text, form) => stdout(escaped(text, form)),
    stderr: (text, form) => stderr(escaped(text, form)),
    ...(progress && { progress: (text: string) => progress(escapeText(text)) }),
    ...(confirm && { confirm: (question: string) => confirm(escapeText(question)) }),
  };
}
