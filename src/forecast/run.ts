// How does it go on from here? One run of the cluster forward in time, and when each node goes in it.

import type { Reason } from '../cluster/reason.ts';
import { labelOf } from '../cluster/selector.ts';
import type { Cluster } from '../cluster/store.ts';
import { InlineSearcher } from '../engine/pacedSearch.ts';
import { topologyOf } from '../engine/picture/nodeRow.ts';
import type { CommandReport, Round, Verdict } from '../engine/verdict.ts';
import { openController, type Watcher } from '../runtime/controller.ts';
import { type OpenPort, Pump } from '../sim/harness/pump.ts';
import { SimPort } from '../sim/simPort.ts';
import { after, type Duration, type Instant } from '../time/instant.ts';
import { type Expiry, expiriesOf } from './expiry.ts';
import { type Passage, passagesOf } from './passage.ts';
import { restore } from './restore.ts';
import { actingSettings, type Snapshot } from './snapshot.ts';

export interface RunOptions {
  readonly seed: number;
  readonly for: Duration;
  /** So that a large cluster does not take for ever. */
  readonly mostRounds: number;
}

export interface Going {
  readonly node: string;
  readonly pool: string;
  readonly domain?: string;
  readonly reason: Reason;
  /** When it was chosen. */
  readonly begunAt: Instant;
  /** When it is gone. */
  readonly at: Instant;
  /** Whatever had opened for it when it was chosen. */
  readonly through: readonly Passage[];
  /** Karpenter deleted it at its `expireAfter`, whatever held it. */
  readonly isForced?: boolean;
}

export interface Run {
  readonly goings: readonly Going[];
  /** By pool and domain: how many were still drifted, whenever that changed. */
  readonly left: readonly Left[];
  /** When the nodes that were there at the beginning expire. */
  readonly expiries: readonly Expiry[];
  /** Of them, those that Karpenter deleted at the end of their life, be they gone or not. */
  readonly forced: ReadonlySet<string>;
  /** Whom something still holds when it ended. */
  readonly stuck: readonly Verdict[];
  readonly endedAt: Instant;
  /** Up to here it is known what happens: beyond `endedAt` where everything is done. */
  readonly horizon: Instant;
  /** done: nothing drifted is left, and nothing more expires in the time asked for; time: the time was up; rounds: it was too much to look at. */
  readonly ended: 'done' | 'time' | 'rounds';
}

export interface Left {
  readonly at: Instant;
  readonly pool: string;
  readonly domain?: string;
  readonly count: number;
}

export function runForward(snapshot: Snapshot, options: RunOptions): Run {
  const world = restore(snapshot, options.seed);
  const end = after(snapshot.at, options.for);
  const notes = new Notes(end);
  let rounds = 0;
  const settings = actingSettings(snapshot.settings);
  const pump = new Pump({
    clock: world.clock,
    random: world.random.fork('forecast'),
    open: () => {
      const random = world.random.fork('port');
      // The simulated Karpenter knows no type that Lull does not: trial offers would come to nothing, hour after hour.
      const port = new SimPort(world.objects, world.clock, { name: 'lull-1', random, typesAwaited: true });
      const watcher: Watcher = {
        onRound: (round, { cluster }) => {
          rounds++;
          notes.take(round, cluster);
        },
      };
      const tenant = openController(port, settings, watcher, new InlineSearcher());
      return { port: port as OpenPort, tenant };
    },
  });
  pump.start();
  let ended: Run['ended'] = 'time';
  while ((world.clock.nextAt ?? Number.POSITIVE_INFINITY) <= end && world.clock.step()) {
    if (rounds > 0 && notes.isDone) ended = 'done';
    else if (rounds >= options.mostRounds) ended = 'rounds';
    else continue;
    break;
  }
  pump.stop();
  const { goings, left, expiries = [], forced, held: stuck } = notes;
  // Where nothing happens any more, the clock does not reach the end.
  const endedAt = ended === 'time' ? end : world.clock.now;
  return { goings, left, expiries, forced, stuck, endedAt, horizon: ended === 'rounds' ? endedAt : end, ended };
}

type Begun = Pick<Going, 'begunAt' | 'through'>;

class Notes {
  readonly goings: Going[] = [];
  readonly left: Left[] = [];
  /** Undefined before the first round. */
  expiries: readonly Expiry[] | undefined;
  readonly forced = new Set<string>();
  held: readonly Verdict[] = [];
  isDone = false;
  readonly #counts = new Map<string, number>();
  readonly #gone = new Set<string>();
  readonly #goneNodes = new Set<string>();
  /** Nodes that leave without a command of Lull's. */
  readonly #leaving = new Map<string, Omit<Going, 'at'>>();
  /** Where each node stands: it is asked when the node is gone. */
  readonly #domains = new Map<string, string | undefined>();
  /** By command and node: how it began. */
  readonly #begun = new Map<string, Begun>();
  /** Those that expire before the end, until they are gone. */
  #expiring: readonly Expiry[] = [];
  readonly #end: Instant;

  constructor(end: Instant) {
    this.#end = end;
  }

  take({ at, verdicts, commands, ended }: Round, cluster: Cluster): void {
    for (const command of commands) this.#begin(command, cluster);
    for (const { id, how, nodes, pool, reason } of ended) {
      for (const node of nodes) {
        const key = `${id} ${node}`;
        const begun = this.#begun.get(key) ?? { begunAt: at, through: [] };
        this.#begun.delete(key);
        if (how === 'gone') this.#go({ node, pool, reason, at, ...begun });
      }
    }
    // In guide a node that leaves for another reason is made to look drifted to Karpenter (N6).
    const nudged = new Set(
      commands.flatMap(({ reason, nodes }) => (reason === 'Drifted' ? [] : nodes.map(({ name }) => name))),
    );
    const drifted = verdicts.filter(({ node, reason }) => reason === 'Drifted' && !nudged.has(node));
    if (!this.expiries) this.#seeExpiries(expiriesOf(cluster, drifted), cluster);
    const commanded = new Set(commands.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
    this.#expire(at, commanded, cluster);
    this.#leaveUncommanded(at, verdicts, { commanded, cluster });
    this.#count(at, drifted, cluster);
    this.held = verdicts.filter(({ outcome }) => outcome === 'held');
    const isUnderway = commands.some(({ reason }) => reason === 'Drifted' || reason === 'Expired');
    this.isDone = drifted.length === 0 && !isUnderway && this.#expiring.length === 0;
  }

  #seeExpiries(expiries: readonly Expiry[], cluster: Cluster): void {
    this.expiries = expiries;
    this.#expiring = expiries.filter((it) => it.at <= this.#end);
    for (const { node, pool } of this.#expiring) this.#domains.set(node, domainOf(node, pool, cluster));
  }

  /** No command takes a node that Karpenter deletes at the end of its life: it leaves by itself, and a pod may keep it for long. */
  #expire(now: Instant, commanded: ReadonlySet<string>, cluster: Cluster): void {
    const isGone = ({ node }: Expiry): boolean => !cluster.node(node);
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

  /** What Karpenter or a person had begun: in flight from when it is first seen so, gone when the node is. */
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
      const through = passagesOf({ view, pool, reason }, startedAt);
      this.#begun.set(`${id} ${name}`, { begunAt: startedAt, through });
      this.#domains.set(name, labelOf(view.node.labels, topologyOf(pool)));
    }
  }

  #go(going: Going): void {
    const key = `${going.node} ${going.reason}`;
    if (this.#gone.has(key)) return;
    this.#gone.add(key);
    this.#goneNodes.add(going.node);
    const domain = this.#domains.get(going.node);
    this.goings.push({ ...going, ...(domain !== undefined && { domain }) });
  }

  #count(at: Instant, drifted: readonly Verdict[], cluster: Cluster): void {
    const counts = new Map<string, { pool: string; domain: string | undefined; count: number }>();
    for (const { node, pool } of drifted) {
      const domain = domainOf(node, pool, cluster);
      this.#domains.set(node, domain);
      const key = JSON.stringify([pool, domain]);
      const known = counts.get(key) ?? { pool, domain, count: 0 };
      known.count++;
      counts.set(key, known);
    }
    for (const key of new Set([...counts.keys(), ...this.#counts.keys()])) {
      const count = counts.get(key)?.count ?? 0;
      if (this.#counts.get(key) === count) continue;
      this.#counts.set(key, count);
      const [pool, domain] = JSON.parse(key) as [string, string | null];
      this.left.push({ at, pool, ...(domain !== null && { domain }), count });
    }
  }
}

const domainOf = (node: string, pool: string, cluster: Cluster): string | undefined =>
  labelOf(cluster.node(node)?.node.labels ?? {}, topologyOf(cluster.pools.get(pool)));
