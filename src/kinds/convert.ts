// How are the older spellings of a file written today? Its text with nothing else changed, and a note on each change.
import type { Remark, Said } from './convert/draft.ts';
import { effectOf } from './convert/effect.ts';
import { steps } from './convert/steps.ts';
import { type Document, type InputError, readDocuments } from './documents.ts';
import { applyEdits, type EditError, type EditGroup } from './edit.ts';
import { nameOfObject } from './metadata.ts';

export interface ConvertNote extends Said {
  /** `Kind/name` or `Kind/namespace/name`, as it was. */
  readonly object: string;
  readonly line: number;
}

export interface Converted {
  /** The very text that was given, where it is of today already. */
  readonly text: string;
  readonly notes: readonly ConvertNote[];
}

export function convertText(text: string, file: string): Converted | { readonly errors: readonly InputError[] } {
  const { documents, errors } = readDocuments(text, file);
  if (errors.length > 0) return { errors };
  const stuck = new Map<number, string>();
  for (;;) {
    const run = convertOnce({ text, documents }, stuck);
    if (run.refused.length === 0) return { text: run.text, notes: notesOf(documents, run, stuck) };
    // A document is converted whole or not at all: where a part of it cannot be edited, all begins again without it.
    for (const { index, message } of run.refused) stuck.set(index, message);
  }
}

interface State {
  readonly text: string;
  readonly documents: readonly Document[];
}

interface Run extends State {
  readonly said: ReadonlyMap<number, readonly Remark[]>;
  readonly changed: ReadonlySet<number>;
  readonly refused: readonly EditError[];
}

/** What one round moves may show the next an older spelling; no document has come to a third. */
const maxRounds = 8;

function convertOnce(start: State, stuck: ReadonlyMap<number, string>): Run {
  const said = new Map<number, Remark[]>();
  const changed = new Set<number>();
  let state = start;
  for (let round = 0; round < maxRounds; round++) {
    const { text: before } = state;
    for (const step of steps) {
      const groups = draftAll(step, state.documents, { stuck, said });
      if (groups.length === 0) continue;
      const { text, errors } = applyEdits(state.text, groups);
      if (errors.length > 0) return { ...state, said, changed, refused: errors };
      for (const { index } of groups) changed.add(index);
      state = { text, documents: readDocuments(text, '').documents };
    }
    if (state.text === before) break;
  }
  return { ...state, said, changed, refused: [] };
}

interface Progress {
  readonly stuck: ReadonlyMap<number, string>;
  readonly said: Map<number, Remark[]>;
}

function draftAll(
  step: (typeof steps)[number],
  documents: readonly Document[],
  { stuck, said }: Progress,
): EditGroup[] {
  const groups: EditGroup[] = [];
  documents.forEach(({ object }, index) => {
    if (stuck.has(index)) return;
    const { edits, notes } = step(object);
    if (edits.length > 0) groups.push({ index, edits });
    const known = said.get(index) ?? [];
    const fresh = notes.filter(
      ({ path, change }) => !known.some((note) => note.path === path && note.change === change),
    );
    if (fresh.length > 0) said.set(index, [...known, ...fresh]);
  });
  return groups;
}

function notesOf(documents: readonly Document[], run: Run, stuck: ReadonlyMap<number, string>): ConvertNote[] {
  return documents.flatMap((document, index) => {
    const remarks = run.said.get(index) ?? [];
    const after = run.documents[index];
    const message = stuck.get(index);
    const more = run.changed.has(index) && after ? effectOf(document.object, after.object, remarks) : [];
    const left = message === undefined ? [] : [{ path: '', change: `left as it is: ${message}` }];
    const object = nameOfObject(document.object);
    const said = remarks.map(({ facts: _, ...note }): Said => note);
    return [...left, ...said, ...more]
      .map((note) => ({ object, ...note, line: document.position(note.path).line }))
      .sort((a, b) => a.line - b.line);
  });
}
