// How does a tenant run on a real cluster? Its passes are pumped batch by batch, each awaited; between two requests it may be told to stop.
import { after, asDuration, type Instant, second } from '../time/instant.ts';
import type { Clock, Timer } from './clock.ts';
import {
  type Answer,
  type Answers,
  type Batch,
  gatherFor,
  type Pass,
  type Port,
  type Rest,
  type Tenant,
} from './port.ts';

/** A port that says when something has changed that was not its own (K5). */
export interface WakingPort extends Port {
  onWake(listener: () => void): void;
}

export interface LoopOptions {
  readonly port: WakingPort;
  readonly tenant: Tenant;
  readonly clock: Clock;
  /** Aborted: no further request is sent. One that is on its way already is waited for. */
  readonly signal: AbortSignal;
  /** Asked before each request as well: a process that was asleep hears of an abort too late. */
  readonly mayAct?: () => boolean;
  /** A pass that threw. It is a defect; the loop goes on after a while. Without this it ends, and throws. */
  readonly onError?: (error: unknown) => void;
}

/** How long a defect is left alone. */
const afterDefect = asDuration(30 * second);

/** Returns when it was told to stop. */
export async function runLoop(options: LoopOptions): Promise<void> {
  const { port, tenant, clock, signal } = options;
  const due = new Due(clock);
  const stop = (): void => due.now();
  signal.addEventListener('abort', stop, { once: true });
  port.onWake(() => due.by(after(clock.now, gatherFor)));
  due.by(after(clock.now, gatherFor));
  try {
    while (!signal.aborted) {
      await due.comes();
      if (signal.aborted) break;
      const rest = await onePass(tenant, options);
      // Nothing is due for a tenant that waits for a change only.
      if (rest?.again) due.by(clock.now);
      else if (rest?.wakeAt !== undefined) due.by(rest.wakeAt > clock.now ? rest.wakeAt : after(clock.now, gatherFor));
    }
  } finally {
    signal.removeEventListener('abort', stop);
    due.cancel();
  }
}

/** Undefined = it was told to stop in the middle. */
async function onePass(tenant: Tenant, options: LoopOptions): Promise<Rest | undefined> {
  const { clock, onError } = options;
  try {
    return await pump(tenant.pass(clock.now), options);
  } catch (error) {
    if (!onError) throw error;
    onError(error);
    return { again: false, wakeAt: after(clock.now, afterDefect) };
  }
}

async function pump(pass: Pass, { port, clock, signal, mayAct }: LoopOptions): Promise<Rest | undefined> {
  const sender: Sender = { port, isStopped: () => signal.aborted || mayAct?.() === false };
  let step = pass.next();
  while (!step.done) {
    const answers = sender.isStopped() ? undefined : await sendBatch(step.value, sender);
    if (signal.aborted) return undefined;
    // Whoever may not act at this moment, but was not told to stop, looks again.
    if (!answers || mayAct?.() === false) return { again: false, wakeAt: after(clock.now, second) };
    step = pass.next(answers);
  }
  return step.value;
}

interface Sender {
  readonly port: Port;
  readonly isStopped: () => boolean;
}

/** How many requests of a batch are handed to the port at the same time; it may let fewer leave. */
const atOnce = 32;

async function sendBatch(batch: Batch, { port, isStopped }: Sender): Promise<Answers> {
  const answers: (Answer | undefined)[] = batch.map(() => undefined);
  const waiting = batch.entries();
  let isAway = false;
  const worker = async (): Promise<void> => {
    for (const [index, request] of waiting) {
      if (isAway || isStopped()) return;
      const answer = await port.send(request);
      answers[index] = answer;
      isAway ||= answer.status === 'away';
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, batch.length) }, worker));
  return answers;
}

/** When the next pass begins: the earliest of all that was asked for. */
class Due {
  readonly #clock: Clock;
  #at: Instant | undefined;
  #timer: Timer | undefined;
  #hasCome = false;
  #resolve: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Changes that come while others are gathered do not put it off. */
  by(at: Instant): void {
    if (this.#at !== undefined && this.#at <= at) return;
    this.#timer?.cancel();
    this.#at = at;
    // Through a timer even where it is due at once: sockets want their turn between two passes.
    this.#timer = this.#clock.in(asDuration(Math.max(0, at - this.#clock.now)), () => this.now());
  }

  now(): void {
    this.#hasCome = true;
    this.#resolve?.();
  }

  async comes(): Promise<void> {
    if (!this.#hasCome) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
      });
    }
    this.cancel();
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#at = undefined;
    this.#resolve = undefined;
    this.#hasCome = false;
  }
}
