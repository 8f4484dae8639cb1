// Does the API server answer, and who leads? What the lease, the watches and the requests hear, told when it changes (K2).
import { wallClock } from '../kube/machine.ts';
import type { Answer } from '../runtime/port.ts';
import { asDuration, between, type Instant, second } from '../time/instant.ts';
import type { Log } from './liveLog.ts';
import type { LiveSource } from './liveSource.ts';
import { Waiting } from './liveWaiting.ts';

export interface ContactOptions {
  readonly log: Log;
  readonly source: LiveSource;
  readonly identity: string;
  readonly namespace: string;
  /** Absent = it leads without one. */
  readonly lease?: unknown;
}

/** Without a lease nobody asks regularly: where no watch has failed for this long, the server is back. */
const quiet = asDuration(10 * second);

/** Said by the server itself, and about what was asked: it is there. */
const isSaid = /^\w+: [1-4]\d\d: /;

export class Contact {
  readonly #options: ContactOptions;
  readonly #away: Waiting;
  readonly #leaseless: Waiting;
  #holder: string | undefined;
  #troubledAt: Instant | undefined;

  constructor(options: ContactOptions) {
    this.#options = options;
    this.#away = new Waiting(options.log, { kind: 'away', over: 'back' });
    this.#leaseless = new Waiting(options.log, { kind: 'waiting', over: 'lease', isUrgent: true });
  }

  /** Each time the lease was read or written. */
  heldBy(holder: string | undefined): void {
    const { source, identity, log } = this.#options;
    this.#answers();
    for (const told of this.#leaseless.isOver(wallClock.now)) log(told);
    source.ledBy(holder === identity ? undefined : holder);
    if (holder === this.#holder) return;
    this.#holder = holder;
    if (holder !== undefined && holder !== identity) log({ kind: 'standby', text: `${holder} leads`, holder });
  }

  leaseFault(message: string, code?: number): void {
    if (code === undefined || code >= 500) this.#trouble(message);
    // 409: another was faster, which the next look shows.
    else if (code !== 409) this.#leaseless.goesOn(wallClock.now, String(code), `${message}. ${this.#remedy(code)}`);
  }

  watchFault(message: string): void {
    if (!isSaid.test(message)) this.#trouble(message);
  }

  answered(answer: Answer): void {
    if (answer.status === 'away') this.#trouble(answer.message);
    else this.#answers();
  }

  hasDecided(now: Instant): void {
    if (this.#options.lease === undefined && this.#troubledAt !== undefined && between(this.#troubledAt, now) > quiet)
      this.#answers();
  }

  #trouble(message: string): void {
    this.#troubledAt = wallClock.now;
    const text = `The API server does not answer, so nothing is started: ${message}`;
    this.#away.goesOn(this.#troubledAt, 'away', text);
  }

  #answers(): void {
    this.#troubledAt = undefined;
    for (const told of this.#away.isOver(wallClock.now)) this.#options.log(told);
  }

  #remedy(code: number): string {
    const { namespace } = this.#options;
    if (code === 404) return `Make namespace ${namespace} (\`lull install\` does), or name another with --namespace.`;
    if (code === 403) return `\`lull install\` brings the rights; --namespace names another place for the lease.`;
    return 'It is tried again.';
  }
}
