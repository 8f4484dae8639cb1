// How is a map or list changed that stands by its indentation? Line by line, with its comments.

import { startWithComments } from './cut.ts';
import { editFlow, isNothing } from './flow.ts';
import { behind, blockLines, type Fresh, freshOf } from './fresh.ts';
import type { Patch } from './patch.ts';
import { printKey, printScalar } from './print.ts';
import type { SourceEntry, SourceNode } from './source.ts';
import { columnOf, endOfEntry, isInline, lineBefore, lineEnd, lineStart } from './splice.ts';
import { addSplice, commentsLeft, movedWithin, sortOut, type Work } from './work.ts';

/** `parent` is the entry that holds it; the object itself has none. */
export function editBlock(node: SourceNode, patch: Patch, parent: SourceEntry | undefined, work: Work): void {
  const { kept, gone, added } = sortOut(node, patch);
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
    blockLines(leadOf(node, key), freshOf(child, work.fetch), indent, work.layout),
  );
  const { newline } = work.layout;
  if (kept.length === 0 && lines.length === 0 && parent)
    addSplice(work, parent.after, parent.after, node.shape === 'map' ? ' {}' : ' []');
  removeEntries(node, { gone, kept, patch }, work);
  const end = lineEnd(text, endOfEntry(last));
  if (lines.length > 0) addSplice(work, end, end, lines.map((line) => newline + line).join(''));
}

const leadOf = ({ shape }: SourceNode, key: string): string => (shape === 'list' ? '-' : `${printKey(key, false)}:`);

function editEntry(entry: SourceEntry, patch: Patch, work: Work): void {
  const { text } = work.source;
  const { from, keyTo, value } = entry;
  if (patch.rename !== undefined) addSplice(work, from, keyTo, printKey(patch.rename, false, text.slice(from, keyTo)));
  if (patch.put || (patch.under.size > 0 && isNothing(entry, text))) {
    replaceValue(entry, freshOf(patch, work.fetch), work);
  } else if (patch.under.size > 0 && value?.flow) {
    editFlow(value, patch, { indent: columnOf(text, from), end: lineEnd(text, endOfEntry(entry)) }, work);
  } else if (patch.under.size > 0 && value) editBlock(value, patch, entry, work);
}

function replaceValue(entry: SourceEntry, fresh: Fresh, work: Work): void {
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

interface Removal {
  readonly gone: readonly SourceEntry[];
  readonly kept: readonly SourceEntry[];
  readonly patch: Patch;
}

function removeEntries(node: SourceNode, { gone, kept, patch }: Removal, work: Work): void {
  const { text } = work.source;
  const [first] = node.entries;
  const next = kept[0];
  // The first of a map in a list stands on the line of the dash.
  const inline = first && gone.includes(first) && isInline(text, first) ? first : undefined;
  const withFirst = inline ? gone.filter(({ from }) => next === undefined || from < next.from) : [];
  if (inline) removeInline(withFirst, next, patch, work);
  for (const entry of gone) if (!withFirst.includes(entry)) removeLines(entry, patch.under.get(entry.key), work);
}

function removeLines(entry: SourceEntry, patch: Patch | undefined, work: Work): void {
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

/** What follows moves up to the dash, unless a comment has to stay in between. */
function removeInline(gone: readonly SourceEntry[], next: SourceEntry | undefined, patch: Patch, work: Work): void {
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
