// A live cluster as input: listed once and read like files, with the settings of its Lull.
import type { Fault } from '../cluster/fault.ts';
import { defaultSettings, type Settings } from '../cluster/settings.ts';
import { withTypes } from '../engine/placement/price.ts';
import { nameOfObject } from '../kinds/read/metadata.ts';
import type { Json } from '../kinds/read/reader.ts';
import { readObject } from '../kinds/readObject.ts';
import { writeYaml } from '../kinds/text/writeYaml.ts';
import type { ApiKind } from '../kube/apiKind.ts';
import { type Connection, connect, readClusterUid } from '../kube/connection.ts';
import type { ClusterSelection } from '../kube/findAccess.ts';
import { readKarpenterTypes } from '../kube/karpenterTypes.ts';
import { type FoundLease, findLease, settingsInForce } from '../kube/leaseSeen.ts';
import { listObjects } from '../kube/listing.ts';
import type { RawObject } from '../kube/rawObject.ts';
import { isPolicy } from '../recording/whatIfPolicy.ts';
import type { ClusterIdentity } from '../server/roundSource.ts';
import { between, type Instant, second } from '../time/instant.ts';
import { Failure, messageOf, wrongUsage } from './failure.ts';
import {
  type ClusterFlags,
  namesCluster,
  type ObjectFlags,
  type SettingsFlags,
  usualLease,
  usualNamespace,
} from './flags.ts';
import {
  documentsIn,
  gatherReads,
  type LoadedObjects,
  type LoadedTexts,
  type LocatedRead,
  readDocument,
} from './input.ts';
import type { Io } from './io.ts';
import { settingsFrom } from './settingsInput.ts';
import { slimmed } from './snapshot/slim.ts';
import { readSources, type SourceText } from './sources.ts';
import { asField, describeImpersonation } from './whichCluster.ts';

export const objectsOfCluster = (flags: ObjectFlags, io: Io): Promise<LoadedObjects> =>
  withCluster(checkedFlags(flags, io), io, async (connection) => {
    // Files first, so that their errors are reported before the cluster is listed.
    const documents = flags.file ? documentsIn(await readSources(flags.file, io)) : [];
    const { settings: effective, description } = await effectiveSettings(flags, connection);
    const [live, { settings, from }] = await Promise.all([
      readCluster(connection, io),
      withKarpenterTypes(effective, connection),
    ]);
    const { seen: _, ...input } = gatherReads([...live.reads, ...documents.map(readDocument)]);
    const over = flags.file ? ', overridden by the files' : '';
    return {
      settings,
      input: { ...input, faults: [...live.faults, ...input.faults] },
      origin: `${describeConnection(connection)}${over}; ${description}${from}`,
      cluster: await identityOf(connection),
    };
  });

/** Adds the instance types that a Lull there would read from Karpenter (F5), as far as they can be read from here. */
async function withKarpenterTypes(
  settings: Settings,
  { client, context }: Connection,
): Promise<{ readonly settings: Settings; readonly from: string }> {
  const { karpenterMetrics: where } = settings;
  const read =
    where === 'off' ? undefined : await readKarpenterTypes({ where, client, isInside: context === 'in-cluster' });
  if (!read || 'why' in read) return { settings, from: '' };
  return { settings: withTypes(settings, read.types), from: `; instance types from ${read.from}` };
}

export const textsOfCluster = (flags: ObjectFlags, given: readonly SourceText[], io: Io): Promise<LoadedTexts> =>
  withCluster(checkedFlags(flags, io), io, async (connection) => {
    const { settings, description } = await effectiveSettings(flags, connection);
    const { objects } = await listCluster(connection, io, (object) => slimmed(object));
    return {
      settings,
      sources: [...textsOf(objects), ...given],
      origin: `${describeConnection(connection)}; ${description}`,
      cluster: await identityOf(connection),
    };
  });

/** Policy objects as YAML texts of their own, all others as one text with a line each. */
function textsOf(objects: readonly Json[]): SourceText[] {
  const [policies, others] = [objects.filter(isPolicy), objects.filter((object) => !isPolicy(object))];
  const lines = others.map((object) => JSON.stringify(object)).join('\n');
  const texts = policies.map((object) => ({ file: nameOfObject(object), text: writeYaml(object) }));
  return lines === '' ? texts : [...texts, { file: 'cluster', text: lines }];
}

/** Without flags the current context is used; if there is none, the error also suggests files. */
function checkedFlags(flags: ObjectFlags, io: Io): ClusterFlags {
  if (namesCluster(flags)) return flags;
  try {
    connectTo(flags, io).close();
    return flags;
  } catch (error) {
    throw wrongUsage(
      `No input. Name files with -f, or use -f - for stdin. No cluster was found either: ${messageOf(error)}`,
    );
  }
}

/** Opens a connection, and closes it after use. */
export async function withCluster<Result>(
  flags: ClusterFlags,
  io: Io,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = connectTo(flags, io);
  try {
    return await use(connection);
  } finally {
    connection.close();
  }
}

export const describeConnection = (connection: Connection): string =>
  `context ${connection.context} (${connection.server.origin})${describeImpersonation(asField(connection).as)}`;

/** --settings replaces the settings of the Lull there; --set overrides single ones. */
async function effectiveSettings(
  flags: SettingsFlags,
  connection: Connection,
): Promise<{ readonly settings: Settings; readonly description: string }> {
  if (flags.settings !== undefined) return { settings: settingsFrom(flags), description: 'settings as given' };
  const installed = await settingsThere(connection);
  if (!flags.set) return installed;
  const given = settingsFrom(flags);
  return {
    settings: overridden(installed.settings, given, flags.set),
    description: `${installed.description}, overridden by --set`,
  };
}

function overridden(below: Settings, given: Settings, pairs: readonly string[]): Settings {
  const keys = pairs.map((pair) => pair.slice(0, pair.indexOf('=')).trim() as keyof Settings);
  return { ...below, ...Object.fromEntries(keys.map((key) => [key, given[key]])) };
}

export const placeOf = ({ kubeconfig, context }: ClusterFlags): ClusterSelection => ({
  ...(kubeconfig !== undefined && { kubeconfig }),
  ...(context !== undefined && { context }),
});

export const userAgentOf = ({ version }: Pick<Io, 'version'>): string => `lull/${version}`;

/** The caller closes the connection. It does not contact the server yet. */
export function connectTo(flags: ClusterFlags, io: Io): Connection {
  try {
    return connect(placeOf(flags), userAgentOf(io));
  } catch (error) {
    throw new Failure([{ message: `${messageOf(error)} Name a cluster with --kubeconfig FILE and --context NAME.` }], {
      cause: error,
    });
  }
}

/** Reads the identity from the cluster itself. */
export async function identityOf(connection: Connection): Promise<ClusterIdentity> {
  const { client, context, server } = connection;
  const uid = await readClusterUid(client);
  return {
    kind: 'cluster',
    name: context,
    ...(uid !== undefined && { uid }),
    server: server.origin,
    ...asField(connection),
  };
}

export interface ListedCluster {
  readonly reads: readonly LocatedRead[];
  /** Kinds that are not installed in the cluster. */
  readonly faults: readonly Fault[];
}

export async function readCluster(connection: Connection, io: Io): Promise<ListedCluster> {
  const { objects, unknown } = await listCluster(
    connection,
    io,
    (object): LocatedRead => ({ read: readObject(object) }),
  );
  return { reads: objects, faults: unknown.map(notInstalled) };
}

/** Lists every object of the kinds, mapped by `keep`. Errors name a command to try. */
export async function listCluster<Item>(
  connection: Connection,
  io: Io,
  keep: (object: RawObject) => Item,
  kinds?: readonly ApiKind[],
): Promise<{ readonly objects: readonly Item[]; readonly unknown: readonly ApiKind[] }> {
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
  const look = context === 'in-cluster' ? 'kubectl get nodes' : `kubectl --context ${context} get nodes`;
  return new Failure([{ message: `${messageOf(error).replace(/\.?$/, '.')} Check that \`${look}\` works.` }]);
};

const notInstalled = ({ kind, plural, apiVersion }: ApiKind): Fault => {
  const isKarpenters = kind === 'NodePool' || kind === 'NodeClaim';
  const help = isKarpenters ? 'Karpenter is not installed, or is older than v1.' : '`lull install` adds it.';
  const message = `The cluster has no kind ${plural} (${apiVersion}). ${help}`;
  return { object: 'Cluster/-', path: 'kind', value: kind, message, severity: 'info' };
};

export interface InstalledSettings {
  readonly settings: Settings;
  /** Where they come from, as text. */
  readonly description: string;
}

/** The settings of the Lull that leads there or led last; the defaults if there was none. */
export async function settingsThere(connection: Connection): Promise<InstalledSettings> {
  const lease = await leaseOf(connection);
  if (!lease) return { settings: defaultSettings, description: 'default settings, since no Lull has run there' };
  const known = settingsInForce(lease);
  if ('why' in known) return { settings: defaultSettings, description: `default settings: ${known.why}` };
  const missing = known.leftOut.length === 0 ? '' : `, except ${known.leftOut.join(', ')}, which it does not publish`;
  const whose = lease.holder === undefined ? 'the Lull that led last' : `${lease.holder}, the leader`;
  return { settings: known.settings, description: `role ${known.settings.role} and settings of ${whose}${missing}` };
}

export async function leaseOf(connection: Connection): Promise<FoundLease | undefined> {
  const { client, namespace, context } = connection;
  const own = namespace === undefined ? [] : [namespace];
  try {
    // A pod in the cluster may read leases only in its own namespace.
    return await findLease(client, usualLease, context === 'in-cluster' ? own : [usualNamespace, ...own]);
  } catch (error) {
    throw unreachable(connection, error);
  }
}

/** Shorter commands show no progress. */
const quietFor = 2 * second;
/** The shortest time between two updates. */
const drawEvery = second / 10;

/** Progress of a command, shown once it has taken a while. */
export function openProgress(io: Io): { show(text: string): void; clear(): void } {
  const begun = io.now();
  let shownAt: Instant | undefined;
  return {
    show: (text) => {
      const now = io.now();
      if (!io.progress || between(begun, now) < quietFor) return;
      if (shownAt !== undefined && between(shownAt, now) < drawEvery) return;
      shownAt = now;
      io.progress(text);
    },
    clear: () => {
      if (shownAt !== undefined) io.progress?.('');
    },
  };
}
