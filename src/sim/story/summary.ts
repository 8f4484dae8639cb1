// What came of it? The numbers people want at the end of a run, from the story and raw objects alone.
import { label } from '../../cluster/names.ts';
import { between, type Duration, type Instant, parseInstant } from '../../time/instant.ts';
import type { Clock } from '../clock.ts';
import { type KubeObject, sameJson } from '../kubeObject.ts';
import type { Objects } from '../objects.ts';
import type { InstanceType } from '../world.ts';
import type { StoryEvent } from './event.ts';
import type { Flight } from './flight.ts';
import { hourlyPrice } from './hourlyPrice.ts';
import { limitNow } from './limitNow.ts';

export interface Summary {
  readonly simulated: Duration;
  /** Nodes that Lull took away, by pool. */
  readonly rolled: Readonly<Record<string, number>>;
  readonly released: number;
  /** Pods evicted, and those that were deleted at their deadline. */
  readonly podsMoved: number;
  readonly podsForced: number;
  /** What the machines cost an hour, at the start and at the end; absent where some price is not known. */
  readonly hourly?: { readonly from: number; readonly to: number };
  /** From the wish to the node's end. For drift the wish is as old as the template. */
  readonly longestWait?: { readonly node: string; readonly reason: string; readonly waited: Duration };
  /** The most nodes that were on their way out at once, and what the budgets allowed just then. */
  readonly peaks: readonly Peak[];
}

export interface Peak {
  readonly pool: string;
  /** Absent = in the whole pool. */
  readonly domain?: string;
  readonly nodes: number;
  /** Absent = nothing limits it. */
  readonly limit?: number;
}

interface Scene {
  readonly objects: Objects;
  readonly clock: Clock;
  readonly flight: Flight;
  readonly instanceTypes: ReadonlyMap<string, InstanceType>;
}

/** Watches from now on; asked at the end, or at any time before. */
export function keepSummary({ objects, clock, flight, instanceTypes }: Scene, from: Instant): Keeper {
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
    const created = createdAt(objects.get('Node', node)) ?? from;
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
    peaks.set(key, { pool, ...(domain !== undefined && { domain }), nodes, ...(limit !== undefined && { limit }) });
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
      peaks: [...peaks.values()].sort(byPlace),
    }),
  };
}

const hourlyOf = (from: number | undefined, to: number | undefined): Pick<Summary, 'hourly'> =>
  from === undefined || to === undefined ? {} : { hourly: { from, to } };

export interface Keeper {
  note(event: StoryEvent): void;
  summary(): Summary;
}

const createdAt = (object: KubeObject | undefined): Instant | undefined => {
  const text = object?.metadata.creationTimestamp;
  return text === undefined ? undefined : parseInstant(text);
};

const sorted = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));

const byPlace = (a: Peak, b: Peak): number => {
  const [left, right] = [a, b].map(({ pool, domain = '' }) => `${pool}/${domain}`) as [string, string];
  return left < right ? -1 : 1;
};
