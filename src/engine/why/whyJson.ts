// The answer of `lull why` as JSON with RFC 3339 instants (L), and back.
import { formatInstant, type Instant, parseInstant } from '../../time/instant.ts';
import type { Why } from './why.ts';

/** The fields that hold instants; no other field has one of these names. */
const instantFields: ReadonlySet<string> = new Set([
  'at',
  'until',
  'liftsAt',
  'podsAgreeAt',
  'possibleAt',
  'movableAt',
  'nextChange',
  'freeAt',
  'startedAt',
  'haltedAt',
  'stepAt',
  'deadline',
  'takenAt',
  'progressAt',
  'passAsked',
  'createdAt',
]);

export const whyAsJson = (why: Why): Readonly<Record<string, unknown>> =>
  mapFields(why, (value) => (typeof value === 'number' ? formatInstant(value as Instant) : value));

/** The inverse of whyAsJson; undefined if the JSON is not such an answer. */
export function whyFromJson(json: unknown): Why | undefined {
  const why = mapInstants(json, (value) => {
    if (value === 'never') return value;
    return typeof value === 'string' ? parseInstant(value) : undefined;
  });
  const fields = (typeof why === 'object' && why !== null ? why : {}) as Readonly<Record<string, unknown>>;
  const lists = listsOf.get(fields.kind);
  const isWhy = typeof fields.headline === 'string' && typeof fields.at === 'number';
  return isWhy && lists?.every((key) => Array.isArray(fields[key])) ? (why as Why) : undefined;
}

/** The list fields that every answer of a kind has, so that renderers need not check. */
const listsOf: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['node', ['wishes', 'podsWithASay', 'windows']],
  ['pod', ['refusals', 'rules', 'pdbs']],
  ['pool', ['budgets', 'allowances', 'domains', 'turns', 'commands', 'mayGo', 'held']],
]);

function mapInstants(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapInstants(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return mapFields(value, change);
}

const mapFields = (value: object, change: (value: unknown) => unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(value).map(([key, inside]) => [
      key,
      instantFields.has(key) ? change(inside) : mapInstants(inside, change),
    ]),
  );
