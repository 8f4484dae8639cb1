// What happens, and when? The script of a scenario: a table of words, one row each, and the entries that use them.
import type { Reader } from '../../kinds/reader.ts';
import { after, asDuration, between } from '../../time/instant.ts';
import type { Happening } from './happening.ts';
import { annotate, apply, remove } from './happenings/apply.ts';
import { fault } from './happenings/fault.ts';
import { fail, interrupt } from './happenings/nodes.ts';
import { release } from './happenings/release.ts';
import type { Context, HappeningRow } from './happenings/row.ts';
import { load, scale } from './happenings/scale.ts';
import { readMoment, refuseUnknown, theOnly } from './known.ts';

export const happenings: readonly HappeningRow[] = [
  release,
  scale,
  load,
  interrupt,
  fail,
  apply,
  remove,
  annotate,
  fault,
];

const names = happenings.map(({ name }) => name);
const mostTimes = 10_000;

export function readScript(spec: Reader, context: Context): Happening[] {
  return spec
    .maps('script')
    .flatMap((entry) => readEntry(entry, context))
    .sort((a, b) => a.at - b.at);
}

function readEntry(entry: Reader, context: Context): Happening[] {
  refuseUnknown(entry, ['at', 'every', 'times', ...names]);
  if (!entry.has('at')) entry.fault('at', 'There is no at. Give the time since the start, such as 10m.');
  const at = readMoment(entry, 'at', context.from) ?? context.from;
  const every = entry.duration('every');
  const times = entry.whole('times', 1, mostTimes);
  if (times !== undefined && every === undefined) entry.fault('times', 'Say every how long it happens again.');
  if (every !== undefined && times === undefined) entry.fault('every', 'Say how many times in times.');
  const name = theOnly(entry, names, 'a happening');
  const row = happenings.find((it) => it.name === name);
  if (!row) return [];
  const happen = row.read(entry.map(row.name), context);
  return Array.from({ length: times ?? 1 }, (_, index) => ({
    at: between(context.from, after(at, asDuration((every ?? 0) * index))),
    name: row.name,
    happen: (stage) => happen({ ...stage, repetition: index + 1 }),
  }));
}
