// What is at hand while one document is edited?
import { type Cut, startWithComments } from './cut.ts';
import type { Patch } from './patch.ts';
import type { Layout } from './print.ts';
import type { Source, SourceEntry, SourceNode } from './source.ts';
import { endOfEntry, lineEnd, type Splice } from './splice.ts';

export interface Work {
  readonly source: Source;
  readonly layout: Layout;
  readonly splices: Splice[];
  /** The field at a path, to be written elsewhere. */
  readonly fetch: (path: readonly string[]) => Cut | undefined;
}

/** The entry in a block that everything in brackets stands in: comments that lose their place go below it. */
export interface Host {
  readonly indent: number;
  readonly end: number;
}

export function addSplice({ splices }: Work, from: number, to: number, text: string): void {
  splices.push({ from, to, text });
}

export interface Sorted {
  readonly kept: readonly SourceEntry[];
  readonly gone: readonly SourceEntry[];
  readonly added: readonly (readonly [string, Patch])[];
}

export function sortOut({ entries }: SourceNode, { under }: Patch): Sorted {
  const known = new Set(entries.map(({ key }) => key));
  return {
    kept: entries.filter(({ key }) => !under.get(key)?.gone),
    gone: entries.filter(({ key }) => under.get(key)?.gone),
    added: [...under].filter(([key]) => !known.has(key)),
  };
}

/** The comments of a stretch that goes, but for those that are moved with a field. */
export function commentsLeft(work: Work, [from, to]: Stretch, moved: readonly Stretch[]): readonly string[] {
  let at = from;
  const left: string[] = [];
  for (const [start, end] of [...moved, [to, to] as const]) {
    left.push(...work.source.commentsIn(at, Math.max(at, start)));
    at = Math.max(at, end);
  }
  return left;
}

export type Stretch = readonly [from: number, to: number];

export function movedWithin(work: Work, entry: SourceEntry, patch: Patch | undefined): Stretch[] {
  const { source } = work;
  if (!patch) return [];
  if (patch.gone === 'moved') {
    const end = endOfEntry(entry);
    return [entry.flow ? [entry.from, end] : [startWithComments(source, entry), lineEnd(source.text, end)]];
  }
  return (entry.value?.entries ?? []).flatMap((each) => movedWithin(work, each, patch.under.get(each.key)));
}
