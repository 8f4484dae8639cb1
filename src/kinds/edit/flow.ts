// How is a map or list changed that stands in brackets? Between its commas; all of JSON is so.
import { type Fresh, flowText, freshOf, homeless, plainOf } from './fresh.ts';
import type { Patch } from './patch.ts';
import { printJson, printKey, printQuoted } from './print.ts';
import type { SourceEntry, SourceNode } from './source.ts';
import { endOfEntry, lineStart } from './splice.ts';
import { addSplice, commentsLeft, type Host, movedWithin, sortOut, type Work } from './work.ts';

/** Nothing is written there, or a word for nothing, or an empty pair of brackets. */
export const isNothing = ({ value }: SourceEntry, text: string): boolean =>
  value === undefined || /^(null|Null|NULL|~|\{\s*\}|\[\s*\])$/.test(text.slice(value.from, value.to));

export function editFlow(node: SourceNode, patch: Patch, host: Host, work: Work): void {
  const { kept, gone, added } = sortOut(node, patch);
  for (const entry of kept) {
    const child = patch.under.get(entry.key);
    if (child) editEntry(entry, child, host, work);
  }
  const fresh = added.map(([key, child]) => [key, freshOf(child, work.fetch)] as const);
  addEntries(node, fresh, { kept, gone, patch, host }, work);
}

function editEntry(entry: SourceEntry, patch: Patch, host: Host, work: Work): void {
  const { source } = work;
  const { text } = source;
  const { from, keyTo, after, value } = entry;
  if (patch.rename !== undefined)
    addSplice(work, from, keyTo, printKey(patch.rename, source.json, text.slice(from, keyTo)));
  if (patch.put || (patch.under.size > 0 && isNothing(entry, text))) {
    const fresh = freshOf(patch, work.fetch);
    const shown = print(fresh, entry, work);
    if (value) addSplice(work, value.from, value.to, shown);
    else addSplice(work, after, after, after === keyTo && from < keyTo ? `: ${shown}` : ` ${shown}`);
    const lost = value ? source.commentsIn(value.from, value.to) : [];
    rehouse([...lost, ...homeless(fresh)], host, work);
  } else if (patch.under.size > 0 && value) editFlow(value, patch, host, work);
}

interface Change {
  readonly kept: readonly SourceEntry[];
  readonly gone: readonly SourceEntry[];
  readonly patch: Patch;
  readonly host: Host;
}

type Addition = readonly [key: string, fresh: Fresh];

function addEntries(node: SourceNode, additions: readonly Addition[], change: Change, work: Work): void {
  const { kept, gone, patch, host } = change;
  const { entries } = node;
  const moved = gone.flatMap((entry) => movedWithin(work, entry, patch.under.get(entry.key)));
  const lost: string[] = additions.flatMap(([, fresh]) => homeless(fresh));
  const replace = (from: number, to: number, text: string) => {
    lost.push(
      ...commentsLeft(
        work,
        [from, to],
        moved.filter((stretch) => from <= stretch[0] && stretch[1] <= to),
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
  rehouse(lost, host, work);
}

interface Written {
  readonly shown: readonly string[];
  readonly separator: string;
  readonly opening: string;
  readonly closing: string;
}

/** On lines of their own where the others are; as close together as the others are. */
function written(node: SourceNode, additions: readonly Addition[], work: Work): Written {
  const { source, layout } = work;
  const { text, json } = source;
  const first = node.entries[0];
  const ownLines = first ? text.slice(node.from, first.from).includes('\n') : layout.unit !== '';
  const outer = spaceBefore(text, node.from);
  const indent = first && ownLines ? spaceBefore(text, first.from) : outer + layout.unit;
  const tight = json && !/^[\s{[]*"(?:[^"\\]|\\.)*"\s*:\s/.test(text);
  const value = (fresh: Fresh) =>
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

function print(fresh: Fresh, { from, value }: SourceEntry, { source, layout }: Work): string {
  if (source.json) {
    const indent = spaceBefore(source.text, from);
    const ownLine = lineStart(source.text, from) + indent.length === from;
    return printJson(plainOf(fresh), ownLine ? layout.unit : '', indent);
  }
  return 'value' in fresh && value?.quotes?.startsWith('QUOTE')
    ? printQuoted(fresh.value, value.quotes)
    : flowText(fresh);
}

/** Comments that cannot stand in the brackets any more stand below the entry that the brackets are in. */
function rehouse(comments: readonly string[], { indent, end }: Host, work: Work): void {
  const pad = work.layout.newline + ' '.repeat(indent);
  if (comments.length > 0) addSplice(work, end, end, comments.map((comment) => pad + comment).join(''));
}
