// When may what go, over hours or weeks? For each pool its limit as it changes with time, and under it the rules that make it so.
import type { Budget, NodeCount, Pool } from '../../cluster/model.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Cluster } from '../../cluster/store.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import { staysForEver, type Window } from '../../time/window.ts';
import { isActive, limitAt } from '../limits/budgets.ts';
import { activeHours, openHours } from '../limits/poolHours.ts';
import { podLanes } from './podLanes.ts';

export interface Timeline {
  readonly from: Instant;
  readonly to: Instant;
  readonly groups: readonly LaneGroup[];
}

/** Lanes that belong together: those of a pool, the windows, the pods. */
export interface LaneGroup {
  readonly title: string;
  readonly kind: 'pool' | 'windows' | 'pods';
  readonly lanes: readonly Lane[];
}

export interface Lane {
  readonly label: string;
  /** What the rule says, as it is written. */
  readonly detail: string;
  readonly bars: readonly Bar[];
  /** What stands out: nothing is ever bounded, or nothing ever goes. */
  readonly standsOut?: 'unlimited' | 'closed for ever';
  /** There are more than can be told apart: it is to be looked at closer. */
  readonly tooMany?: true;
}

/** Start in, end out; cut where the timeline is. */
export interface Bar {
  readonly from: Instant;
  readonly to: Instant;
  /** open: something may go; blocked: nothing may; holds: the rule is in force. */
  readonly kind: 'open' | 'unlimited' | 'blocked' | 'holds';
  /** `2`, `10%`. */
  readonly text?: string;
}

export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

export interface TimelineQuery extends Span {
  readonly rule: Settings['defaultBudgets'];
}

/** Nobody tells more apart on one screen. */
const mostBars = 800;
/** A tenant may have any number of different schedules; nobody looks at more. */
const mostPodLanes = 200;

export function drawTimeline(cluster: Cluster, query: TimelineQuery): Timeline {
  const { from, to } = query;
  const pools = [...cluster.pools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const windows = cluster.windows.map((window): Lane => {
    const kind = window.mode === 'Block' ? 'blocked' : 'open';
    const detail = `${window.mode === 'Block' ? 'blocks' : 'allows'} ${window.window.text}${window.note ? `: ${window.note}` : ''}`;
    return laneOf({ label: window.name, detail, window: activeHours(window), kind }, query);
  });
  const pods = podLanes(cluster);
  const groups: LaneGroup[] = [
    ...pools.map((pool) => ({ title: pool.name, kind: 'pool' as const, lanes: poolLanes(pool, cluster, query) })),
    { title: 'Maintenance windows', kind: 'windows', lanes: windows },
    {
      title: pods.length > mostPodLanes ? `Pod schedules (${mostPodLanes} of ${pods.length})` : 'Pod schedules',
      kind: 'pods',
      lanes: pods
        .slice(0, mostPodLanes)
        .map(({ label, detail, window, blocks }) =>
          laneOf({ label, detail, window, kind: blocks ? 'blocked' : 'open' }, query),
        ),
    },
  ];
  return { from, to, groups: groups.filter(({ lanes }) => lanes.length > 0) };
}

/** First what comes of all rules together, then each budget that has hours of its own. */
function poolLanes(pool: Pool, cluster: Cluster, query: TimelineQuery): Lane[] {
  const told = budgetReasons.map((reason) => ({ reason, ...limitBars(pool, reason, cluster, query) }));
  const alike = Map.groupBy(told, ({ bars }) => JSON.stringify(bars));
  const limits = [...alike.values()].map((group): Lane => {
    const [first] = group;
    const bars = first?.bars ?? [];
    const only = bars.length === 1 ? bars[0] : undefined;
    const standsOut = only?.kind === 'unlimited' ? 'unlimited' : first?.isShut ? 'closed for ever' : undefined;
    return {
      label: sayReasons(group.map(({ reason }) => reason)),
      detail: 'how many nodes may be gone at once',
      bars,
      ...(standsOut && { standsOut }),
      ...(first?.tooMany && { tooMany: true }),
    };
  });
  const budgets = pool.budgets.filter(({ window }) => window !== undefined);
  return [
    ...limits,
    ...budgets.map(({ index, nodes, reasons, window }): Lane => {
      const count = sayCount(nodes);
      const detail = `${count} for ${reasons ? [...reasons].join(', ') : 'any reason'}, ${window?.text}`;
      return laneOf({ label: `budget ${index}`, detail, window: window as Window, kind: 'holds', text: count }, query);
    }),
  ];
}

/** Whichever is shorter. */
function sayReasons(reasons: readonly Reason[]): string {
  const others = budgetReasons.filter((reason) => !reasons.includes(reason));
  if (others.length === 0) return 'every reason';
  return others.length < reasons.length ? `all but ${others.join(', ')}` : reasons.join(', ');
}

interface LimitBars {
  readonly bars: readonly Bar[];
  readonly isShut: boolean;
  readonly tooMany: boolean;
}

function limitBars(pool: Pool, reason: Reason, cluster: Cluster, { from, to, rule }: TimelineQuery): LimitBars {
  const { nodes } = cluster.nodesOf(pool.name);
  const counted = nodes.filter(({ state }) => state.counted).length;
  const hours = pool.fault ? undefined : openHours(pool, nodes, reason);
  const edge = (at: Instant): Instant | undefined =>
    pool.budgets.reduce<Instant | undefined>(
      (next, { window }) => earliest(next, window?.nextChange(at)),
      hours?.nextChange(at),
    );
  const barAt = (at: Instant): Pick<Bar, 'kind' | 'text'> => {
    if (!hours?.isOpen(at)) return { kind: 'blocked' };
    const { limit } = limitAt({ pool, reason, counted, rule }, at);
    const domain = pool.budgets.find((it) => it.topologyKey !== undefined && isActive(it, at) && binds(it, reason));
    if (limit === undefined && !domain) return { kind: 'unlimited' };
    const parts = [...(limit === undefined ? [] : [String(limit)]), ...(domain ? [sayDomain(domain)] : [])];
    return { kind: 'open', text: parts.join(', ') };
  };
  const bars: Bar[] = [];
  let at: Instant | undefined = from;
  let edges = 0;
  for (; at !== undefined && at < to && edges < mostBars; edges++) {
    const next = edge(at);
    const end = next === undefined || next > to ? to : next;
    const bar = barAt(at);
    const last = bars.at(-1);
    if (last && last.kind === bar.kind && last.text === bar.text) bars[bars.length - 1] = { ...last, to: end };
    else bars.push({ from: at, to: end, ...bar });
    at = next;
  }
  const isShut = !hours || (!hours.isOpen(from) && staysForEver(hours, from));
  return { bars, isShut, tooMany: edges >= mostBars };
}

/** `1 per zone in turn`. */
function sayDomain({ nodes, topologyKey = '', sequential }: Budget): string {
  const noun = topologyKey.slice(topologyKey.lastIndexOf('/') + 1);
  return `${sayCount(nodes)} per ${noun}${sequential ? ' in turn' : ''}`;
}

const sayCount = (nodes: NodeCount): string => ('count' in nodes ? String(nodes.count) : `${nodes.percent}%`);

/** C9: a topology budget binds drift alone. */
const binds = ({ reasons }: { readonly reasons?: ReadonlySet<Reason> }, reason: Reason): boolean =>
  reason === 'Drifted' && (reasons?.has('Drifted') ?? true);

interface Ruled {
  readonly label: string;
  readonly detail: string;
  readonly window: Window;
  readonly kind: Bar['kind'];
  readonly text?: string;
}

function laneOf({ label, detail, window, kind, text }: Ruled, { from, to }: Span): Lane {
  const bars: Bar[] = [];
  let at: Instant | undefined = window.isOpen(from) ? from : window.nextChange(from);
  while (at !== undefined && at < to && bars.length < mostBars) {
    const end = window.nextChange(at);
    bars.push({ from: at, to: end === undefined || end > to ? to : end, kind, ...(text !== undefined && { text }) });
    at = end === undefined ? undefined : window.nextChange(end);
  }
  const isFixed = staysForEver(window, from);
  const isShut = isFixed && window.isOpen(from) === (kind === 'blocked');
  return {
    label,
    detail,
    bars,
    ...(isShut && kind !== 'holds' && { standsOut: 'closed for ever' }),
    ...(bars.length >= mostBars && { tooMany: true }),
  };
}
