// Starts: the nodes that began to be disrupted, minute by minute, of pools and maintenance windows with a rate limit (P1, P2).
import {
  type Command,
  type CommandNode,
  type Ledger,
  longestPeriod,
  maxLeaving,
  maxMinutesEach,
  maxStartMinutes,
  type StartMinute,
  type StartRecord,
} from '../../cluster/ledger.ts';
import type { MaintenanceWindow } from '../../cluster/model.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import { after, asDuration, asInstant, type Duration, type Instant, latest, minute } from '../../time/instant.ts';
import { closesAt } from '../../time/window.ts';
import { findInterruptions } from '../interruptions.ts';
import { activeHours } from '../rules/openHours.ts';
import type { Situation } from '../situation.ts';
import { isInterrupted } from '../wishes/findWishes.ts';

/** What began under one rate limit's pool or window. */
export interface StartCount {
  /** Oldest first; some may be too old to count. */
  readonly minutes: readonly StartMinute[];
  /** Nodes in flight that have not begun (an offer, a node that waits for its replacement), or at an unknown instant. */
  readonly pending: number;
}

export interface StartCounts {
  readonly pools: ReadonlyMap<string, StartCount>;
  readonly windows: ReadonlyMap<MaintenanceWindow, StartCount>;
  /** For the ledger: the same list as before if nothing began and nothing that began is gone. */
  readonly records: Ledger['starts'];
}

const noCount: StartCount = { minutes: [], pending: 0 };

/** A start in a minute counts until the end of that minute plus the period, so that no period ever has more starts. */
export const countsUntil = ({ at }: StartMinute, period: Duration): Instant => after(at, asDuration(minute + period));

/** The start of the window's current opening, or of what is remembered of it; undefined = it is closed. */
function openedAt(window: MaintenanceWindow, now: Instant): Instant | undefined {
  const hours = activeHours(window);
  return hours.isOpen(now) ? latest(asInstant(now - longestPeriod), hours.lastChange(now)) : undefined;
}

/** Until when a start counts for a window with `per`. */
export function countsUntilFor(start: StartMinute, window: MaintenanceWindow, now: Instant): Instant {
  if (window.per !== 'opening') return countsUntil(start, window.per ?? asDuration(0));
  const from = openedAt(window, now);
  // An opening that began within the minute counts the whole minute.
  if (from === undefined || after(start.at, minute) <= from) return now;
  const oldest = countsUntil(start, longestPeriod);
  const closes = closesAt(activeHours(window), now);
  return closes === undefined || oldest < closes ? oldest : closes;
}

/** A pool or window that counts starts. */
interface Counter {
  readonly kind: StartRecord['kind'];
  readonly name: string;
  counts(start: StartMinute): boolean;
  includes(node: BegunNode): boolean;
}

/** A node that a command or another actor disrupts. */
interface BegunNode {
  readonly key: string;
  readonly pool: string | undefined;
  /** Absent = the node is gone. */
  readonly view?: NodeView;
  /** Absent = it has not begun. `unknown`: nothing shows when. */
  readonly begunAt?: Instant | 'unknown';
}

/** Every node that has begun to leave counts once, whichever actor began it, except interruptions. */
export function countStarts(situation: Situation): StartCounts {
  const { ledger, settings, now } = situation;
  const counters = findCounters(situation);
  const known = ledger.starts ?? [];
  if (counters.size === 0)
    return { pools: new Map(), windows: new Map(), records: known.length === 0 ? ledger.starts : [] };
  const nodes = nodesInFlight(situation);
  const present = new Set(nodes.map(({ key }) => key));
  const most = Math.min(maxMinutesEach, Math.max(1, Math.floor(maxStartMinutes / counters.size)));
  // Observe writes no ledger.
  const isRemembered = settings.role !== 'observe';
  let room = maxLeaving - known.reduce((sum, { leaving }) => sum + leaving.length, 0);
  const counted = [...counters].map(([subject, counter]) => {
    const last = known.find(({ kind, name }) => kind === counter.kind && name === counter.name);
    const recorded = new Set(last?.leaving);
    const mine = nodes.filter((node) => !recorded.has(node.key) && counter.includes(node));
    const fresh = mine.flatMap(({ key, begunAt }) => {
      if (begunAt === undefined) return [];
      const start = { at: minuteOf(begunAt === 'unknown' ? now : begunAt, now), nodes: 1 };
      return counter.counts(start) ? [{ key, start, isKnown: begunAt !== 'unknown' }] : [];
    });
    const kept = isRemembered ? fresh.slice(0, Math.max(0, room)) : [];
    room -= kept.length;
    const record = nextRecord(counter, last, { present, fresh: kept, most });
    // What is not remembered counts while it is visible: from when it began, or until it is gone if that is not known.
    const others = fresh.slice(kept.length);
    const unrecorded = others.flatMap(({ start, isKnown }) => (isKnown ? start : []));
    const pending = mine.filter(({ begunAt }) => begunAt === undefined).length + others.length - unrecorded.length;
    return { subject, record, count: { minutes: joined(record?.minutes ?? [], unrecorded), pending } };
  });
  const records = counted.flatMap(({ record }) => record ?? []).sort(byKindAndName);
  const isSame = records.length === known.length && records.every((record, index) => record === known[index]);
  return {
    pools: new Map(counted.flatMap(({ subject, count }) => (typeof subject === 'string' ? [[subject, count]] : []))),
    windows: new Map(counted.flatMap(({ subject, count }) => (typeof subject === 'string' ? [] : [[subject, count]]))),
    records: isSame ? ledger.starts : records,
  };
}

export const countOfPool = ({ pools }: StartCounts, name: string): StartCount => pools.get(name) ?? noCount;
export const countOfWindow = ({ windows }: StartCounts, window: MaintenanceWindow): StartCount =>
  windows.get(window) ?? noCount;

const byKindAndName = (a: StartRecord, b: StartRecord): number =>
  compareText(a.kind, b.kind) || compareText(a.name, b.name);

/** By pool name, or by window. */
function findCounters({ tallies, cluster, now }: Situation): ReadonlyMap<string | MaintenanceWindow, Counter> {
  const counters = new Map<string | MaintenanceWindow, Counter>();
  for (const { pool } of tallies.values()) {
    const period = pool.rates.reduce((longest, { per }) => Math.max(longest, per), 0);
    if (period === 0) continue;
    const { name } = pool;
    const counts = (start: StartMinute): boolean => now < countsUntil(start, asDuration(period));
    counters.set(name, { kind: 'NodePool', name, counts, includes: (node) => node.pool === name });
  }
  for (const window of cluster.windows) {
    if (window.per === undefined) continue;
    const counts = (start: StartMinute): boolean => now < countsUntilFor(start, window, now);
    // The labels of a node that is gone are not known: it counts for every window over its pool.
    const includes = ({ view, pool }: BegunNode): boolean =>
      view
        ? view.windows.includes(window)
        : pool !== undefined && cluster.nodesOf(pool).nodes.some(({ windows }) => windows.includes(window));
    counters.set(window, { kind: 'MaintenanceWindow', name: window.name, counts, includes });
  }
  return counters;
}

/** A clock that is ahead must not count a start for longer. */
const minuteOf = (begunAt: Instant, now: Instant): Instant =>
  asInstant(Math.floor(Math.min(begunAt, now) / minute) * minute);

/** Nodes that are not counted (C3) never finished starting: they need no unit, as in C5. */
function nodesInFlight(situation: Situation): readonly BegunNode[] {
  const { inFlight, cluster, ledger } = situation;
  const interrupted = new Set(findInterruptions(cluster).map(({ node }) => node));
  const nodes: BegunNode[] = [];
  for (const [name, { command }] of inFlight) {
    const view = command ? undefined : cluster.node(name);
    if (!view?.state.counted || interrupted.has(name) || isInterrupted(view)) continue;
    const begunAt = view.state.leaving?.since ?? 'unknown';
    nodes.push({ key: view.claim?.name ?? name, pool: view.poolName, view, begunAt });
  }
  for (const command of ledger.commands) {
    if (command.reason === 'Interrupted') continue;
    for (const node of command.nodes) nodes.push(...ofCommand(command, node, situation));
  }
  return nodes;
}

function ofCommand(command: Command, { name, claim }: CommandNode, { cluster }: Situation): BegunNode[] {
  const found = cluster.node(name);
  // Clouds reuse names: a node with another claim is another node.
  const view = claim !== undefined && found?.claim && found.claim.name !== claim ? undefined : found;
  const base = { key: claim ?? name, pool: command.pool };
  if (view) {
    const begunAt = view.state.leaving ? (view.state.leaving.since ?? 'unknown') : begunBy(command);
    return view.state.counted ? [{ ...base, view, ...(begunAt !== undefined && { begunAt }) }] : [];
  }
  const ending = claim === undefined ? undefined : cluster.claim(claim);
  return [{ ...base, begunAt: ending?.deletingSince ?? begunBy(command) ?? 'unknown' }];
}

/** From its first eviction on, a command has begun; Karpenter's or Lull's deletion begins one that has nothing to evict. */
function begunBy({ step, stepAt, evictedAt }: Command): Instant | undefined {
  return evictedAt ?? (step === 'terminating' || step === 'taken' ? stepAt : undefined);
}

interface Fresh {
  readonly key: string;
  readonly start: StartMinute;
}

interface Changes {
  /** Nodes in flight now. */
  readonly present: ReadonlySet<string>;
  readonly fresh: readonly Fresh[];
  readonly most: number;
}

/**
 * The same record if nothing changes; undefined if nothing began yet. Minutes that no longer count are dropped only when there is
 * something to write.
 */
function nextRecord(
  { kind, name, counts }: Counter,
  last: StartRecord | undefined,
  { present, fresh, most }: Changes,
): StartRecord | undefined {
  const leaving = (last?.leaving ?? []).filter((key) => present.has(key));
  if (fresh.length === 0 && leaving.length === (last?.leaving.length ?? 0)) return last;
  const minutes = joined(
    last?.minutes ?? [],
    fresh.map(({ start }) => start),
  );
  return {
    kind,
    name,
    minutes: merged(minutes.filter(counts), most),
    leaving: [...leaving, ...fresh.map(({ key }) => key)].sort(compareText),
  };
}

function joined(known: readonly StartMinute[], fresh: readonly StartMinute[]): readonly StartMinute[] {
  if (fresh.length === 0) return known;
  const byMinute = new Map<Instant, number>();
  for (const { at, nodes } of [...known, ...fresh]) byMinute.set(at, (byMinute.get(at) ?? 0) + nodes);
  return [...byMinute].map(([at, nodes]) => ({ at, nodes })).sort((a, b) => a.at - b.at);
}

/** Where there are too many minutes, the two closest become one, at the later of them: it then counts longer, never shorter. */
function merged(minutes: readonly StartMinute[], most: number): readonly StartMinute[] {
  const left = [...minutes];
  while (left.length > most) {
    let closest = 1;
    for (let index = 2; index < left.length; index++)
      if (gapBefore(left, index) < gapBefore(left, closest)) closest = index;
    const [earlier, later] = [left[closest - 1], left[closest]];
    if (!earlier || !later) break;
    left.splice(closest - 1, 2, { at: later.at, nodes: earlier.nodes + later.nodes });
  }
  return left;
}

const gapBefore = (minutes: readonly StartMinute[], index: number): number =>
  (minutes[index]?.at ?? Infinity) - (minutes[index - 1]?.at ?? 0);
