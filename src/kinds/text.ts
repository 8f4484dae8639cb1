// What does a text say, be it YAML or JSON? Nothing in it can make the reader hang or run out of memory.
import { openJsonLines, parseJsonText } from './jsonText.ts';
import type { OpenedText, ParsedText } from './parsed.ts';
import { parseYamlText } from './yamlText.ts';

export function parseText(text: string): ParsedText {
  const plain = withoutMark(text);
  return parseJsonText(plain) ?? parseYamlText(plain);
}

/** The same, value by value where each stands on a line of its own. */
export function openText(text: string): OpenedText {
  return openJsonLines(withoutMark(text)) ?? parseText(text);
}

const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);
