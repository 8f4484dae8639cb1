// What does a live cluster hold now, and with which settings does its Lull decide? Listed once, and read as files are.
import type { Fault } from '../cluster/fault.ts';
import { defaultSettings, type Settings } from '../cluster/settings.ts';
import { readObject } from '../kinds/readObject.ts';
import type { ApiKind } from '../kube/apiKind.ts';
import type { Connection } from '../kube/connection.ts';
import { type FoundLease, findLease } from '../kube/findLease.ts';
import { listObjects } from '../kube/listing.ts';
import type { RawObject } from '../kube/rawObject.ts';
import { settingsInForce } from '../kube/settingsInForce.ts';
import { between, type Instant, second } from '../time/instant.ts';
import { usualLease, usualNamespace } from './clusterFlags.ts';
import { Failure } from './failure.ts';
import type { ReadAt } from './input.ts';
import type { Io } from './io.ts';

export interface Live {
  readonly reads: readonly ReadAt[];
  /** What the cluster does not know of. */
  readonly faults: readonly Fault[];
}

export async function readCluster(connection: Connection, io: Io): Promise<Live> {
  const { objects, unknown } = await listCluster(connection, io, (object): ReadAt => ({ read: readObject(object) }));
  return { reads: objects, faults: unknown.map(notInstalled) };
}

/** Every object of the kinds, as far as it is kept; what goes wrong is told with what to try. */
export async function listCluster<Kept>(
  connection: Connection,
  io: Io,
  keep: (object: RawObject) => Kept,
  kinds?: readonly ApiKind[],
): Promise<{ readonly objects: readonly Kept[]; readonly unknown: readonly ApiKind[] }> {
  const progress = openProgress(io);
  try {
    return await listObjects({
      client: connection.client,
      ...(kinds && { kinds }),
      keep,
      onProgress: (kind, count) => progress.show(`reading ${connection.context}: ${count} of ${kind}`),
    });
  } catch (error) {
    throw unreachable(connection, error);
  } finally {
    progress.clear();
  }
}

export const unreachable = ({ context }: Connection, error: unknown): Failure => {
  const message = error instanceof Error ? error.message : String(error);
  const look = context === 'in-cluster' ? 'kubectl get nodes' : `kubectl --context ${context} get nodes`;
  return new Failure([{ message: `${message.replace(/\.?$/, '.')} Check that \`${look}\` works.` }]);
};

const notInstalled = ({ kind, plural, apiVersion }: ApiKind): Fault => {
  const isKarpenters = kind === 'NodePool' || kind === 'NodeClaim';
  const help = isKarpenters ? 'Karpenter is not installed there, or is older than v1.' : '`lull install` brings it.';
  const message = `The cluster does not know ${plural} (${apiVersion}), so there are none. ${help}`;
  return { object: 'Cluster/-', path: 'kind', value: kind, message, severity: 'info' };
};

export interface InForceHere {
  readonly settings: Settings;
  /** Whose they are, in words. */
  readonly told: string;
}

/** Those of the Lull that leads there, or led last; the defaults where there is none. */
export async function settingsThere(connection: Connection): Promise<InForceHere> {
  const lease = await leaseOf(connection);
  if (!lease) return { settings: defaultSettings, told: 'default settings, since no Lull has run there' };
  const known = await settingsInForce(connection.client, lease.namespace, lease.name);
  if (known.status === 'unknown') return { settings: defaultSettings, told: `default settings: ${known.why}` };
  const missing = known.leftOut.length === 0 ? '' : `, but for ${known.leftOut.join(', ')}, which it does not tell`;
  const whose = known.holder === undefined ? 'the Lull that led last' : `${known.holder}, which leads there`;
  return { settings: known.settings, told: `role ${known.settings.role} and settings of ${whose}${missing}` };
}

export async function leaseOf(connection: Connection): Promise<FoundLease | undefined> {
  const { client, namespace, context } = connection;
  const own = namespace === undefined ? [] : [namespace];
  try {
    // Whoever runs beside it in the cluster may look into its own namespace alone.
    return await findLease(client, usualLease, context === 'in-cluster' ? own : [usualNamespace, ...own]);
  } catch (error) {
    throw unreachable(connection, error);
  }
}

/** What takes no longer than this needs no words. */
const patience = 2 * second;
/** A screen is not drawn more often. */
const drawEvery = second / 10;

/** Shows how far a long look has come, once it is one. */
export function openProgress(io: Io): { show(text: string): void; clear(): void } {
  const begun = io.now();
  let shownAt: Instant | undefined;
  return {
    show: (text) => {
      const now = io.now();
      if (!io.progress || between(begun, now) < patience) return;
      if (shownAt !== undefined && between(shownAt, now) < drawEvery) return;
      shownAt = now;
      io.progress(text);
    },
    clear: () => {
      if (shownAt !== undefined) io.progress?.('');
    },
  };
}
