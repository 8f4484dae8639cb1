// A process's connection to a real cluster: one client for all requests, with this machine's clock and randomness.
import { mapIn } from '../kinds/read/reader.ts';
import type { Duration, Instant } from '../time/instant.ts';
import { bodyOf } from './apiReply.ts';
import { type Client, openClient } from './client.ts';
import type { Impersonation } from './clusterAccess.ts';
import { type ClusterSelection, findAccess } from './findAccess.ts';
import { KubePort, type KubePortOptions } from './kubePort.ts';
import { type HeldLease, type LeaseOptions, whileLeading } from './lease.ts';
import { chance, steadyClock, wallClock } from './machine.ts';
import { openReporter, type Reporter, type ReporterOptions } from './reporter.ts';

/** Options that the machine provides. */
type MachineOption = 'client' | 'clock' | 'chance' | 'wallNow';

export interface Connection {
  readonly context: string;
  readonly server: URL;
  /** The impersonated user of every request; absent = the user of the credentials. */
  readonly actsAs?: Impersonation;
  /** The namespace of the context or of the pod we run in, if any. */
  readonly namespace?: string;
  readonly client: Client;
  /** Begins to watch at once. */
  openPort(options?: Omit<KubePortOptions, MachineOption>): KubePort;
  /** Writes the statuses and events of the rounds it is given. */
  openReporter(options: Omit<ReporterOptions, MachineOption>): Reporter;
  /** Works while the lease is held, until the signal of the options aborts. */
  whileLeading(options: Omit<LeaseOptions, MachineOption>, work: (held: HeldLease) => Promise<void>): Promise<void>;
  close(): void;
}

/** Throws an Error with a message for the user if no such cluster is configured; whether it answers is found out later. */
export function connect(place: ClusterSelection, userAgent: string): Connection {
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

/** Sends requests only while that is allowed. */
const guarded = (client: Client, mayLeave: (() => boolean) | undefined): Client =>
  mayLeave ? { ...client, request: (call) => client.request({ ...call, mayLeave }) } : client;

/** The UID of the kube-system namespace, unique to the cluster. Undefined if the API server does not answer or does not allow it. */
export async function readClusterUid(client: Client, timeout?: Duration): Promise<string | undefined> {
  const path = '/api/v1/namespaces/kube-system';
  const reply = await client.request({ method: 'GET', path, ...(timeout !== undefined && { timeout }) });
  const { uid } = mapIn(bodyOf(reply)?.metadata);
  return typeof uid === 'string' && uid !== '' ? uid : undefined;
}
