// The loop that runs a reconciler pass by pass, on a real cluster and in the simulator. Callbacks alone drive it: the clock and the
// port it is given decide whether time is real or virtual, and when a response comes.
import { after, asDuration, type Duration, type Instant, second } from '../time/instant.ts';
import type { Clock, Timer } from './clock.ts';
import {
  type ApiRequest,
  type ApiResponse,
  type ApiResponses,
  type Batch,
  gatherFor,
  type Pass,
  type Port,
  type Reconciler,
  type Rest,
} from './port.ts';

/** A port that calls back when something changed that this process did not write itself (K5). */
export interface WakingPort extends Port {
  onWake(listener: () => void): void;
}

export interface LoopParts {
  readonly reconciler: Reconciler;
  readonly clock: Clock;
  /** Sends a request. `answered` is called later, never before this returns. */
  readonly send: (request: ApiRequest, answered: (answer: ApiResponse) => void) => void;
  readonly onWake: (listener: () => void) => void;
  /** Checked before each request: a process that was suspended may learn too late that it must stop. */
  readonly mayAct?: () => boolean;
  /** Called when a pass throws, which is a defect; the loop continues after a while. Absent = the error is thrown to the caller. */
  readonly onError?: (error: unknown) => void;
  /** How long it takes until the next pass after something was done. Absent = no delay. */
  readonly turnaround?: () => Duration;
}

/** How long to wait after a defect. */
const afterDefect = asDuration(30 * second);

/** How many requests of a batch are in flight at the same time; the port may send fewer. */
const atOnce = 32;

/** One run of a reconciler: it starts once, and ends once. */
export class Loop {
  readonly #parts: LoopParts;
  #pass: Pass | undefined;
  #timer: Timer | undefined;
  /** When the next pass begins. */
  #dueAt: Instant | undefined;
  /** Something changed during a pass. */
  #isStale = false;
  #isOver = false;
  #onStopped: (() => void) | undefined;

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  start(): void {
    const { clock, onWake } = this.#parts;
    onWake(() => this.#wake());
    this.#schedule(after(clock.now, gatherFor));
  }

  /** Sends no further request. Waits for those in flight. */
  stop(onStopped: () => void): void {
    this.#onStopped = onStopped;
    if (!this.#pass) this.#end();
  }

  /** The process is gone: nothing has an effect after this. */
  kill(): void {
    this.#isOver = true;
    this.#pass = undefined;
    this.#timer?.cancel();
  }

  /** Ends the current pass as if it had thrown this error. */
  fail(error: unknown): void {
    if (!this.#pass) return;
    this.#guarded(() => {
      throw error;
    });
  }

  #end(): void {
    this.kill();
    this.#onStopped?.();
  }

  #wake(): void {
    if (this.#pass) this.#isStale = true;
    else this.#schedule(after(this.#parts.clock.now, gatherFor));
  }

  /** The earliest requested time counts: changes that arrive while others are gathered do not delay the pass. */
  #schedule(at: Instant): void {
    if (this.#isOver || (this.#dueAt !== undefined && this.#dueAt <= at)) return;
    const { clock } = this.#parts;
    this.#timer?.cancel();
    this.#dueAt = at;
    // Use a timer even for zero delay: sockets need to be served between two passes.
    this.#timer = clock.in(asDuration(Math.max(0, at - clock.now)), () => this.#begin());
  }

  #begin(): void {
    this.#dueAt = undefined;
    this.#isStale = false;
    this.#guarded(() => {
      const { reconciler, clock } = this.#parts;
      this.#pass = reconciler.pass(clock.now);
      this.#goOn(this.#pass);
    });
  }

  /** A generator ignores the value passed to its first `next`. */
  #goOn(pass: Pass, answers: ApiResponses = []): void {
    const step = pass.next(answers);
    if (step.done) this.#rest(step.value);
    else if (this.#isHeldBack()) this.#lookAgain();
    else this.#send(step.value, pass);
  }

  #send(batch: Batch, pass: Pass): void {
    const answers: (ApiResponse | undefined)[] = batch.map(() => undefined);
    const waiting = batch.entries();
    let underway = 0;
    let isAway = false;
    const fill = (): void => {
      while (underway < atOnce && !isAway && !this.#isHeldBack()) {
        const { value: next } = waiting.next();
        if (!next) break;
        const [index, request] = next;
        underway++;
        this.#parts.send(request, (answer) => {
          // The run or the pass that sent it is over.
          if (this.#pass !== pass) return;
          underway--;
          answers[index] = answer;
          isAway ||= answer.status === 'away';
          this.#guarded(fill);
        });
      }
      if (underway > 0) return;
      if (this.#isHeldBack()) this.#lookAgain();
      else this.#goOn(pass, answers);
    };
    fill();
  }

  #isHeldBack(): boolean {
    return this.#onStopped !== undefined || this.#parts.mayAct?.() === false;
  }

  /** For a reconciler that may not act now: its requests belong to a round that will be outdated by the time it may. */
  #lookAgain(): void {
    this.#rest({ again: false, wakeAt: after(this.#parts.clock.now, second) });
  }

  #rest(rest: Rest): void {
    this.#pass = undefined;
    if (this.#onStopped) {
      this.#end();
      return;
    }
    const { clock, turnaround } = this.#parts;
    const soon = after(clock.now, gatherFor);
    if (rest.again) this.#schedule(turnaround ? after(clock.now, turnaround()) : clock.now);
    else if (rest.wakeAt !== undefined) this.#schedule(rest.wakeAt > clock.now ? rest.wakeAt : soon);
    if (this.#isStale) this.#schedule(soon);
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      const { onError, clock } = this.#parts;
      if (!onError) throw error;
      onError(error);
      this.#rest({ again: false, wakeAt: after(clock.now, afterDefect) });
    }
  }
}

export interface LoopOptions extends Pick<LoopParts, 'reconciler' | 'clock' | 'mayAct' | 'onError'> {
  readonly port: WakingPort;
  /** Aborted: no further request is sent. */
  readonly signal: AbortSignal;
}

/** Runs a loop over a real port until the signal aborts. Without `onError` a defect ends it. */
export function runLoop({ port, signal, ...options }: LoopOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const loop: Loop = new Loop({
      onError: (error) => {
        loop.kill();
        reject(error);
      },
      ...options,
      send: (request, answered) => {
        Promise.resolve(port.send(request)).then(answered, (error) => loop.fail(error));
      },
      onWake: (listener) => port.onWake(listener),
    });
    if (signal.aborted) {
      resolve();
      return;
    }
    signal.addEventListener('abort', () => loop.stop(resolve), { once: true });
    loop.start();
  });
}
