// How is a field of a file changed without touching anything else in it? By source ranges: comments, order and blank lines stay.
import { type Document, readDocuments } from './documents.ts';
import { type EditError, type EditGroup, type Plan, planEdits } from './edit/plan.ts';
import { spliced } from './edit/splice.ts';
import { isSame } from './edit/value.ts';

export type { Edit, Move } from './edit/patch.ts';
export type { EditError, EditGroup } from './edit/plan.ts';

export interface Edited {
  readonly text: string;
  readonly errors: readonly EditError[];
}

/** The text with every group that can be made; what cannot is an error and changes nothing. Never throws. */
export function applyEdits(text: string, groups: readonly EditGroup[]): Edited {
  if (groups.every(({ edits }) => edits.length === 0)) return { text, errors: [] };
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const plain = text.slice(bom.length);
  const { documents } = readDocuments(plain, '');
  const { plans, errors } = planEdits(plain, documents, groups);
  const sound = soundAmong(plans, { text: plain, documents });
  const refused = plans
    .filter((plan) => !sound.includes(plan))
    .flatMap(({ index, groups }) => groups.map((group) => ({ group, index, message: unsafe })));
  return { text: bom + apply(sound, plain), errors: [...errors, ...refused] };
}

const unsafe =
  'This cannot be changed without changing something else: an anchor, a merge key or an unusual layout is in the way. Write the object out plainly.';

interface Original {
  readonly text: string;
  readonly documents: readonly Document[];
}

const apply = (plans: readonly Plan[], text: string): string =>
  spliced(
    text,
    plans.flatMap(({ splices }) => splices),
  );

/** Whatever an anchor or an odd layout does to a text: the result is read again, and only what reads as meant is kept. */
function soundAmong(plans: readonly Plan[], original: Original): readonly Plan[] {
  if (plans.length === 0 || readsAsMeant(plans, original)) return plans;
  if (plans.length === 1) return [];
  const middle = plans.length >> 1;
  const sound = [...soundAmong(plans.slice(0, middle), original), ...soundAmong(plans.slice(middle), original)];
  return sound.length < plans.length && readsAsMeant(sound, original) ? sound : [];
}

function readsAsMeant(plans: readonly Plan[], { text, documents }: Original): boolean {
  const meant = new Map(plans.map(({ index, value }) => [index, value]));
  const { documents: after } = readDocuments(apply(plans, text), '');
  return (
    after.length === documents.length &&
    after.every(({ object }, index) => isSame(object, meant.has(index) ? meant.get(index) : documents[index]?.object))
  );
}
