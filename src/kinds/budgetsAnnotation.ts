// Are a pool's budgets in its annotation (C17)? A YAML or JSON list with the fields of the spec; its faults name the annotation.
import type { Budget } from '../cluster/model.ts';
import { steering } from './annotationName.ts';
import { faultUnknown, readBudgets } from './budget.ts';
import type { Metadata } from './metadata.ts';
import { parseText } from './text.ts';

const giveList = 'Give a YAML or JSON list such as [{nodes: "1", reasons: [Drifted]}].';

/** Undefined where there is no such annotation. */
export function readBudgetsAnnotation({ reader, annotations }: Metadata): Budget[] | undefined {
  const text = annotations[steering.budgets];
  if (text === undefined) return undefined;
  const holder = reader.at('annotations');
  const list = parseList(text);
  if (typeof list === 'string') {
    holder.fault(steering.budgets, `${list} ${giveList}`);
    return [];
  }
  return readBudgets(holder.replaced(steering.budgets, list), steering.budgets, faultUnknown);
}

/** The list, or what is wrong with the text. */
function parseList(text: string): readonly unknown[] | string {
  const { values, errors } = parseText(text);
  if (errors[0]) return `This annotation cannot be read. ${errors[0].message}`;
  const [list, ...more] = values.map(({ value }) => value);
  return Array.isArray(list) && more.length === 0 ? list : 'This annotation holds no list, or more than one.';
}
