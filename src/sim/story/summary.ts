// The figures of a simulation: nodes rolled, pods moved, most nodes at a time against the limit, hourly price.

import { defined } from '../../cluster/defined.ts';
import type { Budget } from '../../cluster/model.ts';
import { label } from '../../cluster/names.ts';
import { readObject } from '../../kinds/readObject.ts';
import { between, type Duration, type Instant } from '../../time/instant.ts';
import { bindingBudgets, isBudgetActive, unitsOf } from '../checks/startLimits.ts';
import { instantOf, sameJson } from '../kubeObject.ts';
import type { Objects } from '../objects.ts';
import type { VirtualClock } from '../virtualClock.ts';
import type { SimInstanceType } from '../world.ts';
import type { Flight } from './flight.ts';
import type { StoryEvent } from './storyEvent.ts';

/** Undefined if any node has no known price: a sum without it would mislead. */
function hourlyPrice(objects: Objects, types: ReadonlyMap<string, SimInstanceType>): number | undefined {
  let total = 0;
  for (const { metadata } of objects.list('Node')) {
    const price = types.get(metadata.labels?.[label.instanceType] ?? '')?.price;
    if (price === undefined) return undefined;
    total += price;
  }
  return Math.round(total * precision) / precision;
}

/** Rounds away floating-point errors of the sum. */
const precision = 10_000;

interface LimitScope {
  readonly objects: Objects;
  readonly pool: string;
  readonly domain: string | undefined;
  readonly reason: string | undefined;
  readonly now: Instant;
}

/** The smallest active limit; undefined if no budget applies. */
function limitNow({ objects, pool, domain, reason, now }: LimitScope): number | undefined {
  const object = objects.get('NodePool', pool);
  const read = object && readObject(object);
  if (read?.kind !== 'NodePool') return undefined;
  const inDomains = (it: Budget): boolean => it.topologyKey !== undefined && isBudgetActive(it, now);
  const binding =
    domain === undefined ? bindingBudgets(read.record, reason, now) : read.record.budgets.filter(inDomains);
  const limits = binding.map(({ nodes, topologyKey }) => unitsOf(nodes, sizeOf(objects, pool, topologyKey, domain)));
  return limits.length > 0 ? Math.min(...limits) : undefined;
}

/** The initialized nodes of the pool or domain: an approximation of what budgets count (C3). */
function sizeOf(objects: Objects, pool: string, topologyKey: string | undefined, domain: string | undefined): number {
  let size = 0;
  for (const { metadata } of objects.list('Node')) {
    const labels = metadata.labels ?? {};
    if (labels[label.pool] !== pool || labels[label.initialized] !== 'true') continue;
    if (topologyKey === undefined || labels[topologyKey] === domain) size++;
  }
  return size;
}

export interface Summary {
  readonly simulated: Duration;
  /** Nodes that Lull disrupted and that are gone, by pool. */
  readonly rolled: Readonly<Record<string, number>>;
  readonly released: number;
  /** Pods evicted, and pods deleted at their deadline. */
  readonly podsMoved: number;
  readonly podsForced: number;
  /** The price of all nodes per hour, at the start and at the end; absent if a price is unknown. */
  readonly hourly?: { readonly from: number; readonly to: number };
  /** From the wish until the node is gone. A drift wish starts when the template changes. */
  readonly longestWait?: { readonly node: string; readonly reason: string; readonly waited: Duration };
  /** The most nodes disrupted at a time, and the limit at that instant. */
  readonly peaks: readonly Peak[];
}

export interface Peak {
  readonly pool: string;
  /** Absent: the whole pool. */
  readonly domain?: string;
  readonly nodes: number;
  /** Absent: no limit applies. */
  readonly limit?: number;
}

interface SummarySources {
  readonly objects: Objects;
  readonly clock: VirtualClock;
  readonly flight: Flight;
  readonly instanceTypes: ReadonlyMap<string, SimInstanceType>;
}

/** Collects figures from now on; the summary can be read at any time. */
export function collectSummary(
  { objects, clock, flight, instanceTypes }: SummarySources,
  from: Instant,
): SummaryCollector {
  const rolled: Record<string, number> = {};
  const counts = { released: 0, podsMoved: 0, podsForced: 0 };
  const peaks = new Map<string, Peak>();
  const changedAt = new Map<string, Instant[]>();
  const wishes = new Map<string, { readonly since: Instant; readonly reason: string }>();
  const priceBefore = hourlyPrice(objects, instanceTypes);
  let longest: Summary['longestWait'];

  objects.onChange(({ object, was }) => {
    if (object.kind !== 'NodePool' || !was || sameJson(was.spec?.template, object.spec?.template)) return;
    const { name } = object.metadata;
    changedAt.set(name, [...(changedAt.get(name) ?? []), clock.now]);
  });

  flight.onLeaving(({ node, pool, labels, command }) => {
    if (command) wishes.set(node, { since: wishSince(node, pool, command.reason), reason: command.reason });
    const domain = command?.nodes.find(({ name }) => name === node)?.domain ?? labels[label.zone];
    raisePeak(pool, undefined, command?.reason);
    if (domain !== undefined) raisePeak(pool, domain, command?.reason);
  });

  function wishSince(node: string, pool: string, reason: string): Instant {
    const created = instantOf(objects.get('Node', node)?.metadata.creationTimestamp) ?? from;
    const changed = reason === 'Drifted' ? changedAt.get(pool)?.find((at) => at >= created) : undefined;
    return changed ?? clock.now;
  }

  function raisePeak(pool: string, domain: string | undefined, reason: string | undefined): void {
    const key = `${pool}/${domain ?? ''}`;
    let nodes = 0;
    for (const it of flight.leaving.values()) {
      const zone = it.command?.nodes.find(({ name }) => name === it.node)?.domain ?? it.labels[label.zone];
      if (it.pool === pool && (domain === undefined || zone === domain)) nodes++;
    }
    if (nodes <= (peaks.get(key)?.nodes ?? 0)) return;
    const limit = limitNow({ objects, pool, domain, reason, now: clock.now });
    peaks.set(key, defined({ pool, domain, nodes, limit }));
  }

  function note(event: StoryEvent): void {
    const { kind, node, pool = '', command } = event;
    if (kind === 'NodeReleased') counts.released++;
    if (kind === 'PodEvicted') counts.podsMoved++;
    if (kind === 'PodDeleted') counts.podsForced++;
    if (kind !== 'NodeGone' || node === undefined || command === undefined) return;
    rolled[pool] = (rolled[pool] ?? 0) + 1;
    const wish = wishes.get(node);
    wishes.delete(node);
    if (!wish) return;
    const waited = between(wish.since, clock.now);
    if (!longest || waited > longest.waited) longest = { node, reason: wish.reason, waited };
  }

  return {
    note,
    summary: () => ({
      simulated: between(from, clock.now),
      rolled: sorted(rolled),
      ...counts,
      ...hourlyOf(priceBefore, hourlyPrice(objects, instanceTypes)),
      ...(longest && { longestWait: longest }),
      peaks: [...peaks.values()].sort(byKey),
    }),
  };
}

const hourlyOf = (from: number | undefined, to: number | undefined): Pick<Summary, 'hourly'> =>
  from === undefined || to === undefined ? {} : { hourly: { from, to } };

export interface SummaryCollector {
  note(event: StoryEvent): void;
  summary(): Summary;
}

const sorted = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));

const peakKey = ({ pool, domain = '' }: Peak): string => `${pool}/${domain}`;
const byKey = (a: Peak, b: Peak): number => (peakKey(a) < peakKey(b) ? -1 : 1);
