// How many nodes of a pool, or of a zone of it, might be on their way out at this moment? For the summary, by arithmetic of its own.
import type { Budget, NodeCount } from '../../cluster/model.ts';
import { label } from '../../cluster/names.ts';
import { readObject } from '../../kinds/readObject.ts';
import type { Instant } from '../../time/instant.ts';
import type { Objects } from '../objects.ts';

export interface Place {
  readonly objects: Objects;
  readonly pool: string;
  readonly domain: string | undefined;
  readonly reason: string | undefined;
  readonly now: Instant;
}

/** The least of the budgets that bind; undefined = none does. */
export function limitNow({ objects, pool, domain, reason, now }: Place): number | undefined {
  const object = objects.get('NodePool', pool);
  const read = object && readObject(object);
  if (read?.kind !== 'NodePool') return undefined;
  const active = read.record.budgets.filter((it) => it.window?.isOpen(now) ?? true);
  const bound = domain === undefined ? flat(active, reason) : active.filter(({ topologyKey }) => topologyKey);
  let least: number | undefined;
  for (const { nodes, topologyKey } of bound) {
    const limit = countOf(nodes, sizeOf(objects, pool, topologyKey, domain));
    if (least === undefined || limit < least) least = limit;
  }
  return least;
}

/** C5: those that name the reason, else those that name none; a freeze binds everything. */
function flat(active: readonly Budget[], reason: string | undefined): readonly Budget[] {
  const all = active.filter(({ topologyKey }) => topologyKey === undefined);
  const unnamed = all.filter(({ reasons }) => reasons === undefined);
  const named = all.filter(({ reasons }) => [...(reasons ?? [])].some((it) => it === reason));
  const isFreeze = ({ nodes }: Budget): boolean => ('count' in nodes ? nodes.count : nodes.percent) === 0;
  return named.length > 0 ? [...named, ...unnamed.filter(isFreeze)] : unnamed;
}

const countOf = (nodes: NodeCount, of: number): number =>
  'count' in nodes ? nodes.count : Math.ceil((nodes.percent * of) / 100);

/** C3, near enough for a summary: the initialized nodes. */
function sizeOf(objects: Objects, pool: string, topologyKey: string | undefined, domain: string | undefined): number {
  let size = 0;
  for (const { metadata } of objects.list('Node')) {
    const labels = metadata.labels ?? {};
    if (labels[label.pool] !== pool || labels[label.initialized] !== 'true') continue;
    if (topologyKey === undefined || labels[topologyKey] === domain) size++;
  }
  return size;
}
