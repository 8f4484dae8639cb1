// What does a text say, be it YAML or JSON? Nothing in it can make the reader hang or run out of memory.
import { parseJsonText } from './jsonText.ts';
import type { ParsedText } from './parsed.ts';
import { parseYamlText } from './yamlText.ts';

export function parseText(text: string): ParsedText {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return parseJsonText(plain) ?? parseYamlText(plain);
}
