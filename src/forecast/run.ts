// How does it go on from here? One run of the cluster forward in time, and when each node goes in it.

import type { Reason } from '../cluster/reason.ts';
import { labelOf } from '../cluster/selector.ts';
import type { Settings } from '../cluster/settings.ts';
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
import type { Snapshot } from './snapshot.ts';

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
}

export interface Run {
  readonly goings: readonly Going[];
  /** By pool and domain: how many were still drifted, whenever that changed. */
  readonly left: readonly Left[];
  /** When those that had drifted at the beginning expire. */
  readonly expiries: readonly Expiry[];
  /** Whom something still holds when it ended. */
  readonly stuck: readonly Verdict[];
  readonly endedAt: Instant;
  /** done: nothing drifted is left; time: the time was up; rounds: it was too much to look at. */
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
  const notes = new Notes();
  let rounds = 0;
  const settings = acting(snapshot.settings);
  const pump = new Pump({
    clock: world.clock,
    random: world.random.fork('forecast'),
    open: () => {
      const port = new SimPort(world.objects, world.clock, { name: 'lull-1', random: world.random.fork('port') });
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
  const end = after(snapshot.at, options.for);
  let ended: Run['ended'] = 'time';
  while ((world.clock.nextAt ?? Number.POSITIVE_INFINITY) <= end && world.clock.step()) {
    if (rounds > 0 && notes.isDone) ended = 'done';
    else if (rounds >= options.mostRounds) ended = 'rounds';
    else continue;
    break;
  }
  pump.stop();
  const { goings, left, expiries = [], held: stuck } = notes;
  // Where nothing happens any more, the clock does not reach the end.
  return { goings, left, expiries, stuck, endedAt: ended === 'time' ? end : world.clock.now, ended };
}

/** A Lull that only looks on moves nothing: what is asked is what it would do. */
const acting = (settings: Settings): Settings =>
  settings.role === 'observe' ? { ...settings, role: 'drive' } : settings;

type Begun = Pick<Going, 'begunAt' | 'through'>;

class Notes {
  readonly goings: Going[] = [];
  readonly left: Left[] = [];
  /** Undefined before the first round. */
  expiries: readonly Expiry[] | undefined;
  held: readonly Verdict[] = [];
  isDone = false;
  readonly #counts = new Map<string, number>();
  readonly #gone = new Set<string>();
  /** Where each node stands: it is asked when the node is gone. */
  readonly #domains = new Map<string, string | undefined>();
  /** By command and node: how it began. */
  readonly #begun = new Map<string, Begun>();

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
    const drifted = verdicts.filter(({ reason }) => reason === 'Drifted');
    this.expiries ??= expiriesOf(drifted, cluster);
    this.#count(at, drifted, cluster);
    this.held = verdicts.filter(({ outcome }) => outcome === 'held');
    const isUnderway = commands.some(({ reason }) => reason === 'Drifted');
    this.isDone = drifted.length === 0 && !isUnderway;
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
    const domain = this.#domains.get(going.node);
    this.goings.push({ ...going, ...(domain !== undefined && { domain }) });
  }

  #count(at: Instant, drifted: readonly Verdict[], cluster: Cluster): void {
    const counts = new Map<string, { pool: string; domain: string | undefined; count: number }>();
    for (const { node, pool } of drifted) {
      const labels = cluster.node(node)?.node.labels ?? {};
      const domain = labelOf(labels, topologyOf(cluster.pools.get(pool)));
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
