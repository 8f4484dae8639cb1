// A scenario stopped when its roll begins, to compare a forecast with what happens. Later script events are left out: no forecast could know them.
import type { Ledger } from '../cluster/ledger.ts';
import type { Round } from '../engine/verdict.ts';
import type { Json } from '../kinds/read/reader.ts';
import { openController, type Watcher } from '../runtime/controller.ts';
import { type KubeObject, keyOf } from '../sim/kubeObject.ts';
import type { Scenario } from '../sim/scenario/scenario.ts';
import { type Simulation, simulate } from '../sim/simulate.ts';
import { after, type Instant } from '../time/instant.ts';
import type { ClusterSnapshot } from './restore.ts';

export interface StagedRoll {
  readonly snapshot: ClusterSnapshot;
  /** How many script events come later. They are left out of the comparison. */
  readonly unknown: number;
  /** Continues the scenario. Returns when each pool first had no drifted node left; pools that always have some are missing. */
  goOn(): ReadonlyMap<string, Instant>;
}

/** The controller to observe, if several run. */
const first = 'lull-1';

/** Stops in the first round with a drifted node, before it acts; undefined = no node drifts. */
export function stage(scenario: Scenario, seed: number): StagedRoll | undefined {
  const objects = new Map<string, KubeObject>();
  let found: { readonly at: Instant; readonly ledger: Ledger; readonly objects: readonly Json[] } | undefined;
  const watcher: Watcher = {
    onRound: ({ at, verdicts }, { ledger }) => {
      if (found || !verdicts.some(({ reason }) => reason === 'Drifted')) return;
      found = { at, ledger, objects: [...objects.values()] };
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
      const ends = new RollEnds();
      play({ ...scenario, script }, seed, { watcher: { onRound: (round) => ends.record(round) } }).run();
      return ends.pools;
    },
  };
}

class RollEnds {
  readonly pools = new Map<string, Instant>();
  #drifted: ReadonlySet<string> = new Set();

  record({ at, verdicts }: Round): void {
    const drifted = new Set(verdicts.filter(({ reason }) => reason === 'Drifted').map(({ pool }) => pool));
    for (const pool of this.#drifted) if (!drifted.has(pool) && !this.pools.has(pool)) this.pools.set(pool, at);
    this.#drifted = drifted;
  }
}

interface StagePlayOptions {
  readonly watcher?: Watcher;
  readonly objects?: Map<string, KubeObject>;
}

const play = (scenario: Scenario, seed: number, { watcher, objects }: StagePlayOptions): Simulation =>
  simulate(scenario, {
    seed,
    reconciler: (port, name) => openController(port, scenario.settings, name === first ? watcher : {}),
    onRead: (name, object, isGone) => {
      if (name !== first) return;
      if (isGone) objects?.delete(`${object.kind} ${keyOf(object)}`);
      else objects?.set(`${object.kind} ${keyOf(object)}`, object);
    },
  });
