// The timeline over hours or weeks: the limit of each pool as it changes, and the budgets, windows and pod schedules.
import type { Budget, Pod, Pool } from '../../cluster/model.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Cluster } from '../../cluster/store.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import { staysForEver, type Window } from '../../time/window.ts';
import { formatNodeCount, isActive, limitAt } from '../rules/budgets.ts';
import { activeHours, openHours } from '../rules/openHours.ts';

export interface Timeline {
  readonly from: Instant;
  readonly to: Instant;
  readonly groups: readonly LaneGroup[];
}

/** Lanes that belong together: those of a pool, the windows, the pods. */
interface LaneGroup {
  readonly title: string;
  readonly kind: 'pool' | 'windows' | 'pods';
  readonly lanes: readonly Lane[];
}

export interface Lane {
  readonly label: string;
  /** The text of the rule, as written. */
  readonly detail: string;
  readonly bars: readonly TimelineBar[];
  /** Highlights a lane that never has a limit or never allows anything. */
  readonly standsOut?: 'unlimited' | 'closed for ever';
  /** There are too many bars to distinguish; zoom in. */
  readonly tooMany?: true;
}

/** Start inclusive, end exclusive, cut at the ends of the timeline. */
export interface TimelineBar {
  readonly from: Instant;
  readonly to: Instant;
  /** open: disruption is allowed; blocked: it is not; holds: the rule is active. */
  readonly kind: 'open' | 'unlimited' | 'blocked' | 'holds';
  /** `2`, `10%`. */
  readonly text?: string;
}

interface TimelineSpan {
  readonly from: Instant;
  readonly to: Instant;
}

export interface TimelineQuery extends TimelineSpan {
  readonly rule: Settings['defaultBudgets'];
}

/** More bars in one lane cannot be distinguished on a screen. */
const mostBars = 800;
/** Bounds the timeline, since tenants may have any number of different schedules. */
const mostPodLanes = 200;

const effects = { Block: 'blocks', Allow: 'allows', Approve: 'requires approval' } as const;

export function drawTimeline(cluster: Cluster, query: TimelineQuery): Timeline {
  const { from, to } = query;
  const pools = [...cluster.pools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const windows = cluster.windows.map((window): Lane => {
    const kind = window.mode === 'Allow' ? 'open' : 'blocked';
    const detail = `${effects[window.mode]} ${window.window.text}${window.note ? `: ${window.note}` : ''}`;
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

/** First the limits from all rules together, then each budget that has a schedule. */
function poolLanes(pool: Pool, cluster: Cluster, query: TimelineQuery): Lane[] {
  const told = budgetReasons.map((reason) => ({ reason, ...limitBars(pool, reason, cluster, query) }));
  const alike = Map.groupBy(told, ({ bars }) => JSON.stringify(bars));
  const limits = [...alike.values()].map((group): Lane => {
    const [first] = group;
    const bars = first?.bars ?? [];
    const only = bars.length === 1 ? bars[0] : undefined;
    const standsOut = only?.kind === 'unlimited' ? 'unlimited' : first?.isShut ? 'closed for ever' : undefined;
    return {
      label: formatReasons(group.map(({ reason }) => reason)),
      detail: 'how many nodes may be disrupted at a time',
      bars,
      ...(standsOut && { standsOut }),
      ...(first?.tooMany && { tooMany: true }),
    };
  });
  const budgets = pool.budgets.filter(({ window }) => window !== undefined);
  return [
    ...limits,
    ...budgets.map(({ index, nodes, reasons, window }): Lane => {
      const count = formatNodeCount(nodes);
      const detail = `${count} for ${reasons ? [...reasons].join(', ') : 'any reason'}, ${window?.text}`;
      return laneOf(
        { label: `budgets[${index}]`, detail, window: window as Window, kind: 'holds', text: count },
        query,
      );
    }),
  ];
}

/** The reasons, or all but the others, whichever is shorter. */
function formatReasons(reasons: readonly Reason[]): string {
  const others = budgetReasons.filter((reason) => !reasons.includes(reason));
  if (others.length === 0) return 'every reason';
  return others.length < reasons.length ? `all but ${others.join(', ')}` : reasons.join(', ');
}

interface LimitBars {
  readonly bars: readonly TimelineBar[];
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
  const barAt = (at: Instant): Pick<TimelineBar, 'kind' | 'text'> => {
    if (!hours?.isOpen(at)) return { kind: 'blocked' };
    const { limit } = limitAt({ pool, reason, counted, rule }, at);
    const domain = pool.budgets.find((it) => it.topologyKey !== undefined && isActive(it, at) && binds(it, reason));
    if (limit === undefined && !domain) return { kind: 'unlimited' };
    const parts = [...(limit === undefined ? [] : [String(limit)]), ...(domain ? [formatDomainLimit(domain)] : [])];
    return { kind: 'open', text: parts.join(', ') };
  };
  const bars: TimelineBar[] = [];
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
function formatDomainLimit({ nodes, topologyKey = '', sequential }: Budget): string {
  const noun = topologyKey.slice(topologyKey.lastIndexOf('/') + 1);
  return `${formatNodeCount(nodes)} per ${noun}${sequential ? ' in turn' : ''}`;
}

/** A topology budget applies only to Drifted (C9). */
const binds = ({ reasons }: { readonly reasons?: ReadonlySet<Reason> }, reason: Reason): boolean =>
  reason === 'Drifted' && (reasons?.has('Drifted') ?? true);

interface LaneRule {
  readonly label: string;
  readonly detail: string;
  readonly window: Window;
  readonly kind: TimelineBar['kind'];
  readonly text?: string;
}

function laneOf({ label, detail, window, kind, text }: LaneRule, { from, to }: TimelineSpan): Lane {
  const bars: TimelineBar[] = [];
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

// Pod schedules: pods with the same schedule share one lane.

interface PodLane {
  readonly label: string;
  readonly detail: string;
  readonly window: Window;
  /** Whether pods may not be moved while it is open. */
  readonly blocks: boolean;
}

function podLanes(cluster: Cluster): PodLane[] {
  const own = new Map<string, { readonly window: Window; readonly blocks: boolean; readonly pods: Pod[] }>();
  const note = (window: Window | undefined, blocks: boolean, pod: Pod): void => {
    if (!window) return;
    const key = `${blocks} ${window.text}`;
    const known = own.get(key) ?? { window, blocks, pods: [] };
    known.pods.push(pod);
    own.set(key, known);
  };
  for (const { timed } of cluster.nodes) {
    for (const { pod, unevaluated } of timed) {
      if (unevaluated) continue;
      note(pod.rules?.allow, false, pod);
      note(pod.rules?.block, true, pod);
    }
  }
  const schedules = cluster.podSchedules.map((schedule): PodLane => {
    const blocks = schedule.mode === 'Block';
    const detail = `${cluster.podsUnder(schedule)} pods ${says(blocks)} ${schedule.window.text}`;
    return { label: schedule.name, detail, window: schedule.window, blocks };
  });
  return [...schedules, ...[...own.values()].map(ofPods)];
}

const says = (blocks: boolean): string => (blocks ? 'stay' : 'may be moved');

function ofPods({ window, blocks, pods }: { window: Window; blocks: boolean; pods: readonly Pod[] }): PodLane {
  const [first] = pods;
  const label = first ? `${first.namespace}/${first.owner?.name ?? first.name}` : '';
  const more = new Set(pods.map(({ owner, name }) => owner?.name ?? name)).size - 1;
  const detail = `${pods.length} pods ${says(blocks)} ${window.text}`;
  return { label: more > 0 ? `${label} and ${more} more` : label, detail, window, blocks };
}
