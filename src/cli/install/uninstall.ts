// `lull uninstall`: removes Lull from a cluster: its workload first, then everything it wrote (N10), then what install created.
import { type Json, listIn, mapIn } from '../../kinds/read/reader.ts';
import { ledgerKind } from '../../kube/apiKind.ts';
import { bodyOf, isDone, isNotFound, messageOf } from '../../kube/apiReply.ts';
import { removeObject } from '../../kube/apply.ts';
import { bornParkedName, type PolicyVersion, servedPolicyVersion } from '../../kube/bornParked.ts';
import type { Client } from '../../kube/client.ts';
import type { Connection } from '../../kube/connection.ts';
import { pauseWindow } from '../../server/userRequests.ts';
import { asDuration } from '../../time/instant.ts';
import { describeConnection, withCluster } from '../clusterInput.ts';
import { Failure, wrongUsage } from '../failure.ts';
import type { ClusterFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { type OutputFormat, printAnswer } from '../output.ts';
import { planRelease, type ReleaseStep, warnUnlimited } from '../release/releasePlan.ts';
import { release } from '../release/releasing.ts';
import { alignColumns, count, dim, emptyLine, type Line, plain, styled, wrap } from '../span.ts';
import { isNodePoolPatched, type ObjectOutcome } from './installApply.ts';
import { bornParkedIn } from './manifests/birthPolicy.ts';
import { apiKindFor, isInstallsOwn, type Manifest, pathOf, titleOf } from './manifests/manifest.ts';
import { manifestsFor } from './manifests/manifests.ts';
import { tokenFor } from './manifests/workloadManifests.ts';

interface UninstallFlags extends ClusterFlags {
  readonly namespace: string;
  readonly withCrds?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly output: OutputFormat;
}

interface UninstallAnswer {
  readonly where: string;
  readonly isDry: boolean;
  /** Marks of Lull that were removed before. */
  readonly released: readonly Omit<ReleaseStep, 'call'>[];
  readonly objects: readonly ObjectOutcome[];
  readonly notes: readonly string[];
}

export async function uninstallHere(flags: UninstallFlags, io: Io): Promise<void> {
  await withCluster(flags, io, async (connection) => {
    const policies = (await servedPolicyVersion(connection.client)) ?? 'none';
    const found = await findInstalled(connection.client, everythingOf(flags.namespace, policies));
    const answer = flags.dryRun ? await plan(connection, found, flags) : await uninstall(connection, found, flags, io);
    io.progress?.('');
    await printAnswer(io, flags.output, { value: () => answer, lines: () => render(answer, io.width) });
    const failed = answer.objects.filter(({ outcome }) => outcome === 'failed');
    if (failed.length > 0)
      throw new Failure(
        failed.map(({ object, message }) => ({ object, message: `${message} Run uninstall again to continue.` })),
      );
  });
}

/** Everything that any role or image could have installed. */
function everythingOf(namespace: string, policies: PolicyVersion | 'none'): readonly Manifest[] {
  const wanted = { role: 'drive', namespace, settings: '', image: 'any', version: '' } as const;
  const atBirth = policies === 'none' ? [] : bornParkedIn(wanted, policies);
  const manifests = [...manifestsFor(wanted), ...atBirth, tokenFor(wanted, { token: '', 'read-token': '' })];
  const last = manifests.filter(({ kind }) => kind === 'Namespace');
  const definitions = manifests.filter(isDefinition);
  const others = manifests.filter((it) => !isDefinition(it) && !last.includes(it));
  return [...others.toReversed(), ...definitions, ...last];
}

async function plan(
  connection: Connection,
  found: readonly InstalledObject[],
  flags: UninstallFlags,
): Promise<UninstallAnswer> {
  const objects: ObjectOutcome[] = [];
  for (const each of await withDefinitions(connection, found, flags)) {
    const { manifest, keptFor } = each;
    objects.push({
      object: titleOf(manifest),
      ...(keptFor === undefined ? { outcome: 'removed' } : { outcome: 'kept', message: keptFor }),
    });
  }
  return { where: describeConnection(connection), isDry: true, released: [], objects, notes: [] };
}

async function uninstall(
  connection: Connection,
  found: readonly InstalledObject[],
  flags: UninstallFlags,
  io: Io,
): Promise<UninstallAnswer> {
  const { client } = connection;
  if (!flags.yes) await mayGo(found, connection, io);
  const objects: ObjectOutcome[] = [];
  const remove = async (these: readonly InstalledObject[]): Promise<void> => {
    for (const each of these) objects.push(await removeOne(each, client, io));
  };
  const isOver = (): boolean => objects.every(({ outcome }) => outcome !== 'failed');
  // What still runs, or still parks new nodes, would write the marks again.
  const isFirst = ({ manifest }: InstalledObject): boolean => isWorkload(manifest) || isBornParked(manifest);
  await remove(found.filter(isFirst));
  let released: UninstallAnswer['released'] = [];
  if (isOver()) {
    released = (await release(connection, {}, io)).steps.map(({ call: _, ...step }) => step);
    const rest = found.filter((each) => !isFirst(each));
    await remove(await withDefinitions(connection, rest, flags));
  }
  const notes = (await isNodePoolPatched(client)) ? [patchedStays] : [];
  return { where: describeConnection(connection), isDry: false, released, objects, notes };
}

const patchedStays =
  "Karpenter's NodePool CRD still has Lull's fields, since a pool may use them. Applying Karpenter's own CRD removes them.";

async function mayGo(found: readonly InstalledObject[], connection: Connection, io: Io): Promise<void> {
  const going = found.filter(({ keptFor }) => keptFor === undefined).length;
  if (going === 0) return;
  const { pools } = await planRelease(connection, io, { now: io.now(), keepsUnlimited: false });
  const what = `${count(going, 'object')} of Lull and everything it wrote, in ${describeConnection(connection)}`;
  if (!io.confirm)
    throw wrongUsage(`This would remove ${what}.${warnUnlimited(pools)} Add --yes, or --dry-run to see which.`);
  if (!(await io.confirm(`Remove ${what}?${warnUnlimited(pools)}`))) throw wrongUsage('Nothing was changed.');
}

/** Checked as late as possible: objects that release deletes do not keep a CRD. */
async function withDefinitions(
  { client }: Connection,
  found: readonly InstalledObject[],
  { withCrds }: UninstallFlags,
): Promise<readonly InstalledObject[]> {
  if (withCrds) return found;
  return Promise.all(
    found.map(async (each) => {
      const keptFor = isDefinition(each.manifest) ? await definitionToKeep(client, each.manifest) : undefined;
      return keptFor === undefined ? each : { ...each, keptFor };
    }),
  );
}

function render({ where, isDry, released, objects, notes }: UninstallAnswer, width: number): Line[] {
  if (objects.length === 0 && released.length === 0) return [[plain('nothing of Lull found'), dim(`  ${where}`)]];
  const rows = objects.map(({ object, outcome, message }): Line[] => [
    [outcome === 'failed' ? styled('red', outcome) : outcome === 'kept' ? dim(outcome) : plain(outcome)],
    [plain(object)],
    [dim(outcome === 'failed' ? '' : (message ?? ''))],
  ]);
  return [
    [plain(isDry ? 'would be removed' : 'Lull is uninstalled'), dim(`  ${where}`)],
    ...(released.length > 0
      ? [[plain(`  released  ${count(released.length, 'trace')} of Lull on nodes, claims, pods and pools`)]]
      : []),
    ...alignColumns(rows, { indent: 2, width }),
    ...notes.flatMap((note): Line[] => [emptyLine, ...wrap([plain(note)], width)]),
  ];
}

interface InstalledObject {
  readonly manifest: Manifest;
  /** Why it stays; absent = it is removed. */
  readonly keptFor?: string;
}

const isDefinition = ({ kind }: Manifest): boolean => kind === 'CustomResourceDefinition';
const isBornParked = ({ metadata }: Manifest): boolean => metadata.name === bornParkedName;
const isWorkload = ({ kind }: Manifest): boolean => kind === 'Deployment' || kind === 'CronJob';

/** The objects that exist. CRDs have no label; their names belong to Lull alone. */
async function findInstalled(client: Client, manifests: readonly Manifest[]): Promise<readonly InstalledObject[]> {
  const found: InstalledObject[] = [];
  for (const manifest of manifests) {
    const object = await read(client, manifest);
    if (!object) continue;
    const isOurs = isInstallsOwn(object) || (isDefinition(manifest) && !isHelms(object));
    found.push({ manifest, ...(!isOurs && { keptFor: '`lull install` did not create it.' }) });
  }
  return found;
}

/** Helm removes the CRDs of the chart. */
const isHelms = ({ metadata }: Json): boolean =>
  mapIn(mapIn(metadata).labels)['app.kubernetes.io/managed-by'] === 'Helm';

async function read(client: Client, manifest: Manifest): Promise<Json | undefined> {
  const reply = await client.request({ method: 'GET', path: pathOf(manifest) });
  if (reply.kind === 'silence') throw new Failure([{ message: `The cluster does not answer: ${reply.message}` }]);
  if (isDone(reply) || isNotFound(reply)) return bodyOf(reply);
  throw new Failure([{ object: titleOf(manifest), message: `It cannot be read: ${messageOf(reply.body)}` }]);
}

/** 120 tries, half a second apart: one minute, twice the grace period of a pod. */
const tries = 120;
const between = asDuration(500);

/** Returns when the object is gone, with all its dependents. */
async function removeOne({ manifest, keptFor }: InstalledObject, client: Client, io: Io): Promise<ObjectOutcome> {
  const object = titleOf(manifest);
  if (keptFor !== undefined) return { object, outcome: 'kept', message: keptFor };
  io.progress?.(`removing ${object}`);
  const removed = await removeObject(client, { kind: apiKindFor(manifest), object: manifest });
  if (removed.outcome === 'failed') return { object, outcome: 'failed', message: removed.message };
  for (let attempt = 0; await read(client, manifest); attempt++) {
    if (attempt === tries) return { object, outcome: 'failed', message: 'It is still being deleted after a minute.' };
    await io.wait?.(between);
  }
  return { object, outcome: 'removed' };
}

/** Deleting a CRD deletes every object of its kind. Objects that release deletes itself do not count. */
async function definitionToKeep(client: Client, manifest: Manifest): Promise<string | undefined> {
  const spec = mapIn(manifest.spec);
  const { kind, plural } = mapIn(spec.names);
  const [version] = listIn(spec, 'versions');
  const path = `/apis/${spec.group}/${version?.name}/${plural}`;
  const reply = await client.request({ method: 'GET', path, query: { limit: '500' } });
  if (reply.kind === 'silence') return `its objects cannot be listed: ${reply.message}`;
  if (reply.code === 404) return undefined;
  if (!isDone(reply)) return `its objects cannot be listed: ${messageOf(reply.body)}`;
  const names = listIn(bodyOf(reply), 'items').map(({ metadata }) => String(mapIn(metadata).name));
  const [first, ...rest] = names.filter((name) => kind !== ledgerKind && name !== pauseWindow({}).metadata.name);
  if (first === undefined) return undefined;
  const more = rest.length === 0 ? '' : ` and ${rest.length} more`;
  return `${kind} ${first}${more} would be deleted with it; --with-crds deletes them too.`;
}
