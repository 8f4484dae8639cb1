// The simulated controllers: each runs the production loop over its own port and may crash between two requests.
import { Loop } from '../runtime/loop.ts';
import type { ApiRequest, ApiResponse, Port, Reconciler } from '../runtime/port.ts';
import { after, asDuration, asInstant, type Duration, second } from '../time/instant.ts';
import type { Checks } from './checks/checks.ts';
import type { KubeObject } from './kubeObject.ts';
import type { Random } from './random.ts';
import type { Controllers } from './scenario/scenario.ts';
import { type PortFaults, type SentRequest, SimPort } from './simPort.ts';
import type { Story } from './story/story.ts';
import type { VirtualClock, VirtualTimer } from './virtualClock.ts';
import type { World } from './world.ts';

/** A port that can be closed. */
export interface OpenPort extends Port {
  send(request: ApiRequest): ApiResponse;
  /** Called when a change arrives that the controller did not make itself (K5). */
  onWake(listener: () => void): void;
  close(): void;
}

/** A crash at the n-th request, counted from 1 across restarts: before the request is carried out, or after it but before the response. */
export interface Crash {
  readonly request: number;
  readonly when: 'before' | 'after';
}

export interface ControllerOptions {
  readonly clock: VirtualClock;
  readonly random: Random;
  /** Called at the start and after each crash: no in-memory state survives. */
  readonly open: () => { readonly port: OpenPort; readonly reconciler: Reconciler };
  readonly crashes?: readonly Crash[];
  readonly onCrash?: (downFor: Duration) => void;
  readonly onRestart?: () => void;
}

/** The round-trip time of a request, in milliseconds. */
const latency: readonly [number, number] = [3, 8];
const downtime: Duration = asDuration(5 * second);

/** The running controller process, from a start to the next crash. */
interface Process {
  readonly port: OpenPort;
  readonly loop: Loop;
  /** Requests sent but not yet arrived. */
  readonly underway: { readonly request: ApiRequest; readonly answered: (answer: ApiResponse) => void }[];
  /** Fires when the next of them arrives. */
  arrival?: VirtualTimer | undefined;
}

export class SimController {
  readonly #options: ControllerOptions;
  /** A separate random stream, so that reordering does not change the latencies. */
  readonly #order: Random;
  #process: Process | undefined;
  requests = 0;
  passes = 0;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#order = options.random.fork('order');
  }

  get port(): OpenPort | undefined {
    return this.#process?.port;
  }

  start(): void {
    if (this.#process) return;
    const { clock, open } = this.#options;
    const { port, reconciler } = open();
    const pass: Reconciler['pass'] = (now) => {
      this.passes++;
      return reconciler.pass(now);
    };
    const loop = new Loop({
      reconciler: { pass },
      clock,
      onWake: (listener) => port.onWake(listener),
      send: (request, answered) => {
        process.underway.push({ request, answered });
        this.#await(process);
      },
      turnaround: () => this.#latency(),
    });
    const process: Process = { port, loop, underway: [] };
    this.#process = process;
    loop.start();
  }

  /** Kills the process between two requests; it restarts after `downFor` and reads its state from the cluster. */
  crash(downFor: Duration = downtime): void {
    if (!this.#process) return;
    this.stop();
    const { clock, onCrash, onRestart } = this.#options;
    onCrash?.(downFor);
    clock.in(downFor, () => {
      onRestart?.();
      this.start();
    });
  }

  stop(): void {
    this.#process?.loop.kill();
    this.#process?.arrival?.cancel();
    this.#process?.port.close();
    this.#process = undefined;
  }

  #await(process: Process): void {
    if (process.arrival || process.underway.length === 0) return;
    process.arrival = this.#options.clock.in(this.#latency(), () => {
      process.arrival = undefined;
      this.#arrive(process);
    });
  }

  /** Concurrent requests arrive one by one in random order. */
  #arrive(process: Process): void {
    const { underway, port } = process;
    const index = underway.length > 1 ? this.#order.whole(underway.length) : 0;
    const last = underway.pop();
    if (!last) return;
    const [sent = last] = index < underway.length ? underway.splice(index, 1, last) : [];
    this.requests++;
    const planned = this.#options.crashes?.find(({ request }) => request === this.requests);
    const answer = planned?.when === 'before' ? undefined : port.send(sent.request);
    if (planned || !answer) this.crash();
    else {
      sent.answered(answer);
      this.#await(process);
    }
  }

  #latency(): Duration {
    const [from, to] = latency;
    return asDuration(from + this.#options.random.whole(to - from + 1));
  }
}

export interface ControllerSetup {
  readonly world: World;
  readonly story: Story;
  readonly checks: Pick<Checks, 'disturbed'>;
  readonly reconciler: (port: Port, name: string) => Reconciler;
  readonly count: number;
  /** By name. */
  readonly crashes: Readonly<Record<string, readonly Crash[]>>;
  readonly note: (sent: SentRequest) => void;
  readonly onRead?: (name: string, object: KubeObject, isGone: boolean) => void;
}

const endOfTime = asInstant(Number.MAX_SAFE_INTEGER);

/** Creates the controllers, by name, and the interface a script uses to disturb them. */
export function createControllers(setup: ControllerSetup): {
  readonly byName: ReadonlyMap<string, SimController>;
  readonly controllers: Controllers;
} {
  const names = Array.from({ length: setup.count }, (_, index) => `lull-${index + 1}`);
  const connections = new Map<string, PortFaults>(names.map((name) => [name, { away: false, lossy: false, lag: {} }]));
  const byName = new Map([...connections].map(([name, connection]) => [name, controllerFor(name, connection, setup)]));
  const { clock } = setup.world;
  const controllers: Controllers = {
    names,
    crash: (name, downFor) => byName.get(name)?.crash(downFor),
    disturbed: (length) =>
      setup.checks.disturbed(clock.now, length === undefined ? endOfTime : after(clock.now, length)),
    connections: (name) =>
      [...connections].filter(([it]) => name === undefined || it === name).map(([, connection]) => connection),
  };
  return { byName, controllers };
}

function controllerFor(name: string, connection: PortFaults, setup: ControllerSetup): SimController {
  const { world, story, checks, reconciler, crashes } = setup;
  const random = world.random.fork(name);
  const record = (text: string, isRestart?: true): void =>
    story.record({ kind: 'Fault', controller: name, ...(isRestart && { isRestart }), text });
  let starts = 0;
  return new SimController({
    clock: world.clock,
    random,
    crashes: crashes[name] ?? [],
    open: () => {
      const port = openPort(name, connection, random.fork(`start ${++starts}`), setup);
      return { port, reconciler: reconciler(port, name) };
    },
    onCrash: (downFor) => {
      checks.disturbed(world.clock.now, after(world.clock.now, downFor));
      record(`${name} crashes.`);
    },
    onRestart: () => record(`${name} restarts and reads its state from the cluster.`, true),
  });
}

/** Tells the story which request is being carried out, so that it can attribute the changes. */
function openPort(name: string, faults: PortFaults, random: Random, setup: ControllerSetup): OpenPort {
  const { world, story, note, onRead } = setup;
  const port = new SimPort(world.objects, world.clock, {
    name,
    random,
    faults,
    observe: note,
    ...(onRead && { onRead: (object, isGone) => onRead(name, object, isGone) }),
  });
  return {
    view: () => port.view(),
    send: (request) => story.during(request, name, () => port.send(request)),
    onWake: (listener) => port.onWake(listener),
    close: () => port.close(),
  };
}
