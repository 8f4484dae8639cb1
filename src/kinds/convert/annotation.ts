// How are the budgets in the annotation lull.dev/budgets written today (C17)? A text within the text, with comments of its own.
import { steering } from '../annotationName.ts';
import { valueAt } from '../edit/value.ts';
import { applyEdits } from '../edit.ts';
import { joinPath } from '../path.ts';
import type { Json } from '../reader.ts';
import { parseText } from '../text.ts';
import { respellBudgets } from './budget.ts';
import { Draft } from './draft.ts';

export function respellAnnotation(draft: Draft, object: Json): void {
  const text = valueAt(object, ['metadata', 'annotations', steering.budgets]);
  if (typeof text !== 'string') return;
  const { values, errors } = parseText(text);
  if (errors.length > 0 || values.length !== 1) return;
  const inner = new Draft();
  respellBudgets(inner, values[0]?.value, 'list');
  if (inner.edits.length === 0) return;
  const path = joinPath('metadata.annotations', steering.budgets);
  const after = edited(text, inner);
  if (after === undefined) {
    draft.say(path, 'left as it is: the older spellings in this text cannot be changed in place. Write it out plainly');
    return;
  }
  draft.set(path, after);
  for (const note of inner.notes) draft.notes.push({ ...note, path: path + note.path.slice('list'.length) });
}

/** Edited as the one field of an object: only objects can be. */
function edited(text: string, { edits }: Draft): string | undefined {
  const [before, after] = isJson(text) ? ['{"kind":"Budgets","list":', '}'] : ['kind: Budgets\nlist:\n', ''];
  const isYaml = after === '';
  const whole = before + (isYaml ? text.replace(/^(?=.)/gm, ' ') : text) + after;
  const { text: changed, errors } = applyEdits(whole, [{ index: 0, edits }]);
  if (errors.length > 0) return undefined;
  const bare = changed.slice(before.length, changed.length - after.length);
  return isYaml ? bare.replace(/^ /gm, '') : bare;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
