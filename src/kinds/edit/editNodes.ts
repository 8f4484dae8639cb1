// Edits maps and lists of a document: whole lines in block style, between commas in flow style.
// Past 300 lines: both styles share helpers.
import type { Patch } from './patch.ts';
import {
  behind,
  blockLines,
  type CutField,
  displacedComments,
  flowText,
  type Layout,
  type NewContent,
  newContentOf,
  plainOf,
  printJson,
  printKey,
  printQuoted,
  printScalar,
  startWithComments,
} from './print.ts';
import {
  columnOf,
  type EditableText,
  endOfEntry,
  isInline,
  lineBefore,
  lineEnd,
  lineStart,
  type SourceEntry,
  type SourceNode,
  type Splice,
} from './source.ts';

export interface EditContext {
  readonly source: EditableText;
  readonly layout: Layout;
  readonly splices: Splice[];
  /** The field at a path, to be moved elsewhere. */
  readonly fetch: (path: readonly string[]) => CutField | undefined;
}

/** The block entry around a flow collection: comments that no longer fit inside move below it. */
export interface EnclosingEntry {
  readonly indent: number;
  readonly end: number;
}

function addSplice({ splices }: EditContext, from: number, to: number, text: string): void {
  splices.push({ from, to, text });
}

interface EntryChanges {
  readonly kept: readonly SourceEntry[];
  readonly gone: readonly SourceEntry[];
  readonly added: readonly (readonly [string, Patch])[];
}

function classify({ entries }: SourceNode, { under }: Patch): EntryChanges {
  const known = new Set(entries.map(({ key }) => key));
  return {
    kept: entries.filter(({ key }) => !under.get(key)?.gone),
    gone: entries.filter(({ key }) => under.get(key)?.gone),
    added: [...under].filter(([key]) => !known.has(key)),
  };
}

/** The comments of a removed range, without those that move with a field. */
function commentsLeft(work: EditContext, [from, to]: TextRange, moved: readonly TextRange[]): readonly string[] {
  let at = from;
  const left: string[] = [];
  for (const [start, end] of [...moved, [to, to] as const]) {
    left.push(...work.source.commentsIn(at, Math.max(at, start)));
    at = Math.max(at, end);
  }
  return left;
}

type TextRange = readonly [from: number, to: number];

function movedWithin(work: EditContext, entry: SourceEntry, patch: Patch | undefined): TextRange[] {
  const { source } = work;
  if (!patch) return [];
  if (patch.gone === 'moved') {
    const end = endOfEntry(entry);
    return [entry.flow ? [entry.from, end] : [startWithComments(source, entry), lineEnd(source.text, end)]];
  }
  return (entry.value?.entries ?? []).flatMap((each) => movedWithin(work, each, patch.under.get(each.key)));
}

/** `parent` is the entry that contains the node; undefined for the root object. */
export function editBlock(node: SourceNode, patch: Patch, parent: SourceEntry | undefined, work: EditContext): void {
  const { kept, gone, added } = classify(node, patch);
  for (const entry of kept) {
    const child = patch.under.get(entry.key);
    if (child) editEntry(entry, child, work);
  }
  const [first] = node.entries;
  const last = node.entries.at(-1);
  if (!first || !last) return;
  const { text } = work.source;
  const indent = columnOf(text, first.from);
  const lines = added.flatMap(([key, child]) =>
    blockLines(leadOf(node, key), newContentOf(child, work.fetch), indent, work.layout),
  );
  const { newline } = work.layout;
  if (kept.length === 0 && lines.length === 0 && parent)
    addSplice(work, parent.after, parent.after, node.shape === 'map' ? ' {}' : ' []');
  removeEntries(node, { gone, kept, patch }, work);
  const end = lineEnd(text, endOfEntry(last));
  if (lines.length > 0) addSplice(work, end, end, lines.map((line) => newline + line).join(''));
}

const leadOf = ({ shape }: SourceNode, key: string): string => (shape === 'list' ? '-' : `${printKey(key, false)}:`);

function editEntry(entry: SourceEntry, patch: Patch, work: EditContext): void {
  const { text } = work.source;
  const { from, keyTo, value } = entry;
  if (patch.rename !== undefined) addSplice(work, from, keyTo, printKey(patch.rename, false, text.slice(from, keyTo)));
  if (patch.put || (patch.under.size > 0 && isNothing(entry, text))) {
    replaceValue(entry, newContentOf(patch, work.fetch), work);
  } else if (patch.under.size > 0 && value?.flow) {
    editFlow(value, patch, { indent: columnOf(text, from), end: lineEnd(text, endOfEntry(entry)) }, work);
  } else if (patch.under.size > 0 && value) editBlock(value, patch, entry, work);
}

function replaceValue(entry: SourceEntry, fresh: NewContent, work: EditContext): void {
  const { source, layout } = work;
  const { text } = source;
  const { after, value, item } = entry;
  const kind = item ? 'dash' : 'colon';
  const isScalar = 'value' in fresh && (typeof fresh.value !== 'object' || fresh.value === null);
  const { above, head, rest } = isScalar
    ? { above: [], ...printScalar(fresh.value, kind, value?.quotes) }
    : behind(kind, fresh, layout);
  const pad = ' '.repeat(columnOf(text, entry.from));
  const below = (lines: readonly string[]) =>
    lines.map((line) => layout.newline + (line === '' ? '' : pad + line)).join('');
  const end = endOfEntry(entry);
  const close = lineEnd(text, end);
  if (value && text.slice(after, end).includes('\n')) {
    const comments = source.commentsIn(after, close);
    addSplice(work, after, close, head + below([...rest, ...above, ...comments]));
    return;
  }
  if (!value) addSplice(work, after, after, head);
  else if (head === '') addSplice(work, after, end, '');
  else addSplice(work, value.from, end, head.trimStart());
  if (rest.length + above.length > 0) addSplice(work, close, close, below([...rest, ...above]));
}

interface RemovedEntries {
  readonly gone: readonly SourceEntry[];
  readonly kept: readonly SourceEntry[];
  readonly patch: Patch;
}

function removeEntries(node: SourceNode, { gone, kept, patch }: RemovedEntries, work: EditContext): void {
  const { text } = work.source;
  const [first] = node.entries;
  const next = kept[0];
  // The first entry of a map in a list is on the line of the dash.
  const inline = first && gone.includes(first) && isInline(text, first) ? first : undefined;
  const withFirst = inline ? gone.filter(({ from }) => next === undefined || from < next.from) : [];
  if (inline) removeInline(withFirst, next, patch, work);
  for (const entry of gone) if (!withFirst.includes(entry)) removeLines(entry, patch.under.get(entry.key), work);
}

function removeLines(entry: SourceEntry, patch: Patch | undefined, work: EditContext): void {
  const { source, layout } = work;
  const { text } = source;
  const end = lineEnd(text, endOfEntry(entry));
  const start = patch?.gone === 'moved' ? startWithComments(source, entry) : lineStart(text, entry.from);
  const pad = ' '.repeat(columnOf(text, entry.from));
  const lines = commentsLeft(work, [entry.from, end], movedWithin(work, entry, patch)).map((comment) => pad + comment);
  const before = lineBefore(text, start);
  if (before !== undefined) addSplice(work, before, end, lines.map((line) => layout.newline + line).join(''));
  else
    addSplice(
      work,
      start,
      Math.min(end + layout.newline.length, text.length),
      lines.map((line) => line + layout.newline).join(''),
    );
}

/** The next entry moves up to the dash, unless a comment in between must be kept. */
function removeInline(
  gone: readonly SourceEntry[],
  next: SourceEntry | undefined,
  patch: Patch,
  work: EditContext,
): void {
  const { source, layout } = work;
  const { text } = source;
  const [first] = gone;
  const last = gone.at(-1);
  if (!first || !last) return;
  const end = lineEnd(text, endOfEntry(last));
  const moved = gone.flatMap((entry) => movedWithin(work, entry, patch.under.get(entry.key)));
  const comments = commentsLeft(work, [first.from, end], moved);
  const between = next ? source.commentsIn(end, next.from) : [];
  const shown = comments.join(layout.newline + ' '.repeat(columnOf(text, first.from)));
  if (next && comments.length + between.length === 0) addSplice(work, first.from, next.from, '');
  else addSplice(work, first.from, end, shown);
}

/** No value, null, or an empty collection. */
const isNothing = ({ value }: SourceEntry, text: string): boolean =>
  value === undefined || /^(null|Null|NULL|~|\{\s*\}|\[\s*\])$/.test(text.slice(value.from, value.to));

export function editFlow(node: SourceNode, patch: Patch, host: EnclosingEntry, work: EditContext): void {
  const { kept, gone, added } = classify(node, patch);
  for (const entry of kept) {
    const child = patch.under.get(entry.key);
    if (child) editFlowEntry(entry, child, host, work);
  }
  const fresh = added.map(([key, child]) => [key, newContentOf(child, work.fetch)] as const);
  addEntries(node, fresh, { kept, gone, patch, host }, work);
}

function editFlowEntry(entry: SourceEntry, patch: Patch, host: EnclosingEntry, work: EditContext): void {
  const { source } = work;
  const { text } = source;
  const { from, keyTo, after, value } = entry;
  if (patch.rename !== undefined)
    addSplice(work, from, keyTo, printKey(patch.rename, source.json, text.slice(from, keyTo)));
  if (patch.put || (patch.under.size > 0 && isNothing(entry, text))) {
    const fresh = newContentOf(patch, work.fetch);
    const shown = print(fresh, entry, work);
    if (value) addSplice(work, value.from, value.to, shown);
    else addSplice(work, after, after, after === keyTo && from < keyTo ? `: ${shown}` : ` ${shown}`);
    const lost = value ? source.commentsIn(value.from, value.to) : [];
    placeComments([...lost, ...displacedComments(fresh)], host, work);
  } else if (patch.under.size > 0 && value) editFlow(value, patch, host, work);
}

interface FlowChange {
  readonly kept: readonly SourceEntry[];
  readonly gone: readonly SourceEntry[];
  readonly patch: Patch;
  readonly host: EnclosingEntry;
}

type Addition = readonly [key: string, fresh: NewContent];

function addEntries(node: SourceNode, additions: readonly Addition[], change: FlowChange, work: EditContext): void {
  const { kept, gone, patch, host } = change;
  const { entries } = node;
  const moved = gone.flatMap((entry) => movedWithin(work, entry, patch.under.get(entry.key)));
  const lost: string[] = additions.flatMap(([, fresh]) => displacedComments(fresh));
  const replace = (from: number, to: number, text: string) => {
    lost.push(
      ...commentsLeft(
        work,
        [from, to],
        moved.filter((range) => from <= range[0] && range[1] <= to),
      ),
    );
    addSplice(work, from, to, text);
  };
  const lastKept = kept.at(-1);
  const last = entries.at(-1);
  for (const entry of gone) {
    const next = entries[entries.indexOf(entry) + 1];
    if (lastKept && next && entry.from < lastKept.from) replace(entry.from, next.from, '');
  }
  const { separator, opening, closing, shown } = written(node, additions, work);
  if (lastKept && last) replace(endOfEntry(lastKept), endOfEntry(last), shown.map((each) => separator + each).join(''));
  else replace(node.from + 1, node.to - 1, `${opening}${shown.join(separator)}${closing}`);
  placeComments(lost, host, work);
}

interface PrintedEntries {
  readonly shown: readonly string[];
  readonly separator: string;
  readonly opening: string;
  readonly closing: string;
}

/** Prints entries on separate lines and with the spacing of the existing ones. */
function written(node: SourceNode, additions: readonly Addition[], work: EditContext): PrintedEntries {
  const { source, layout } = work;
  const { text, json } = source;
  const first = node.entries[0];
  const ownLines = first ? text.slice(node.from, first.from).includes('\n') : layout.unit !== '';
  const outer = spaceBefore(text, node.from);
  const indent = first && ownLines ? spaceBefore(text, first.from) : outer + layout.unit;
  const tight = json && !/^[\s{[]*"(?:[^"\\]|\\.)*"\s*:\s/.test(text);
  const value = (fresh: NewContent) =>
    json ? printJson(plainOf(fresh), ownLines ? layout.unit : '', indent) : flowText(fresh);
  const shown = additions.map(([key, fresh]) =>
    node.shape === 'list' ? value(fresh) : `${printKey(key, json)}:${tight ? '' : ' '}${value(fresh)}`,
  );
  if (!ownLines) return { shown, separator: tight ? ',' : ', ', opening: '', closing: '' };
  const { newline } = layout;
  const opens = shown.length > 0;
  return {
    shown,
    separator: `,${newline}${indent}`,
    opening: opens ? newline + indent : '',
    closing: opens ? newline + outer : '',
  };
}

const spaceBefore = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';

function print(fresh: NewContent, { from, value }: SourceEntry, { source, layout }: EditContext): string {
  if (source.json) {
    const indent = spaceBefore(source.text, from);
    const ownLine = lineStart(source.text, from) + indent.length === from;
    return printJson(plainOf(fresh), ownLine ? layout.unit : '', indent);
  }
  return 'value' in fresh && value?.quotes?.startsWith('QUOTE')
    ? printQuoted(fresh.value, value.quotes)
    : flowText(fresh);
}

/** Puts comments that no longer fit inside a flow collection below the entry that contains it. */
function placeComments(comments: readonly string[], { indent, end }: EnclosingEntry, work: EditContext): void {
  const pad = work.layout.newline + ' '.repeat(indent);
  if (comments.length > 0) addSplice(work, end, end, comments.map((comment) => pad + comment).join(''));
}
