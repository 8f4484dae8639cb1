// Which objects does a command look at? Those of files, those of a cluster as it is now, or files over a cluster (L1).
import type { Settings } from '../cluster/settings.ts';
import { withTypes } from '../engine/withTypes.ts';
import { nameOfObject } from '../kinds/metadata.ts';
import type { Json } from '../kinds/reader.ts';
import { writeYaml } from '../kinds/writeYaml.ts';
import type { Connection } from '../kube/connection.ts';
import { readKarpenterTypes } from '../kube/karpenterTypes.ts';
import { isPolicy } from '../recording/policy.ts';
import type { ClusterIdentity } from '../server/source.ts';
import { type ClusterFlags, connectTo } from './clusterFlags.ts';
import { listCluster, readCluster, settingsThere } from './clusterInput.ts';
import { wrongUsage } from './failure.ts';
import { documentsIn, gatherInput, gatherReads, type Input, readDocument } from './input.ts';
import type { Io } from './io.ts';
import type { Form } from './output.ts';
import { type SettingsFlags, settingsFrom } from './settingsInput.ts';
import { slimmed } from './slim.ts';
import { readSources, type Source } from './sources.ts';
import { dim, paint } from './span.ts';
import { asField, identityOf, identityOfFiles, sayActsAs } from './whichCluster.ts';

export interface ObjectFlags extends SettingsFlags, ClusterFlags {
  readonly file?: readonly string[];
}

export interface Asked {
  readonly input: Input;
  readonly settings: Settings;
  /** Whom it asked, where that was a cluster: the answer says so. */
  readonly whom?: string;
  readonly cluster: ClusterIdentity;
}

/** A cluster was named, as kubectl lets one name it. */
export const namesCluster = ({ kubeconfig, context }: ClusterFlags): boolean =>
  kubeconfig !== undefined || context !== undefined;

/** Files alone where only they are given; else the cluster, and what files there are over it. */
export async function objectsAsked(flags: ObjectFlags, io: Io): Promise<Asked> {
  if (flags.file && !namesCluster(flags))
    return {
      settings: settingsFrom(flags),
      input: gatherInput(await readSources(flags.file, io)),
      cluster: identityOfFiles(flags.file),
    };
  return withCluster(meant(flags, io), io, async (connection) => {
    // Files first: what is wrong with them is known at once.
    const documents = flags.file ? documentsIn(await readSources(flags.file, io)) : [];
    const { settings: inForce, told } = await settingsAsked(flags, connection);
    const [live, { settings, from }] = await Promise.all([
      readCluster(connection, io),
      withKarpenterTypes(inForce, connection),
    ]);
    const { seen: _, ...input } = gatherReads([...live.reads, ...documents.map(readDocument)]);
    const over = flags.file ? ', with the files over it' : '';
    return {
      settings,
      input: { ...input, faults: [...live.faults, ...input.faults] },
      whom: `${whereIs(connection)}${over}; ${told}${from}`,
      cluster: await identityOf(connection),
    };
  });
}

/** F5: with the instance types that a Lull there would read from Karpenter. What cannot be read from here is left out. */
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

/** For those who show lines: the objects of a cluster as texts, each under its own name, and those of files after them. */
export async function textsAsked(
  flags: ObjectFlags,
  io: Io,
): Promise<Omit<Asked, 'input'> & { readonly sources: readonly Source[] }> {
  const given = flags.file ? await readSources(flags.file, io) : [];
  if (flags.file && !namesCluster(flags))
    return { settings: settingsFrom(flags), sources: given, cluster: identityOfFiles(flags.file) };
  return withCluster(meant(flags, io), io, async (connection) => {
    const { settings, told } = await settingsAsked(flags, connection);
    const { objects } = await listCluster(connection, io, (object) => slimmed(object));
    return {
      settings,
      sources: [...textsOf(objects), ...given],
      whom: `${whereIs(connection)}; ${told}`,
      cluster: await identityOf(connection),
    };
  });
}

/** What people wrote stands in a text of its own, as kubectl would show it; the many that nobody wrote line by line. */
function textsOf(objects: readonly Json[]): Source[] {
  const [written, made] = [objects.filter(isPolicy), objects.filter((object) => !isPolicy(object))];
  const lines = made.map((object) => JSON.stringify(object)).join('\n');
  const texts = written.map((object) => ({ file: nameOfObject(object), text: writeYaml(object) }));
  return lines === '' ? texts : [...texts, { file: 'cluster', text: lines }];
}

/** Whoever names nothing means the current context; where there is none, files may be what was forgotten. */
function meant(flags: ObjectFlags, io: Io): ClusterFlags {
  if (namesCluster(flags)) return flags;
  try {
    connectTo(flags, io).close();
    return flags;
  } catch (error) {
    throw wrongUsage(
      `There is nothing to look at. Name files with -f, or -f - for stdin. A cluster is not found either: ${(error as Error).message}`,
    );
  }
}

/** Opens a connection for as long as it is used. */
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

export const whereIs = (connection: Connection): string =>
  `context ${connection.context} (${connection.server.origin})${sayActsAs(asField(connection).as)}`;

/** A file of settings stands in the place of those in force there; single ones stand over them. */
async function settingsAsked(
  flags: SettingsFlags,
  connection: Connection,
): Promise<{ readonly settings: Settings; readonly told: string }> {
  if (flags.settings !== undefined) return { settings: settingsFrom(flags), told: 'settings as given' };
  const there = await settingsThere(connection);
  if (!flags.set) return there;
  const given = settingsFrom(flags);
  return { settings: overlaid(there.settings, given, flags.set), told: `${there.told}, with --set over them` };
}

function overlaid(below: Settings, given: Settings, pairs: readonly string[]): Settings {
  const keys = pairs.map((pair) => pair.slice(0, pair.indexOf('=')).trim() as keyof Settings);
  return { ...below, ...Object.fromEntries(keys.map((key) => [key, given[key]])) };
}

/** To the error stream, where people see it and programs do not stumble over it. */
export function tellWhom(whom: string | undefined, form: Form | 'text', io: Io): void {
  if (whom !== undefined && form === 'text') io.stderr(paint([[dim(`asked ${whom}`)]], io.color));
}
