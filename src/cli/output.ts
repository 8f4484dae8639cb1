// How is an answer written? For people, or as JSON or YAML for programs; the same value for both of these.
import { Option } from 'commander';
import { writeYaml } from '../kinds/writeYaml.ts';
import type { Io } from './io.ts';
import { type Line, paint } from './span.ts';

export type Form = 'text' | 'json' | 'yaml';

export const outputOption = (): Option =>
  new Option('-o, --output <form>', 'how to write the answer').choices(['text', 'json', 'yaml']).default('text');

export interface Answer {
  readonly value: () => unknown;
  readonly lines: () => readonly Line[];
}

export function printAnswer(io: Io, form: Form, { value, lines }: Answer): void {
  if (form === 'text') io.stdout(paint(lines(), io.color));
  else io.stdout(form === 'json' ? `${JSON.stringify(value(), null, 2)}\n` : writeYaml(value()), form);
}

/** Asked before the options are parsed: they may be what is wrong. */
export function wantsJson(argv: readonly string[]): boolean {
  return argv.some((word, index) => {
    if (word === '-o' || word === '--output') return argv[index + 1] === 'json';
    return word === '-ojson' || word === '-o=json' || word === '--output=json';
  });
}
