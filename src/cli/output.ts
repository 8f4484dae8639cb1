// Printing of an answer as text, JSON or YAML.
import type { Io } from './io.ts';
import { type Line, paint } from './span.ts';

export type OutputFormat = 'text' | 'json' | 'yaml';

export interface CommandAnswer {
  readonly value: () => unknown;
  readonly lines: () => readonly Line[];
}

export async function printAnswer(io: Io, form: OutputFormat, { value, lines }: CommandAnswer): Promise<void> {
  if (form === 'text') io.stdout(paint(lines(), io.color));
  else if (form === 'json') io.stdout(`${JSON.stringify(value(), null, 2)}\n`, form);
  else io.stdout((await import('../kinds/text/writeYaml.ts')).writeYaml(value()), form);
}

/** Works on unparsed arguments, because parsing them may be what failed. */
export function wantsJson(argv: readonly string[]): boolean {
  return argv.some((word, index) => {
    if (word === '-o' || word === '--output') return argv[index + 1] === 'json';
    return word === '-ojson' || word === '-o=json' || word === '--output=json';
  });
}
