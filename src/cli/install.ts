// `lull install`: what does a cluster need for Lull to run in it? Definitions, rights with only the verbs used, policies that hold Lull itself, and Lull.
import { type Command, Option } from 'commander';
import { writeYaml } from '../kinds/writeYaml.ts';
import { bornParkedName, servedPolicyVersion } from '../kube/bornParked.ts';
import { addClusterFlags, type ClusterFlags, connectTo, usualNamespace } from './clusterFlags.ts';
import { Failure } from './failure.ts';
import { listFlag } from './flags.ts';
import { applyAll, type Done, endBornParked, makeToken } from './installApply.ts';
import { netNotes } from './installNets.ts';
import { patchedNote, patchNodePool } from './installNodePool.ts';
import { type PlanFlags, planFor, planFromFlags } from './installPlan.ts';
import { failuresIn, renderInstalled } from './installText.ts';
import type { Io } from './io.ts';
import type { Manifest, Wanted } from './manifests/manifest.ts';
import { manifestsFor } from './manifests/manifests.ts';
import { readTokenKey, tokenSecret } from './manifests/workload.ts';
import { type Form, printAnswer } from './output.ts';
import { asField } from './whichCluster.ts';

interface Flags extends PlanFlags, ClusterFlags {
  readonly patchNodepoolCrd?: boolean;
  readonly forceConflicts?: boolean;
  readonly dryRun?: boolean;
  readonly output?: Form;
}

const examples = `
Examples:
  # what Lull needs to look on, in the cluster of the current context; it writes nothing on nodes
  $ lull install

  # what it would make, for review or for git; no cluster is asked
  $ lull install --set role=guide --dry-run > lull.yaml

  # let it guide, and run it there; no image is published, so build one
  $ lull install --set role=guide --image registry.example.com/lull:1.0

  # again after an upgrade: settings and image stay as they are, and what has not changed is told so
  $ lull install
`;

export function addInstall(program: Command, io: Io): void {
  addClusterFlags(
    program
      .command('install')
      .summary('put into a cluster what Lull needs there')
      .description(
        "Puts into a cluster what Lull needs there: its CustomResourceDefinitions, a namespace, rights with only the verbs that its role uses, policies by which the API server holds Lull to its own annotations and, in guide, parks new nodes from birth, its settings, and, with --image, Lull itself. Run again it changes only what differs. Fields that others have written are not taken from them, and Karpenter's NodePool is not touched, unless told so.",
      )
      .option('--namespace <name>', 'where Lull lives', usualNamespace)
      .option(
        '--image <image>',
        'a container image of Lull: makes the Deployment and the job that releases stale nodes',
      )
      .option('--settings <file>', 'settings in YAML or JSON, instead of those that are installed')
      .option('--set <key=value>', 'one setting, before the file or those that are installed; repeatable', listFlag)
      .option('--patch-nodepool-crd', "add Lull's fields to Karpenter's NodePool (lull crds --patch-nodepool)")
      .option('--force-conflicts', 'take fields that others have written otherwise')
      .option('--dry-run', 'print the manifests, from the flags alone, and change nothing')
      .addOption(
        new Option('-o, --output <form>', 'how to write the answer (default: text, and yaml for a dry run)').choices([
          'text',
          'json',
          'yaml',
        ]),
      ),
  )
    .addHelpText('after', examples)
    .action((flags: Flags) => install(flags, io));
}

async function install(flags: Flags, io: Io): Promise<void> {
  if (flags.dryRun) {
    const wanted = planFromFlags(flags, io.version);
    printManifests(manifestsFor(wanted), flags.output === 'json' ? 'json' : 'yaml', io);
    for (const note of [...notesOn(wanted), ...tokenNote(wanted)]) io.stderr(`${note}\n`);
    return;
  }
  const connection = connectTo(flags, io);
  try {
    const { wanted: planned, kept } = await planFor(connection.client, flags, io.version);
    const wanted = { ...planned, policies: (await servedPolicyVersion(connection.client)) ?? 'none' } as const;
    const done = await carryOut(wanted, flags, { client: connection.client, io, force: flags.forceConflicts === true });
    const failures = failuresIn(done);
    const nets = wanted.role === 'guide' ? await netNotes(connection.client, io) : [];
    const notes = failures.length > 0 ? [] : [...keptNote(kept), ...notesOn(wanted), ...crdNote(flags), ...nets];
    const answer = {
      context: connection.context,
      ...asField(connection),
      namespace: wanted.namespace,
      role: wanted.role,
      objects: done,
      notes,
    };
    printAnswer(io, flags.output ?? 'text', { value: () => answer, lines: () => renderInstalled(answer, io.width) });
    if (failures.length > 0) throw new Failure(failures);
  } finally {
    connection.close();
  }
}

async function carryOut(
  wanted: Wanted,
  flags: Flags,
  installing: Parameters<typeof applyAll>[1],
): Promise<readonly Done[]> {
  const { client } = installing;
  // What another role left would park new nodes for ever.
  const ended = wanted.role === 'guide' ? [] : await endBornParked(wanted, client);
  // The pods of the Deployment wait for their token, and not the other way round.
  const done = [...ended, ...(await applyAll(manifestsFor(wanted), installing))];
  const goesOn = (): boolean => done.every(({ outcome }) => outcome !== 'failed');
  if (wanted.image !== undefined && goesOn()) done.push(await makeToken(client, wanted));
  if (flags.patchNodepoolCrd && goesOn()) done.push(await patchNodePool(client));
  return done;
}

/** As `kubectl apply -f -` takes them. */
function printManifests(manifests: readonly Manifest[], form: 'json' | 'yaml', io: Io): void {
  if (form === 'json')
    io.stdout(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }, null, 2)}\n`, 'json');
  else io.stdout(manifests.map((manifest) => writeYaml(manifest)).join('---\n'), 'yaml');
}

const keptNote = (kept: readonly string[]): readonly string[] =>
  kept.length === 0 ? [] : [`Kept as installed: ${kept.join(', ')}. --set and --image change them.`];

const crdNote = ({ patchNodepoolCrd }: Flags): readonly string[] => (patchNodepoolCrd ? [patchedNote] : []);

const notesOn = (wanted: Wanted): readonly string[] => [...bornParkedNote(wanted), ...imageNote(wanted)];

function bornParkedNote({ role, policies }: Wanted): readonly string[] {
  if (role !== 'guide') return [];
  if (policies === 'none')
    return [
      'This API server does not serve MutatingAdmissionPolicy (Kubernetes 1.36 does; before that v1beta1, where it is enabled), so that new nodes are not parked from birth. For nodes that Karpenter creates while Lull is away, spec.disruption.budgets is the only limit: keep a real one there.',
    ];
  return policies === undefined
    ? [
        `MutatingAdmissionPolicy ${bornParkedName} and its binding need Kubernetes 1.36. Leave both out for an older API server.`,
      ]
    : [];
}

function imageNote({ image, role, namespace, settings }: Wanted): readonly string[] {
  if (image !== undefined) return [];
  const more = settings.trim() === `role: ${role}` ? '' : ' and your other settings';
  return [
    `No Deployment is among them, since no image of Lull is published. Build one and give it with --image, or run Lull yourself: lull run --namespace ${namespace} --set role=${role}${more}`,
  ];
}

/** A secret is not printed; install makes it. */
const tokenNote = ({ image, namespace }: Wanted): readonly string[] =>
  image === undefined
    ? []
    : [
        `The pods wait for the tokens of their server. Make them in files, so that they are on no command line: (umask 077; openssl rand -hex 32 > token; openssl rand -hex 32 > ${readTokenKey}; kubectl -n ${namespace} create secret generic ${tokenSecret} --from-file=token --from-file=${readTokenKey}; rm token ${readTokenKey})`,
      ];
