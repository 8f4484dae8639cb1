// How does a controller run in virtual time? Its passes are pumped request by request, those of a batch in any order; between any two of them others act, or it dies.
import {
  type Answer,
  type Answers,
  type Batch,
  gatherFor,
  type Pass,
  type Port,
  type Request,
  type Tenant,
} from '../../runtime/port.ts';
import { after, asDuration, type Duration, type Instant, second } from '../../time/instant.ts';
import type { Clock, Timer } from '../clock.ts';
import type { Random } from '../random.ts';

/** A way in that can be left again, and that says when something has changed. */
export interface OpenPort extends Port {
  send(request: Request): Answer;
  /** Called when a change arrives that was not its own (K5). */
  onWake(listener: () => void): void;
  close(): void;
}

/** Dies at its n-th request, counted from 1 over all its lives: just before it is carried out, or just after, before the answer comes. */
export interface Crash {
  readonly request: number;
  readonly when: 'before' | 'after';
}

export interface PumpOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Called at the start and after each crash: nothing of the old process is left. */
  readonly open: () => { readonly port: OpenPort; readonly tenant: Tenant };
  readonly crashes?: readonly Crash[];
  readonly onCrash?: (downFor: Duration) => void;
  readonly onStart?: (again: boolean) => void;
  readonly onPass?: () => void;
}

/** How long a request takes, there and back. */
const latency: readonly [number, number] = [3, 8];
const downtime: Duration = asDuration(5 * second);

/** A batch on its way. */
interface Sending {
  readonly batch: Batch;
  readonly answers: (Answer | undefined)[];
  /** The places of those that are still to be sent. */
  readonly left: number[];
}

export class Pump {
  readonly #options: PumpOptions;
  #port: OpenPort | undefined;
  #tenant: Tenant | undefined;
  #pass: Pass | undefined;
  #timer: Timer | undefined;
  /** When the pass that is waited for begins. */
  #dueAt: Instant | undefined;
  /** Something changed while a pass was under way. */
  #isStale = false;
  requests = 0;
  passes = 0;
  /** A chance of its own: other requests take as long as they would without it. */
  readonly #order: Random;

  constructor(options: PumpOptions) {
    this.#options = options;
    this.#order = options.random.fork('order');
  }

  get port(): OpenPort | undefined {
    return this.#port;
  }

  start(again = false): void {
    if (this.#port) return;
    const { port, tenant } = this.#options.open();
    this.#port = port;
    this.#tenant = tenant;
    port.onWake(() => this.#wake());
    this.#options.onStart?.(again);
    this.#schedule(after(this.#options.clock.now, gatherFor));
  }

  /** The process is gone between two requests, and comes back after a while with nothing but the cluster's memory. */
  crash(downFor: Duration = downtime): void {
    if (!this.#port) return;
    this.stop();
    this.#options.onCrash?.(downFor);
    this.#options.clock.in(downFor, () => this.start(true));
  }

  stop(): void {
    this.#timer?.cancel();
    this.#port?.close();
    this.#port = undefined;
    this.#tenant = undefined;
    this.#pass = undefined;
    this.#dueAt = undefined;
    this.#isStale = false;
  }

  #wake(): void {
    if (!this.#port) return;
    if (this.#pass) this.#isStale = true;
    else this.#schedule(after(this.#options.clock.now, gatherFor));
  }

  /** The earliest of what was asked for counts: changes that come while others are gathered do not put it off. */
  #schedule(at: Instant): void {
    if (this.#dueAt !== undefined && this.#dueAt <= at) return;
    this.#timer?.cancel();
    this.#dueAt = at;
    this.#timer = this.#options.clock.at(at, () => this.#begin());
  }

  #begin(): void {
    this.#dueAt = undefined;
    this.#isStale = false;
    this.passes++;
    this.#options.onPass?.();
    this.#pass = this.#tenant?.pass(this.#options.clock.now);
    this.#advance([]);
  }

  /** A generator drops the value of its first step. */
  #advance(answers: Answers): void {
    const step = this.#pass?.next(answers);
    if (!step) return;
    if (!step.done) {
      const batch = step.value;
      this.#sendNext({ batch, answers: batch.map(() => undefined), left: this.#shuffled(batch) });
      return;
    }
    this.#pass = undefined;
    const { now } = this.#options.clock;
    const rest = step.value;
    if (rest.again) this.#schedule(after(now, this.#latency()));
    else if (rest.wakeAt !== undefined) this.#schedule(rest.wakeAt > now ? rest.wakeAt : after(now, this.#latency()));
    if (this.#isStale) this.#schedule(after(now, gatherFor));
  }

  /** What is on its way at the same time arrives in any order. */
  #shuffled(batch: Batch): number[] {
    const order = [...batch.keys()];
    for (let last = order.length - 1; last > 0; last--) {
      const other = this.#order.whole(last + 1);
      [order[last], order[other]] = [order[other] as number, order[last] as number];
    }
    return order;
  }

  #sendNext(sending: Sending): void {
    const index = sending.left.pop();
    const request = index === undefined ? undefined : sending.batch[index];
    if (index === undefined || !request) this.#advance(sending.answers);
    else this.#timer = this.#options.clock.in(this.#latency(), () => this.#send(request, index, sending));
  }

  #send(request: Request, index: number, sending: Sending): void {
    this.requests++;
    const planned = this.#options.crashes?.find((crash) => crash.request === this.requests);
    if (planned?.when === 'before') {
      this.crash();
      return;
    }
    const answer = this.#port?.send(request);
    if (planned) this.crash();
    else if (answer) {
      sending.answers[index] = answer;
      if (answer.status === 'away') this.#advance(sending.answers);
      else this.#sendNext(sending);
    }
  }

  #latency(): Duration {
    const [from, to] = latency;
    return asDuration(from + this.#options.random.whole(to - from + 1));
  }
}
