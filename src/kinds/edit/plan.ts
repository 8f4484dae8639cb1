// Which stretches of the text does each edit replace? Documents one by one; what cannot be planned is an error.
import type { Document } from '../documents.ts';
import { parseJsonText } from '../jsonText.ts';
import { editBlock } from './block.ts';
import { type Cut, cutOut } from './cut.ts';
import { editFlow } from './flow.ts';
import { jsonSource } from './json.ts';
import { outcomeOf } from './outcome.ts';
import { type Edit, type Move, type Patch, patchOf } from './patch.ts';
import { layoutOf } from './print.ts';
import type { Source, SourceNode } from './source.ts';
import { lineEnd, lineStart, type Splice } from './splice.ts';
import { valueAt } from './value.ts';
import { yamlSource } from './yaml.ts';

/** Edits of one document that belong together: all of them are made, or none. All paths are those before any edit. */
export interface EditGroup {
  /** The place of the document in what readDocuments gives. */
  readonly index: number;
  readonly edits: readonly (Edit | Move)[];
}

export interface EditError {
  /** The place of the group in the list that was given. */
  readonly group: number;
  readonly index: number;
  /** What is in the way, and what to do about it. */
  readonly message: string;
}

/** All that happens to one document. */
export interface Plan {
  readonly index: number;
  /** The places of the groups it is made of. */
  readonly groups: readonly number[];
  readonly splices: readonly Splice[];
  /** What the document is afterwards. */
  readonly value: unknown;
}

interface Planned {
  readonly plans: readonly Plan[];
  readonly errors: readonly EditError[];
}

export function planEdits(text: string, documents: readonly Document[], groups: readonly EditGroup[]): Planned {
  const source = parseJsonText(text) ? jsonSource(text) : yamlSource(text);
  const starts = lineStarts(text);
  const errors: EditError[] = [];
  const plans: Plan[] = [];
  for (const [index, list] of Map.groupBy(
    groups.map((group, place) => ({ ...group, place })),
    ({ index }) => index,
  )) {
    const document = documents[index];
    const agreed = agree(list, document?.object, errors);
    if (!document || agreed.places.length === 0) continue;
    const { line, column } = document.position('');
    const root = source.mapAt((starts[line - 1] ?? 0) + column - 1);
    const splices = root ? splicesOf(source, root, { object: document.object, patch: agreed.patch }) : [];
    plans.push({ index, groups: agreed.places, splices, value: agreed.value });
  }
  return { plans, errors };
}

interface Agreed {
  readonly places: readonly number[];
  readonly patch: Patch;
  readonly value: unknown;
}

/** Groups are taken one after another; one that cannot be, or that contradicts an earlier one, is left out. */
function agree(groups: readonly (EditGroup & { place: number })[], object: unknown, errors: EditError[]): Agreed {
  let agreed: Agreed = { places: [], patch: { under: new Map() }, value: object };
  let edits: readonly (Edit | Move)[] = [];
  for (const group of groups) {
    const together = [...edits, ...group.edits];
    const patch = object === undefined ? `There is no document ${group.index} in this text.` : patchOf(together);
    const outcome = typeof patch === 'string' ? { fault: patch } : outcomeOf(object, patch);
    if ('fault' in outcome) errors.push({ group: group.place, index: group.index, message: outcome.fault });
    else if (typeof patch !== 'string') {
      agreed = { places: [...agreed.places, group.place], patch, value: outcome.value };
      edits = together;
    }
  }
  return agreed;
}

function splicesOf(source: Source, root: SourceNode, { object, patch }: { object: unknown; patch: Patch }): Splice[] {
  const { text } = source;
  const splices: Splice[] = [];
  const fetch = (path: readonly string[]): Cut | undefined => {
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
