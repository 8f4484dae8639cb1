// Would an API server admit this object? As far as the box reads it: maps, lists, texts, numbers and amounts where they belong.
import type { Reader } from '../../kinds/reader.ts';

/** What stands at a place. What is not named in a map is free. */
export type Shape =
  | 'text'
  | 'texts'
  | 'amounts'
  | 'boolean'
  | 'whole'
  | 'number or percent'
  | { readonly [field: string]: Shape }
  | readonly [Shape];

/** The box is a simulation in one process: a number beyond this is a slip of the pen. */
export const mostOfAnything = 200_000;

/** Every place of a map that is not as it must be becomes a fault. */
export function checkShape(reader: Reader, fields: { readonly [field: string]: Shape }): void {
  for (const [field, shape] of Object.entries(fields)) checkField(reader, field, shape);
}

function checkField(reader: Reader, field: string, shape: Shape): void {
  if (typeof shape !== 'string') {
    if (isList(shape)) checkList(reader, field, shape[0]);
    else if (reader.has(field)) checkShape(reader.map(field), shape);
    return;
  }
  switch (shape) {
    case 'text':
      reader.text(field);
      break;
    case 'texts':
      reader.textMap(field);
      break;
    case 'amounts':
      reader.resources(field);
      break;
    case 'boolean':
      reader.boolean(field);
      break;
    case 'whole':
      reader.whole(field, 0, mostOfAnything);
      break;
    case 'number or percent':
      checkShare(reader, field);
  }
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);

function checkList(reader: Reader, field: string, shape: Shape): void {
  if (shape === 'text') reader.texts(field);
  else if (typeof shape === 'object' && !isList(shape)) for (const item of reader.maps(field)) checkShape(item, shape);
}

function checkShare(reader: Reader, field: string): void {
  const value = reader.raw(field);
  const isShare = Number.isInteger(value) || (typeof value === 'string' && /^\d+%?$/.test(value));
  if (value !== undefined && !isShare)
    reader.wrong(field, 'number of pods', 'Use a number, or a percentage such as 25%.');
}
