// `lull uninstall`: how does a cluster get rid of Lull? Its program first, then everything it wrote (N10), then all that install made.
import type { Command } from 'commander';
import { type PolicyVersion, servedPolicyVersion } from '../kube/bornParked.ts';
import type { Connection } from '../kube/connection.ts';
import { whereIs, withCluster } from './asked.ts';
import { addClusterFlags, type ClusterFlags, usualNamespace } from './clusterFlags.ts';
import { alignColumns, wrap } from './columns.ts';
import { Failure, wrongUsage } from './failure.ts';
import { isNodePoolPatched } from './installNodePool.ts';
import type { Io } from './io.ts';
import { bornParkedIn } from './manifests/bornParked.ts';
import { type Manifest, titleOf } from './manifests/manifest.ts';
import { manifestsFor } from './manifests/manifests.ts';
import { tokenFor } from './manifests/workload.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { planRelease, type ReleaseStep, warnUnlimited } from './releasePlan.ts';
import { release } from './releasing.ts';
import { count } from './scene.ts';
import { dim, emptyLine, type Line, plain, styled } from './span.ts';
import {
  definitionToKeep,
  type Found,
  findInstalled,
  isBornParked,
  isDefinition,
  isWorkload,
  type Left,
  removeOne,
} from './uninstallRemove.ts';

interface Flags extends ClusterFlags {
  readonly namespace: string;
  readonly withCrds?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly output: Form;
}

const examples = `
Examples:
  # what would go
  $ lull uninstall --dry-run

  # let go of every node, then take Lull away; windows and schedules that people wrote stay
  $ lull uninstall

  # and those too, without a question
  $ lull uninstall --with-crds --yes
`;

export function addUninstall(program: Command, io: Io): void {
  const command = program
    .command('uninstall')
    .summary('take Lull out of a cluster again')
    .description(
      'Takes Lull out of a cluster: ends its Deployment, takes off everything that Lull wrote (lull release), and removes what `lull install` made. Definitions stay while objects of their kinds do, unless told otherwise.',
    )
    .option('--namespace <name>', 'where Lull lives', usualNamespace)
    .option('--with-crds', 'remove the definitions and with them every MaintenanceWindow and PodDisruptionSchedule')
    .option('--dry-run', 'print what would be removed and change nothing')
    .option('--yes', 'do not ask')
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((flags: Flags) => uninstallHere(flags, io));
  addClusterFlags(command);
}

interface Answer {
  readonly where: string;
  readonly isDry: boolean;
  /** Traces of Lull that were taken off before. */
  readonly released: readonly Omit<ReleaseStep, 'call'>[];
  readonly objects: readonly Left[];
  readonly notes: readonly string[];
}

async function uninstallHere(flags: Flags, io: Io): Promise<void> {
  await withCluster(flags, io, async (connection) => {
    const policies = (await servedPolicyVersion(connection.client)) ?? 'none';
    const found = await findInstalled(connection.client, everythingOf(flags.namespace, policies));
    const answer = flags.dryRun ? await plan(connection, found, flags) : await uninstall(connection, found, flags, io);
    io.progress?.('');
    printAnswer(io, flags.output, { value: () => answer, lines: () => render(answer, io.width) });
    const failed = answer.objects.filter(({ outcome }) => outcome === 'failed');
    if (failed.length > 0)
      throw new Failure(
        failed.map(({ object, message }) => ({ object, message: `${message} Uninstall again to go on.` })),
      );
  });
}

/** Whatever role or image it was installed with. */
function everythingOf(namespace: string, policies: PolicyVersion | 'none'): readonly Manifest[] {
  const wanted = { role: 'drive', namespace, settings: '', image: 'any', version: '' } as const;
  const atBirth = policies === 'none' ? [] : bornParkedIn(wanted, policies);
  const manifests = [...manifestsFor(wanted), ...atBirth, tokenFor(wanted, { token: '', 'read-token': '' })];
  const last = manifests.filter(({ kind }) => kind === 'Namespace');
  const definitions = manifests.filter(isDefinition);
  const others = manifests.filter((it) => !isDefinition(it) && !last.includes(it));
  return [...others.toReversed(), ...definitions, ...last];
}

async function plan(connection: Connection, found: readonly Found[], flags: Flags): Promise<Answer> {
  const objects: Left[] = [];
  for (const each of await withDefinitions(connection, found, flags)) {
    const { manifest, keptFor } = each;
    objects.push({
      object: titleOf(manifest),
      ...(keptFor === undefined ? { outcome: 'removed' } : { outcome: 'kept', message: keptFor }),
    });
  }
  return { where: whereIs(connection), isDry: true, released: [], objects, notes: [] };
}

async function uninstall(connection: Connection, found: readonly Found[], flags: Flags, io: Io): Promise<Answer> {
  const { client } = connection;
  if (!flags.yes) await mayGo(found, connection, io);
  const objects: Left[] = [];
  const remove = async (these: readonly Found[]): Promise<void> => {
    for (const each of these) objects.push(await removeOne(each, client, io));
  };
  const isOver = (): boolean => objects.every(({ outcome }) => outcome !== 'failed');
  // What still runs, or still parks new nodes, would write again what is taken off.
  const isFirst = ({ manifest }: Found): boolean => isWorkload(manifest) || isBornParked(manifest);
  await remove(found.filter(isFirst));
  let released: Answer['released'] = [];
  if (isOver()) {
    released = (await release(connection, {}, io)).steps.map(({ call: _, ...step }) => step);
    const rest = found.filter((each) => !isFirst(each));
    await remove(await withDefinitions(connection, rest, flags));
  }
  const notes = (await isNodePoolPatched(client)) ? [patchedStays] : [];
  return { where: whereIs(connection), isDry: false, released, objects, notes };
}

const patchedStays =
  "Karpenter's NodePool still has Lull's fields, since a pool may use them. Applying Karpenter's own CRD takes them away.";

async function mayGo(found: readonly Found[], connection: Connection, io: Io): Promise<void> {
  const going = found.filter(({ keptFor }) => keptFor === undefined).length;
  if (going === 0) return;
  const { pools } = await planRelease(connection, io, { now: io.now(), keepsUnlimited: false });
  const what = `${count(going, 'object')} of Lull, and all that it wrote, in ${whereIs(connection)}`;
  if (!io.confirm)
    throw wrongUsage(`This would remove ${what}.${warnUnlimited(pools)} Add --yes, or --dry-run to see which.`);
  if (!(await io.confirm(`Remove ${what}?${warnUnlimited(pools)}`))) throw wrongUsage('Nothing was changed.');
}

/** Asked as late as possible: what release removes holds no definition. */
async function withDefinitions(
  { client }: Connection,
  found: readonly Found[],
  { withCrds }: Flags,
): Promise<readonly Found[]> {
  if (withCrds) return found;
  return Promise.all(
    found.map(async (each) => {
      const keptFor = isDefinition(each.manifest) ? await definitionToKeep(client, each.manifest) : undefined;
      return keptFor === undefined ? each : { ...each, keptFor };
    }),
  );
}

function render({ where, isDry, released, objects, notes }: Answer, width: number): Line[] {
  if (objects.length === 0 && released.length === 0)
    return [[plain('there is nothing of Lull here'), dim(`  ${where}`)]];
  const rows = objects.map(({ object, outcome, message }): Line[] => [
    [outcome === 'failed' ? styled('red', outcome) : outcome === 'kept' ? dim(outcome) : plain(outcome)],
    [plain(object)],
    [dim(outcome === 'failed' ? '' : (message ?? ''))],
  ]);
  return [
    [plain(isDry ? 'would go' : 'Lull is taken out'), dim(`  ${where}`)],
    ...(released.length > 0
      ? [[plain(`  released  ${count(released.length, 'trace')} of Lull on nodes, claims, pods and pools`)]]
      : []),
    ...alignColumns(rows, { indent: 2, width }),
    ...notes.flatMap((note): Line[] => [emptyLine, ...wrap([plain(note)], width)]),
  ];
}
