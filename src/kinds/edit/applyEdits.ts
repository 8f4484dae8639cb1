// Edits single fields of a file in place: comments, order and blank lines are kept.
import { type Document, readDocuments } from '../text/documents.ts';
import { parseJsonText } from '../text/jsonText.ts';
import { editBlock, editFlow } from './editNodes.ts';
import { type Edit, isSame, type MoveEdit, outcomeOf, type Patch, patchOf, valueAt } from './patch.ts';
import { type CutField, cutOut, layoutOf } from './print.ts';
import {
  type EditableText,
  jsonSource,
  lineEnd,
  lineStart,
  type SourceNode,
  type Splice,
  spliced,
  yamlSource,
} from './source.ts';

export type { Edit, MoveEdit } from './patch.ts';

export interface EditResult {
  readonly text: string;
  readonly errors: readonly EditError[];
}

/** Applies every group of edits that can be applied; the others are errors and change nothing. Never throws. */
export function applyEdits(text: string, groups: readonly EditGroup[]): EditResult {
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
  'This cannot be edited without changing something else, because of an anchor, a merge key or an unusual layout. Write the object without them.';

interface Original {
  readonly text: string;
  readonly documents: readonly Document[];
}

const apply = (plans: readonly DocumentPlan[], text: string): string =>
  spliced(
    text,
    plans.flatMap(({ splices }) => splices),
  );

/** Parses the result again and keeps only plans with the intended value, whatever anchors or an unusual layout do. */
function soundAmong(plans: readonly DocumentPlan[], original: Original): readonly DocumentPlan[] {
  if (plans.length === 0 || hasIntendedValue(plans, original)) return plans;
  if (plans.length === 1) return [];
  const middle = plans.length >> 1;
  const sound = [...soundAmong(plans.slice(0, middle), original), ...soundAmong(plans.slice(middle), original)];
  return sound.length < plans.length && hasIntendedValue(sound, original) ? sound : [];
}

function hasIntendedValue(plans: readonly DocumentPlan[], { text, documents }: Original): boolean {
  const intended = new Map(plans.map(({ index, value }) => [index, value]));
  const { documents: after } = readDocuments(apply(plans, text), '');
  return (
    after.length === documents.length &&
    after.every(({ object }, index) =>
      isSame(object, intended.has(index) ? intended.get(index) : documents[index]?.object),
    )
  );
}

/** Edits of one document that are applied together or not at all. All paths refer to the document before any edit. */
export interface EditGroup {
  /** The index of the document in the result of readDocuments. */
  readonly index: number;
  readonly edits: readonly (Edit | MoveEdit)[];
}

export interface EditError {
  /** The index of the group. */
  readonly group: number;
  readonly index: number;
  /** What prevents the edit, and what to do about it. */
  readonly message: string;
}

/** All changes to one document. */
interface DocumentPlan {
  readonly index: number;
  /** The indexes of its groups. */
  readonly groups: readonly number[];
  readonly splices: readonly Splice[];
  /** The value of the document after the edit. */
  readonly value: unknown;
}

interface EditPlans {
  readonly plans: readonly DocumentPlan[];
  readonly errors: readonly EditError[];
}

function planEdits(text: string, documents: readonly Document[], groups: readonly EditGroup[]): EditPlans {
  const source = parseJsonText(text) ? jsonSource(text) : yamlSource(text);
  const starts = lineStarts(text);
  const errors: EditError[] = [];
  const plans: DocumentPlan[] = [];
  for (const [index, list] of Map.groupBy(
    groups.map((group, place) => ({ ...group, place })),
    ({ index }) => index,
  )) {
    const document = documents[index];
    const merged = merge(list, document?.object, errors);
    if (!document || merged.places.length === 0) continue;
    const { line, column } = document.position('');
    const root = source.mapAt((starts[line - 1] ?? 0) + column - 1);
    const splices = root ? splicesOf(source, root, { object: document.object, patch: merged.patch }) : [];
    plans.push({ index, groups: merged.places, splices, value: merged.value });
  }
  return { plans, errors };
}

interface MergedGroups {
  readonly places: readonly number[];
  readonly patch: Patch;
  readonly value: unknown;
}

/** Merges groups in order; a group that cannot be applied, or contradicts an earlier one, is an error. */
function merge(groups: readonly (EditGroup & { place: number })[], object: unknown, errors: EditError[]): MergedGroups {
  let merged: MergedGroups = { places: [], patch: { under: new Map() }, value: object };
  let edits: readonly (Edit | MoveEdit)[] = [];
  for (const group of groups) {
    const together = [...edits, ...group.edits];
    const patch = object === undefined ? `This text has no document ${group.index}.` : patchOf(together);
    const outcome = typeof patch === 'string' ? { fault: patch } : outcomeOf(object, patch);
    if ('fault' in outcome) errors.push({ group: group.place, index: group.index, message: outcome.fault });
    else if (typeof patch !== 'string') {
      merged = { places: [...merged.places, group.place], patch, value: outcome.value };
      edits = together;
    }
  }
  return merged;
}

function splicesOf(
  source: EditableText,
  root: SourceNode,
  { object, patch }: { object: unknown; patch: Patch },
): Splice[] {
  const { text } = source;
  const splices: Splice[] = [];
  const fetch = (path: readonly string[]): CutField | undefined => {
    let node: SourceNode | undefined = root;
    for (const key of path.slice(0, -1)) node = node?.entries.find((entry) => entry.key === key)?.value;
    const entry = node?.entries.find(({ key }) => key === path.at(-1));
    return entry && { ...cutOut(source, entry), value: valueAt(object, path) };
  };
  const work = { source, layout: layoutOf(source, root), splices, fetch };
  const line = text.slice(lineStart(text, root.from), root.from);
  const host = { indent: line.length - line.trimStart().length, end: lineEnd(text, root.to) };
  if (root.flow) editFlow(root, patch, host, work);
  else editBlock(root, patch, undefined, work);
  return splices;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
