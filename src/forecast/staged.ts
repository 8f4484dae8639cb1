// Where does a scenario stand when its roll begins, and what comes of it? What its script has in store after that nobody could know then.
import type { Ledger } from '../cluster/ledger.ts';
import type { Round } from '../engine/verdict.ts';
import type { Json } from '../kinds/reader.ts';
import { openController, type Watcher } from '../runtime/controller.ts';
import { type KubeObject, keyOf } from '../sim/kubeObject.ts';
import type { Scenario } from '../sim/scenario/scenario.ts';
import { type Simulation, simulate } from '../sim/simulate.ts';
import { after, type Instant } from '../time/instant.ts';
import type { Snapshot } from './snapshot.ts';

export interface Staged {
  readonly snapshot: Snapshot;
  /** How many happenings of its script were still to come, and are left out of the truth. */
  readonly unknown: number;
  /** The same story played on: when each pool first had no drifted node any more. One that always has some is not among them. */
  goOn(): ReadonlyMap<string, Instant>;
}

/** Who is asked, where several run at once. */
const first = 'lull-1';

/** Stopped in the round that first finds a drifted node, before anything is done about it; undefined = there is none. */
export function stage(scenario: Scenario, seed: number): Staged | undefined {
  const objects = new Map<string, KubeObject>();
  let found: { readonly at: Instant; readonly ledger: Ledger; readonly objects: readonly Json[] } | undefined;
  const watcher: Watcher = {
    onRound: ({ at, verdicts }, { ledger }) => {
      if (found || !verdicts.some(({ reason }) => reason === 'Drifted')) return;
      found = { at, ledger, objects: [...objects.values()] as unknown as Json[] };
    },
  };
  const simulation = play(scenario, seed, { watcher, objects });
  while (!found && simulation.step());
  if (!found) return undefined;
  const { at } = found;
  const script = scenario.script.filter((it) => after(scenario.from, it.at) <= at);
  return {
    snapshot: { ...found, settings: scenario.settings },
    unknown: scenario.script.length - script.length,
    goOn: () => {
      const done = new Done();
      play({ ...scenario, script }, seed, { watcher: { onRound: (round) => done.take(round) } }).run();
      return done.pools;
    },
  };
}

class Done {
  readonly pools = new Map<string, Instant>();
  #drifted: ReadonlySet<string> = new Set();

  take({ at, verdicts }: Round): void {
    const drifted = new Set(verdicts.filter(({ reason }) => reason === 'Drifted').map(({ pool }) => pool));
    for (const pool of this.#drifted) if (!drifted.has(pool) && !this.pools.has(pool)) this.pools.set(pool, at);
    this.#drifted = drifted;
  }
}

interface Onlooker {
  readonly watcher?: Watcher;
  readonly objects?: Map<string, KubeObject>;
}

const play = (scenario: Scenario, seed: number, { watcher, objects }: Onlooker): Simulation =>
  simulate(scenario, {
    seed,
    tenant: (port, name) => openController(port, scenario.settings, name === first ? watcher : {}),
    onRead: (name, object, isGone) => {
      if (name !== first) return;
      if (isGone) objects?.delete(`${object.kind} ${keyOf(object)}`);
      else objects?.set(`${object.kind} ${keyOf(object)}`, object);
    },
  });
