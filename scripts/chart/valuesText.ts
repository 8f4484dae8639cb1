// Formats the chart's values as values.yaml, as JSON schema and as a flat list.
import { writeYaml } from '../../src/kinds/text/writeYaml.ts';
import type { Schema } from './settingSchemas.ts';
import { isGroup, type Values } from './values.ts';

const width = 110;

export const valuesYaml = (values: Values): string =>
  `# Generated from the code by \`npm run reference\`. Do not edit: pass your own file with -f.\n\n${written(values, 0)}`;

function written(values: Values, depth: number): string {
  const indent = '  '.repeat(depth);
  const entries = Object.entries(values).map(([key, value]) => {
    const comment = commented(value.description, indent);
    if (isGroup(value)) return `${comment}${indent}${key}:\n${written(value.values, depth + 1)}`;
    const lines = writeYaml({ [key]: value.defaultValue })
      .trimEnd()
      .split('\n');
    return comment + lines.map((line) => `${indent}${value.isCommented ? '# ' : ''}${line}\n`).join('');
  });
  return entries.join(depth === 0 ? '\n' : '');
}

function commented(sentence: string, indent: string): string {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && indent.length + last.length + word.length < width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => `${indent}# ${line}\n`).join('');
}

/** Every Helm 3 supports draft 7. */
export const valuesSchema = (values: Values): string =>
  `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', title: 'Values of the chart lull', ...schemaOf(values, true) }, null, 2)}\n`;

function schemaOf(values: Values, isRoot = false): Schema {
  const properties = Object.entries(values).map(([key, value]) => [
    key,
    isGroup(value)
      ? { description: value.description, ...schemaOf(value.values) }
      : { description: value.description, ...value.schema },
  ]);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries([
      ...properties,
      // Helm adds it to the values of a subchart.
      ...(isRoot ? [['global', { type: 'object' }]] : []),
    ]),
  };
}

/** `image.tag` and so on, for the reference. */
export function flatValues(
  values: Values,
  path: readonly string[] = [],
): readonly (readonly [string, string, string])[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const name = [...path, key];
    if (isGroup(value)) return flatValues(value.values, name);
    return [[name.join('.'), JSON.stringify(value.defaultValue), value.description] as const];
  });
}
