// One simulated run of a cluster forward in time, and when each node is disrupted in it.
import { defined } from '../cluster/defined.ts';
import { createdAt } from '../cluster/nodeView.ts';
import type { Reason } from '../cluster/reason.ts';
import { labelOf } from '../cluster/selector.ts';
import type { Cluster } from '../cluster/store.ts';
import { topologyOf } from '../engine/picture/nodeRow.ts';
import { InlineSearcher } from '../engine/search.ts';
import type { CommandReport, Round, Verdict } from '../engine/verdict.ts';
import { openController, type Watcher } from '../runtime/controller.ts';
import { SimController } from '../sim/controllers.ts';
import { SimPort } from '../sim/simPort.ts';
import { after, type Duration, type Instant } from '../time/instant.ts';
import { type DisruptionOpening, openingsOf } from './openings.ts';
import { actingSettings, type ClusterSnapshot, restore } from './restore.ts';

export interface ForecastExpiry {
  readonly node: string;
  readonly pool: string;
  readonly at: Instant;
  /** Whether it was drifted at the start of the forecast. */
  readonly isDrifted: boolean;
}

/** When each node of a pool expires. Nodes that never expire are left out. */
function expiriesOf({ nodes, pools }: Cluster, drifted: readonly Verdict[]): ForecastExpiry[] {
  const names = new Set(drifted.map(({ node }) => node));
  const expiries: ForecastExpiry[] = [];
  for (const view of nodes) {
    const pool = pools.get(view.poolName ?? '');
    const lifetime = view.claim?.spec.expireAfter ?? pool?.template.expireAfter;
    if (!pool || lifetime === undefined || lifetime === 'Never') continue;
    const { name } = view.node;
    expiries.push({ node: name, pool: pool.name, at: after(createdAt(view), lifetime), isDrifted: names.has(name) });
  }
  return expiries;
}

export interface RunOptions {
  readonly seed: number;
  readonly for: Duration;
  /** Limits the run time for large clusters. */
  readonly mostRounds: number;
}

export interface ForecastDisruption {
  readonly node: string;
  readonly pool: string;
  readonly domain?: string;
  readonly reason: Reason;
  /** When it was chosen. */
  readonly begunAt: Instant;
  /** When it is gone. */
  readonly at: Instant;
  /** The windows and budgets that were open for it when it was chosen. */
  readonly through: readonly DisruptionOpening[];
  /** Karpenter deleted it at its `expireAfter`, although rules held it. */
  readonly isForced?: boolean;
}

export interface ForecastRun {
  readonly goings: readonly ForecastDisruption[];
  /** The number of drifted nodes by pool and domain, at each change. */
  readonly left: readonly DriftedCount[];
  /** When the initial nodes expire. */
  readonly expiries: readonly ForecastExpiry[];
  /** The initial nodes that Karpenter deleted because they expired, whether they are gone or still draining. */
  readonly forced: ReadonlySet<string>;
  /** Verdicts that are still held at the end. */
  readonly stuck: readonly Verdict[];
  readonly endedAt: Instant;
  /** The forecast is valid up to here: later than `endedAt` if everything is done before. */
  readonly horizon: Instant;
  /** done: no drifted node is left and no more node expires in the simulated time; time: the time is over; rounds: the limit on rounds was reached. */
  readonly ended: 'done' | 'time' | 'rounds';
}

export interface DriftedCount {
  readonly at: Instant;
  readonly pool: string;
  readonly domain?: string;
  readonly count: number;
}

export function runForward(snapshot: ClusterSnapshot, options: RunOptions): ForecastRun {
  const world = restore(snapshot, options.seed);
  const end = after(snapshot.at, options.for);
  const recorder = new RunRecorder(end);
  let rounds = 0;
  const settings = actingSettings(snapshot.settings);
  const controller = new SimController({
    clock: world.clock,
    random: world.random.fork('forecast'),
    open: () => {
      const random = world.random.fork('port');
      // The simulated Karpenter knows no more instance types than Lull does, so trial offers would always fail.
      const port = new SimPort(world.objects, world.clock, { name: 'lull-1', random, typesAwaited: true });
      const watcher: Watcher = {
        onRound: (round, { cluster }) => {
          rounds++;
          recorder.record(round, cluster);
        },
      };
      const reconciler = openController(port, settings, watcher, new InlineSearcher());
      return { port, reconciler };
    },
  });
  controller.start();
  let ended: ForecastRun['ended'] = 'time';
  while ((world.clock.nextAt ?? Number.POSITIVE_INFINITY) <= end && world.clock.step()) {
    if (rounds > 0 && recorder.isDone) ended = 'done';
    else if (rounds >= options.mostRounds) ended = 'rounds';
    else continue;
    break;
  }
  controller.stop();
  const { goings, left, expiries = [], forced, held: stuck } = recorder;
  // If nothing more happens, the clock stops before the end.
  const endedAt = ended === 'time' ? end : world.clock.now;
  return { goings, left, expiries, forced, stuck, endedAt, horizon: ended === 'rounds' ? endedAt : end, ended };
}

type DisruptionStart = Pick<ForecastDisruption, 'begunAt' | 'through'>;

class RunRecorder {
  readonly goings: ForecastDisruption[] = [];
  readonly left: DriftedCount[] = [];
  /** Undefined before the first round. */
  expiries: readonly ForecastExpiry[] | undefined;
  readonly forced = new Set<string>();
  held: readonly Verdict[] = [];
  isDone = false;
  readonly #counts = new Map<string, Omit<DriftedCount, 'at'>>();
  readonly #gone = new Set<string>();
  readonly #goneNodes = new Set<string>();
  /** Nodes that leave without a command of Lull. */
  readonly #leaving = new Map<string, Omit<ForecastDisruption, 'at'>>();
  /** By node: its domain, which is needed after the node is gone. */
  readonly #domains = new Map<string, string | undefined>();
  /** By command and node: how the disruption started. */
  readonly #begun = new Map<string, DisruptionStart>();
  /** Nodes that expire before the end, until they are gone. */
  #expiring: readonly ForecastExpiry[] = [];
  readonly #end: Instant;

  constructor(end: Instant) {
    this.#end = end;
  }

  record({ at, verdicts, commands, ended }: Round, cluster: Cluster): void {
    for (const command of commands) this.#begin(command, cluster);
    for (const { id, how, nodes, pool, reason } of ended) {
      for (const node of nodes) {
        const key = `${id} ${node}`;
        const begun = this.#begun.get(key) ?? { begunAt: at, through: [] };
        this.#begun.delete(key);
        if (how === 'gone') this.#go({ node, pool, reason, at, ...begun });
      }
    }
    // In guide mode, nodes that are disrupted for another reason are made to look drifted to Karpenter (N6).
    const nudged = new Set(
      commands.flatMap(({ reason, nodes }) => (reason === 'Drifted' ? [] : nodes.map(({ name }) => name))),
    );
    const drifted = verdicts.filter(({ node, reason }) => reason === 'Drifted' && !nudged.has(node));
    if (!this.expiries) this.#setExpiries(expiriesOf(cluster, drifted), cluster);
    const commanded = new Set(commands.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
    this.#expire(at, commanded, cluster);
    this.#leaveUncommanded(at, verdicts, { commanded, cluster });
    this.#count(at, drifted, cluster);
    this.held = verdicts.filter(({ outcome }) => outcome === 'held');
    const isUnderway = commands.some(({ reason }) => reason === 'Drifted' || reason === 'Expired');
    this.isDone = drifted.length === 0 && !isUnderway && this.#expiring.length === 0;
  }

  #setExpiries(expiries: readonly ForecastExpiry[], cluster: Cluster): void {
    this.expiries = expiries;
    this.#expiring = expiries.filter((it) => it.at <= this.#end);
    for (const { node, pool } of this.#expiring) this.#domains.set(node, domainOf(node, pool, cluster));
  }

  /** Records nodes that Karpenter deletes because they expire. There is no command for them, and pods may delay their end for long. */
  #expire(now: Instant, commanded: ReadonlySet<string>, cluster: Cluster): void {
    const isGone = ({ node }: ForecastExpiry): boolean => !cluster.node(node);
    for (const expiry of this.#expiring) {
      const { node, pool, at } = expiry;
      const leftBefore =
        this.#goneNodes.has(node) || commanded.has(node) || (this.#leaving.get(node)?.begunAt ?? at) < at;
      if (now < at || leftBefore) continue;
      if (isGone(expiry))
        this.#go({ node, pool, reason: 'Expired', begunAt: at, at: now, through: [], isForced: true });
      if (isGone(expiry) || cluster.node(node)?.claim?.deletingSince !== undefined) this.forced.add(node);
    }
    if (this.#expiring.some(isGone)) this.#expiring = this.#expiring.filter((it) => !isGone(it));
  }

  /** Records disruptions that Karpenter or a user started: from the first round that shows them until the node is gone. */
  #leaveUncommanded(
    at: Instant,
    verdicts: readonly Verdict[],
    { commanded, cluster }: { commanded: ReadonlySet<string>; cluster: Cluster },
  ): void {
    for (const { node, pool, reason, outcome } of verdicts) {
      if (outcome !== 'underway' || commanded.has(node) || this.#leaving.has(node)) continue;
      this.#leaving.set(node, { node, pool, reason, begunAt: at, through: [] });
      this.#domains.set(node, domainOf(node, pool, cluster));
    }
    for (const [node, leaving] of this.#leaving) {
      if (cluster.node(node)) continue;
      this.#leaving.delete(node);
      if (!this.#goneNodes.has(node)) this.#go({ ...leaving, at });
    }
  }

  #begin({ id, reason, nodes, startedAt }: CommandReport, cluster: Cluster): void {
    for (const { name } of nodes) {
      const view = cluster.node(name);
      if (!view || this.#begun.has(`${id} ${name}`)) continue;
      const pool = cluster.pools.get(view.poolName ?? '');
      const through = openingsOf({ view, pool, reason }, startedAt);
      this.#begun.set(`${id} ${name}`, { begunAt: startedAt, through });
      this.#domains.set(name, labelOf(view.node.labels, topologyOf(pool)));
    }
  }

  #go(going: ForecastDisruption): void {
    const key = `${going.node} ${going.reason}`;
    if (this.#gone.has(key)) return;
    this.#gone.add(key);
    this.#goneNodes.add(going.node);
    const domain = this.#domains.get(going.node);
    this.goings.push({ ...going, ...(domain !== undefined && { domain }) });
  }

  #count(at: Instant, drifted: readonly Verdict[], cluster: Cluster): void {
    const counts = new Map<string, number>();
    for (const { node, pool } of drifted) {
      const domain = domainOf(node, pool, cluster);
      this.#domains.set(node, domain);
      const key = JSON.stringify([pool, domain]);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (!this.#counts.has(key)) this.#counts.set(key, defined({ pool, domain, count: 0 }));
    }
    for (const key of new Set([...counts.keys(), ...this.#counts.keys()])) {
      const before = this.#counts.get(key);
      const count = counts.get(key) ?? 0;
      if (!before || before.count === count) continue;
      const left = { ...before, count };
      this.#counts.set(key, left);
      this.left.push({ at, ...left });
    }
  }
}

const domainOf = (node: string, pool: string, cluster: Cluster): string | undefined =>
  labelOf(cluster.node(node)?.node.labels ?? {}, topologyOf(cluster.pools.get(pool)));
