// What runs in the box? A cluster in memory with a Lull in it, and everything that others want to see of both.
import { InlineSearcher } from '../engine/pacedSearch.ts';
import type { Facts } from '../engine/situation.ts';
import type { Round } from '../engine/verdict.ts';
import type { Json } from '../kinds/reader.ts';
import { Observed } from '../recording/observed.ts';
import { Recorder } from '../recording/recorder.ts';
import { snapshotLines } from '../recording/snapshotLines.ts';
import { openController } from '../runtime/controller.ts';
import type { Port } from '../runtime/port.ts';
import type { Decided, News, Source } from '../server/source.ts';
import type { Scenario } from '../sim/scenario/scenario.ts';
import { SimPort } from '../sim/simPort.ts';
import { type SimulateOptions, type Simulation, simulate } from '../sim/simulate.ts';
import { eventAsJson } from '../sim/story/event.ts';
import { decided, recordable } from './decided.ts';

export interface BoxOptions extends Pick<SimulateOptions, 'seed' | 'for' | 'onEvent'> {
  /** Of this program. */
  readonly version: string;
  /** At which it is played. */
  readonly speed?: number;
}

export interface Box extends Source {
  readonly simulation: Simulation;
  record: NonNullable<Source['record']>;
}

/** Where several run at once, this is the one that is watched. */
const watched = 'lull-1';

export function openBox(scenario: Scenario, { version, speed = 1, onEvent, ...options }: BoxOptions): Box {
  const listeners = new Set<(news: News) => void>();
  const recorders = new Set<Recorder>();
  const observed = new Observed();
  let latest: Decided | undefined;

  const tell = (news: News): void => {
    for (const listener of listeners) listener(news);
  };
  const onRound = (round: Round, facts: Facts): void => {
    latest = decided(round, facts, scenario.settings.role);
    for (const recorder of recorders) recorder.round(recordable(latest, facts));
    tell({ kind: 'round', decided: latest });
  };
  const simulation = simulate(scenario, {
    ...options,
    tenant: (port, name) => {
      if (name === watched) observed.restart();
      const watcher = name === watched ? { onRound } : {};
      return openController(port, scenario.settings, watcher, new InlineSearcher());
    },
    onRead: (name, object, isGone) => {
      if (name === watched) observed.read(object, isGone);
    },
    onEvent: (event) => {
      onEvent?.(event);
      const { kind, text } = event;
      if (listeners.size > 0) tell({ kind: 'story', event: { ...eventAsJson(event), kind, text } });
    },
  });

  return {
    simulation,
    about: { title: scenario.name, story: scenario.story, role: scenario.settings.role, speed, version },
    identity: () => ({ kind: 'box', name: scenario.name }),
    settings: scenario.settings,
    now: () => simulation.now,
    latest: () => latest,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    port: personOf(simulation),
    snapshot: () => {
      const { round, json } = latest ?? {};
      const last = round && { at: round.at, ledger: round.ledger, printed: json as Json };
      return snapshotLines({ program: version, settings: scenario.settings, observed, last });
    },
    record: (write, writeLater) => {
      const parts = { program: version, settings: scenario.settings, observed };
      const recorder = new Recorder({ write, ...(writeLater && { writeLater }), ...parts });
      recorders.add(recorder);
      return () => {
        if (recorders.delete(recorder)) recorder.end(simulation.now);
      };
    },
  };
}

/** A person is no controller: what they ask for wakes it. Nobody listens for them before they ask for something. */
function personOf({ world }: Simulation): Port {
  let port: SimPort | undefined;
  const open = (): SimPort => {
    const options = { name: 'person', random: world.random.fork('person'), lag: [0, 0] as const };
    port ??= new SimPort(world.objects, world.clock, options);
    return port;
  };
  return { view: () => open().view(), send: (request) => open().send(request) };
}
