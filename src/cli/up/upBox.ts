// The box: a simulated cluster with a Lull in it, and everything that the server shows of both.
import { InlineSearcher } from '../../engine/search.ts';
import type { Facts } from '../../engine/situation.ts';
import type { Round } from '../../engine/verdict.ts';
import { mapIn } from '../../kinds/read/reader.ts';
import { ObservedObjects } from '../../recording/recorder.ts';
import { snapshotLines } from '../../recording/snapshot.ts';
import { openController } from '../../runtime/controller.ts';
import type { Port } from '../../runtime/port.ts';
import type { RoundSource } from '../../server/roundSource.ts';
import type { Scenario } from '../../sim/scenario/scenario.ts';
import { SimPort } from '../../sim/simPort.ts';
import { type SimulateOptions, type Simulation, simulate } from '../../sim/simulate.ts';
import { eventAsJson } from '../../sim/story/storyEvent.ts';
import { RoundFeed } from '../roundFeed.ts';

interface BoxOptions extends Pick<SimulateOptions, 'seed' | 'for' | 'onEvent'> {
  /** Lull's version. */
  readonly version: string;
  /** The speed at which it is played. */
  readonly speed?: number;
}

export interface SimulatedBox extends RoundSource {
  readonly simulation: Simulation;
  record: NonNullable<RoundSource['record']>;
}

/** If several controllers run, this one is shown. */
const watched = 'lull-1';

export function openBox(scenario: Scenario, { version, speed = 1, onEvent, ...options }: BoxOptions): SimulatedBox {
  const { settings } = scenario;
  const feed = new RoundFeed(version, () => simulation.now);
  const observed = new ObservedObjects();
  const onRound = (round: Round, facts: Facts): void => feed.decided(round, facts, settings.role);
  const simulation = simulate(scenario, {
    ...options,
    reconciler: (port, name) => {
      if (name === watched) observed.restart();
      const watcher = name === watched ? { onRound } : {};
      return openController(port, settings, watcher, new InlineSearcher());
    },
    onRead: (name, object, isGone) => {
      if (name === watched) observed.read(object, isGone);
    },
    onEvent: (event) => {
      onEvent?.(event);
      const { kind, text } = event;
      if (feed.hasListeners) feed.tell({ kind: 'story', event: { ...eventAsJson(event), kind, text } });
    },
  });

  return {
    simulation,
    about: { title: scenario.name, story: scenario.story, role: settings.role, speed, version },
    identity: () => ({ kind: 'box', name: scenario.name }),
    settings,
    now: () => simulation.now,
    latest: () => feed.latest,
    subscribe: (listener) => feed.subscribe(listener),
    port: personOf(simulation),
    snapshot: () => {
      const { round, json } = feed.latest ?? {};
      const last = round && { at: round.at, ledger: round.ledger, printed: mapIn(json) };
      return snapshotLines({ program: version, settings, observed, last });
    },
    record: (write, writeLater) => feed.record({ observed, settings, write, writeLater }),
  };
}

/** A person is not a controller: a person's requests wake it. The port is opened with the first request. */
function personOf({ world }: Simulation): Port {
  let port: SimPort | undefined;
  const open = (): SimPort => {
    const options = { name: 'person', random: world.random.fork('person'), lag: [0, 0] as const };
    port ??= new SimPort(world.objects, world.clock, options);
    return port;
  };
  return { view: () => open().view(), send: (request) => open().send(request) };
}
