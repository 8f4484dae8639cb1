// What the watchdog thread and the main thread share: heartbeats, until when the lease is held, and their messages.
import type { ClusterSelection } from '../../kube/findAccess.ts';
import { asDuration, type Duration, second } from '../../time/instant.ts';
import type { Address } from './listen.ts';
import type { LogForm } from './liveLog.ts';

/** How often the main thread sends a heartbeat. */
export const beatEvery = asDuration(second);

const heldUntil = 0;
const beats = 1;
const nanosecondsEach = 1_000_000n;

/** Both threads read and write it at any moment without locks. Times are of the machine's monotonic clock, which they share. */
export class SharedState {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: BigInt64Array;

  constructor(buffer = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#cells = new BigInt64Array(buffer);
  }

  /** Whether the lease is held at this moment. */
  isHeld(): boolean {
    return process.hrtime.bigint() < Atomics.load(this.#cells, heldUntil);
  }

  /** `left` is called after the clock is read: a thread interrupted in between assumes too short a hold, never too long a one. */
  holdFor(left: () => Duration): void {
    const now = process.hrtime.bigint();
    Atomics.store(this.#cells, heldUntil, now + BigInt(Math.floor(left())) * nanosecondsEach);
  }

  loseHold(): void {
    Atomics.store(this.#cells, heldUntil, 0n);
  }

  beat(): void {
    Atomics.add(this.#cells, beats, 1n);
  }

  get beats(): bigint {
    return Atomics.load(this.#cells, beats);
  }
}

/** What the thread is started with. */
export interface WatchdogData {
  readonly state: SharedArrayBuffer;
  readonly place: ClusterSelection;
  readonly userAgent: string;
  readonly log: LogForm;
  /** How long the main thread may be busy before it counts as stuck. */
  readonly stuckAfter: Duration;
  readonly probes?: Address;
}

/** The response to a probe. */
export interface ProbeResponse {
  readonly status: number;
  readonly text: string;
}

export type Annotations = Readonly<Record<string, string>>;

export interface LeaseRequest {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
}

export type ToWatchdog =
  | { readonly kind: 'lead'; readonly lease: LeaseRequest }
  | { readonly kind: 'annotations'; readonly annotations: Annotations }
  /** The work that began with `leads` is over. */
  | { readonly kind: 'ended' }
  /** Release the lease once the work is over. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'ready'; readonly ready: ProbeResponse };

export type FromWatchdog =
  | { readonly kind: 'open'; readonly port?: number }
  | { readonly kind: 'unopened'; readonly message: string; readonly code?: string }
  | { readonly kind: 'leads' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'holder'; readonly holder?: string }
  | { readonly kind: 'fault'; readonly message: string; readonly code?: number }
  /** No more messages about the lease follow. */
  | { readonly kind: 'released' };
