// How does a process stand to a real cluster? One client for all it asks, on this machine's time and chance.
import type { Instant } from '../time/instant.ts';
import type { Client } from './client.ts';
import { openClient } from './client.ts';
import { findAccess, type Place } from './findAccess.ts';
import type { Impersonation } from './impersonation.ts';
import { KubePort, type KubePortOptions } from './kubePort.ts';
import { type Held, whileLeading } from './leading.ts';
import type { LeaseOptions } from './lease.ts';
import { chance, steadyClock, wallClock } from './machine.ts';
import { openReporter, type Reporter, type ReporterOptions } from './reporter.ts';

/** What the machine gives need not be given. */
type Given = 'client' | 'clock' | 'chance' | 'wallNow';

export interface Connection {
  readonly context: string;
  readonly server: URL;
  /** Whom every request acts as; absent = whoever the credentials are. */
  readonly actsAs?: Impersonation;
  /** Where the context, or the pod we run in, says one. */
  readonly namespace?: string;
  readonly client: Client;
  /** Begins to watch at once. */
  openPort(options?: Omit<KubePortOptions, Given>): KubePort;
  /** Statuses and events of the rounds it is told of. */
  openReporter(options: Omit<ReporterOptions, Given>): Reporter;
  /** Works while the lease is held, until the signal of the options. */
  whileLeading(options: Omit<LeaseOptions, Given>, work: (held: Held) => Promise<void>): Promise<void>;
  close(): void;
}

/** Throws in words where there is no such cluster to be found; whether it answers is seen later. */
export function connect(place: Place, userAgent: string): Connection {
  const { access, context, namespace } = findAccess(place);
  const client = openClient(access, steadyClock, userAgent);
  const machine = { client, clock: steadyClock, chance };
  const wallNow = (): Instant => wallClock.now;
  return {
    context,
    server: access.server,
    ...(access.actsAs && { actsAs: access.actsAs }),
    ...(namespace !== undefined && { namespace }),
    client,
    openPort: (options = {}) => new KubePort({ ...options, ...machine }),
    openReporter: (options) =>
      openReporter({ ...options, ...machine, client: guarded(client, options.mayAct), wallNow }),
    whileLeading: (options, work) => whileLeading({ ...options, ...machine, wallNow }, work),
    close: () => client.close(),
  };
}

/** What it is asked for leaves only while that is allowed. */
const guarded = (client: Client, mayLeave: (() => boolean) | undefined): Client =>
  mayLeave ? { ...client, request: (call) => client.request({ ...call, mayLeave }) } : client;
