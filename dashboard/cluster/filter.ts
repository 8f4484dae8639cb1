// Filters nodes by pool, zone, state, reason, refusal code and name, as given in the URL.
import type { NodeRow, NodeRowState } from '../../src/engine/picture/nodeRow.ts';
import type { Picture } from '../../src/engine/picture/picture.ts';
import { labelOfState } from '../parts/state.ts';

export const fields = ['pool', 'zone', 'state', 'reason', 'code'] as const;
export type Field = (typeof fields)[number];
export type Query = Readonly<Record<string, string>>;

const valuesOf: Readonly<Record<Field, (row: NodeRow) => readonly string[]>> = {
  pool: ({ pool }) => (pool === undefined ? [] : [pool]),
  zone: ({ domain }) => (domain === undefined ? [] : [domain]),
  state: ({ state }) => [state],
  reason: ({ wishes = [] }) => wishes.map(({ reason }) => reason),
  code: ({ wishes = [] }) => wishes.flatMap(({ codes }) => codes),
};

export const isFiltered = (query: Query): boolean => Boolean(query.find) || fields.some((field) => query[field]);

/** Undefined = no filter. */
export function filterNodes({ nodes }: Picture, query: Query): ReadonlySet<string> | undefined {
  if (!isFiltered(query)) return undefined;
  const text = (query.find ?? '').toLowerCase();
  const active = fields.filter((field) => query[field]);
  const matches = (row: NodeRow): boolean =>
    (text === '' || row.name.toLowerCase().includes(text)) &&
    active.every((field) => valuesOf[field](row).includes(query[field] ?? ''));
  return new Set(nodes.filter(matches).map(({ name }) => name));
}

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly count: number;
}

/** The options of a filter, most frequent first; zones and pools by name. */
export function choicesOf({ nodes }: Picture, field: Field): Choice[] {
  const counts = new Map<string, number>();
  for (const row of nodes) {
    const values = valuesOf[field](row);
    // A row with several values counts once for each.
    for (const value of values.length > 1 ? new Set(values) : values) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const choices = [...counts].map(([value, count]) => ({ value, count, label: labelOf(field, value) }));
  return field === 'pool' || field === 'zone'
    ? choices.sort((a, b) => a.value.localeCompare(b.value, 'en', { numeric: true }))
    : choices.sort((a, b) => b.count - a.count);
}

const labelOf = (field: Field, value: string): string =>
  field === 'state' ? labelOfState(value as NodeRowState).name : value;
