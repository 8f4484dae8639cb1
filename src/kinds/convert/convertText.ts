// Converts older spellings in a file to the current ones, changes nothing else, and notes each change.
import type { PodRules, Pool } from '../../cluster/model.ts';
import { applyEdits, type EditError, type EditGroup } from '../edit/applyEdits.ts';
import { steering } from '../read/knownKeys.ts';
import { nameOfObject } from '../read/metadata.ts';
import type { Json } from '../read/reader.ts';
import { type KnownResult, readObject } from '../readObject.ts';
import { type Document, type InputError, readDocuments } from '../text/documents.ts';
import { moveNodePool, respellNodePool } from './convertNodePool.ts';
import { moveProvisioner, respellProvisioner } from './convertProvisioner.ts';
import { type ChangeNote, Draft, type DraftNote } from './draft.ts';
import { respellOptOuts, respellSelector, respellVersion } from './respell.ts';

interface ConvertNote extends ChangeNote {
  /** `Kind/name` or `Kind/namespace/name`, before the conversion. */
  readonly object: string;
  readonly line: number;
}

export interface ConvertedText {
  /** The input text itself if there is nothing to convert. */
  readonly text: string;
  readonly notes: readonly ConvertNote[];
}

export function convertText(text: string, file: string): ConvertedText | { readonly errors: readonly InputError[] } {
  const { documents, errors } = readDocuments(text, file);
  if (errors.length > 0) return { errors };
  const stuck = new Map<number, string>();
  for (;;) {
    const run = convertOnce({ text, documents }, stuck);
    if (run.refused.length === 0) return { text: run.text, notes: notesOf(documents, run, stuck) };
    // A document is converted as a whole or not at all: if an edit fails, start over without that document.
    for (const { index, message } of run.refused) stuck.set(index, message);
  }
}

interface ConvertState {
  readonly text: string;
  readonly documents: readonly Document[];
}

interface ConvertRun extends ConvertState {
  readonly notes: ReadonlyMap<number, readonly DraftNote[]>;
  readonly changed: ReadonlySet<number>;
  readonly refused: readonly EditError[];
}

/** A move may expose an older spelling to the next pass. No known document needs a third pass. */
const maxPasses = 8;

function convertOnce(start: ConvertState, stuck: ReadonlyMap<number, string>): ConvertRun {
  const notes = new Map<number, DraftNote[]>();
  const changed = new Set<number>();
  let state = start;
  for (let pass = 0; pass < maxPasses; pass++) {
    const { text: before } = state;
    for (const step of steps) {
      const groups = draftAll(step, state.documents, { stuck, notes });
      if (groups.length === 0) continue;
      const { text, errors } = applyEdits(state.text, groups);
      if (errors.length > 0) return { ...state, notes, changed, refused: errors };
      for (const { index } of groups) changed.add(index);
      state = { text, documents: readDocuments(text, '').documents };
    }
    if (state.text === before) break;
  }
  return { ...state, notes, changed, refused: [] };
}

interface ConvertProgress {
  readonly stuck: ReadonlyMap<number, string>;
  readonly notes: Map<number, DraftNote[]>;
}

function draftAll(
  step: (typeof steps)[number],
  documents: readonly Document[],
  { stuck, notes }: ConvertProgress,
): EditGroup[] {
  const groups: EditGroup[] = [];
  documents.forEach(({ object }, index) => {
    if (stuck.has(index)) return;
    const draft = step(object);
    if (draft.edits.length > 0) groups.push({ index, edits: draft.edits });
    const known = notes.get(index) ?? [];
    const fresh = draft.notes.filter(
      ({ path, change }) => !known.some((note) => note.path === path && note.change === change),
    );
    if (fresh.length > 0) notes.set(index, [...known, ...fresh]);
  });
  return groups;
}

function notesOf(documents: readonly Document[], run: ConvertRun, stuck: ReadonlyMap<number, string>): ConvertNote[] {
  return documents.flatMap((document, index) => {
    const drafted = run.notes.get(index) ?? [];
    const after = run.documents[index];
    const message = stuck.get(index);
    const more = run.changed.has(index) && after ? effectOf(document.object, after.object, drafted) : [];
    const left = message === undefined ? [] : [{ path: '', change: `unchanged: ${message}` }];
    const object = nameOfObject(document.object);
    const notes = drafted.map(({ facts: _, ...note }): ChangeNote => note);
    return [...left, ...notes, ...more]
      .map((note) => ({ object, ...note, line: document.position(note.path).line }))
      .sort((a, b) => a.line - b.line);
  });
}

type ConvertStep = (draft: Draft, object: Json) => void;

const policies: ReadonlyMap<unknown, readonly [respell: readonly ConvertStep[], move: readonly ConvertStep[]]> =
  new Map([
    ['NodePool', [[respellNodePool], [moveNodePool]]],
    ['Provisioner', [[respellProvisioner], [moveProvisioner]]],
    ['MaintenanceWindow', [[respellVersion, respellSelector], []]],
    ['PodDisruptionSchedule', [[respellVersion], []]],
  ]);

/** Renames come before moves, so that the paths in notes are those of the original text. */
const steps: readonly ((object: Json) => Draft)[] = [0, 1].map((place) => (object) => {
  const draft = new Draft();
  const policy = policies.get(object.kind);
  if (policy === undefined) {
    if (place === 0) respellOptOuts(draft, object);
    // Other API groups have a NodePool too.
  } else if (readObject(object).kind !== 'ignored') for (const step of policy[place] ?? []) step(draft, object);
  return draft;
});

/** Notes on effects that the draft's own notes do not mention. */
function effectOf(before: Json, after: Json, drafted: readonly DraftNote[]): ChangeNote[] {
  const [old, now] = [readObject(before), readObject(after)];
  if (old.kind === 'ignored' || now.kind === 'ignored') return [];
  const known = new Set(drafted.flatMap(({ facts = [] }) => facts));
  const fields = differing(factsOf(old), factsOf(now)).filter((field) => !known.has(field));
  const notes: ChangeNote[] = [];
  if (fields.length > 0) {
    const behaviour = `Lull reads ${fields.join(', ')} differently than before: something that had no effect now has one, or the other way round`;
    notes.push({ path: '', change: 'converted', behaviour });
  }
  if (old.kind === 'NodePool' && now.kind === 'NodePool' && !old.record.provisioner) {
    if (asKarpenter(old.record) !== asKarpenter(now.record))
      notes.push({ path: 'spec.disruption.budgets', change: 'spelling updated', karpenter: admitted });
  }
  return notes;
}

const admitted = 'Karpenter ignores the old spellings; from now on it applies these budgets as well';

const asKarpenter = ({ karpenterBudgets, karpenterFault }: Pool): string =>
  written([karpenterBudgets, karpenterFault !== undefined]);

/** The parts of a record that decisions depend on, without how the text was written. */
function factsOf({ kind, record }: KnownResult): Json {
  // The marks of a pod only serve patches; their meaning is in its rules.
  if (kind === 'Pod') return { ...record, marks: undefined, rules: meaningOf(record.rules) };
  if (kind !== 'NodePool') return { ...record };
  const { fault, annotations, ...rest }: Pool = record;
  const others = { ...annotations, [steering.budgets]: undefined };
  // Other notes cover what Karpenter reads, and that nodes without claims are no longer managed.
  const apart = { provisioner: undefined, karpenterBudgets: undefined, karpenterFault: undefined, mirror: undefined };
  return { ...rest, ...apart, annotations: others, fault: fault !== undefined };
}

/** Without the name of the opt-out annotation, which matters only to Karpenter. */
const meaningOf = (rules: PodRules | undefined): PodRules | undefined => {
  if (!rules?.optOut) return rules;
  const { unread: _, ...optOut } = rules.optOut;
  return { ...rules, optOut };
};

const differing = (a: Json, b: Json): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => written(a[key]) !== written(b[key]));

/** A text to compare values by. Windows compare by their text; their other members are functions. */
function written(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? '';
}

function sorted(value: unknown): unknown {
  if (value instanceof Set) return [...value].sort();
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(each)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
