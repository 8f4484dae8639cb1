// `lull install`: CRDs, RBAC with only the verbs used, admission policies that restrict Lull itself, and Lull's Deployment.
import { lacksSafetyNet, safetyNetOf } from '../../engine/rules/safetyNet.ts';
import { describeSafetyNet } from '../../explain/describeLimit.ts';
import { readObject } from '../../kinds/readObject.ts';
import { writeYaml } from '../../kinds/text/writeYaml.ts';
import { apiKindOf } from '../../kube/apiKind.ts';
import { bornParkedName, servedPolicyVersion } from '../../kube/bornParked.ts';
import type { Client } from '../../kube/client.ts';
import { listObjects } from '../../kube/listing.ts';
import type { ActsAs } from '../../server/roundSource.ts';
import { connectTo } from '../clusterInput.ts';
import { Failure, type Problem } from '../failure.ts';
import type { ClusterFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { type OutputFormat, printAnswer } from '../output.ts';
import { alignColumns, dim, emptyLine, type Line, plain, type Span, styled, wrap } from '../span.ts';
import { asField, describeImpersonation } from '../whichCluster.ts';
import { applyAll, endBornParked, makeToken, type ObjectOutcome, patchedNote, patchNodePool } from './installApply.ts';
import { type PlanFlags, planFor, planFromFlags } from './installPlan.ts';
import type { InstallSpec, Manifest } from './manifests/manifest.ts';
import { manifestsFor } from './manifests/manifests.ts';
import { readTokenKey, tokenSecret } from './manifests/workloadManifests.ts';

interface InstallFlags extends PlanFlags, ClusterFlags {
  readonly patchNodepoolCrd?: boolean;
  readonly forceConflicts?: boolean;
  readonly dryRun?: boolean;
  readonly output?: OutputFormat;
}

export async function install(flags: InstallFlags, io: Io): Promise<void> {
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
    await printAnswer(io, flags.output ?? 'text', {
      value: () => answer,
      lines: () => renderInstalled(answer, io.width),
    });
    if (failures.length > 0) throw new Failure(failures);
  } finally {
    connection.close();
  }
}

async function carryOut(
  wanted: InstallSpec,
  flags: InstallFlags,
  installing: Parameters<typeof applyAll>[1],
): Promise<readonly ObjectOutcome[]> {
  const { client } = installing;
  // A policy left by role guide would park new nodes for ever.
  const ended = wanted.role === 'guide' ? [] : await endBornParked(wanted, client);
  // The Deployment's pods wait for their token, not the other way round.
  const done = [...ended, ...(await applyAll(manifestsFor(wanted), installing))];
  const goesOn = (): boolean => done.every(({ outcome }) => outcome !== 'failed');
  if (wanted.image !== undefined && goesOn()) done.push(await makeToken(client, wanted));
  if (flags.patchNodepoolCrd && goesOn()) done.push(await patchNodePool(client));
  return done;
}

/** In the form that `kubectl apply -f -` accepts. */
function printManifests(manifests: readonly Manifest[], form: 'json' | 'yaml', io: Io): void {
  if (form === 'json')
    io.stdout(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }, null, 2)}\n`, 'json');
  else io.stdout(manifests.map((manifest) => writeYaml(manifest)).join('---\n'), 'yaml');
}

const keptNote = (kept: readonly string[]): readonly string[] =>
  kept.length === 0 ? [] : [`Kept as installed: ${kept.join(', ')}. --set and --image change them.`];

const crdNote = ({ patchNodepoolCrd }: InstallFlags): readonly string[] => (patchNodepoolCrd ? [patchedNote] : []);

const notesOn = (wanted: InstallSpec): readonly string[] => [...bornParkedNote(wanted), ...imageNote(wanted)];

function bornParkedNote({ role, policies }: InstallSpec): readonly string[] {
  if (role !== 'guide') return [];
  if (policies === 'none')
    return [
      'This API server does not serve MutatingAdmissionPolicy (Kubernetes 1.36 does; before that v1beta1, if enabled), so new nodes are not parked at creation. For nodes that Karpenter creates while Lull is not running, spec.disruption.budgets is the only limit: set a real one there.',
    ];
  return policies === undefined
    ? [
        `MutatingAdmissionPolicy ${bornParkedName} and its binding need Kubernetes 1.36. Leave both out for an older API server.`,
      ]
    : [];
}

function imageNote({ image, role, namespace, settings }: InstallSpec): readonly string[] {
  if (image !== undefined) return [];
  const more = settings.trim() === `role: ${role}` ? '' : ' and your other settings';
  return [
    `No Deployment is included, since no image of Lull is published. Build one and pass it with --image, or run Lull yourself: lull run --namespace ${namespace} --set role=${role}${more}`,
  ];
}

/** The Secret is not printed; install creates it. */
const tokenNote = ({ image, namespace }: InstallSpec): readonly string[] =>
  image === undefined
    ? []
    : [
        `The pods wait for the tokens of their server. Create them from files, so that they appear on no command line: (umask 077; openssl rand -hex 32 > token; openssl rand -hex 32 > ${readTokenKey}; kubectl -n ${namespace} create secret generic ${tokenSecret} --from-file=token --from-file=${readTokenKey}; rm token ${readTokenKey})`,
      ];

interface InstallAnswer {
  readonly context: string;
  /** The impersonated user, if the kubeconfig impersonates one. */
  readonly as?: ActsAs;
  readonly namespace: string;
  readonly role: string;
  readonly objects: readonly ObjectOutcome[];
  readonly notes: readonly string[];
}

function renderInstalled({ context, as, role, objects, notes }: InstallAnswer, width: number): Line[] {
  const rows = objects.map((done): Line[] => [[inColor(done)], [plain(done.object)], [dim(asideOf(done))]]);
  return [
    [plain(`Lull in ${context}, role ${role}${describeImpersonation(as)}`)],
    ...alignColumns(rows, { indent: 2, width }),
    ...notes.flatMap((note): Line[] => [emptyLine, ...wrap([plain(note)], width)]),
  ];
}

function inColor({ outcome }: ObjectOutcome): Span {
  switch (outcome) {
    case 'created':
      return styled('green', outcome);
    case 'changed':
      return styled('yellow', outcome);
    case 'conflict':
    case 'failed':
      return styled('red', outcome);
    default:
      return dim(outcome);
  }
}

/** Failures are printed once, as errors. */
const asideOf = (done: ObjectOutcome): string => (isFailure(done) ? '' : (done.message ?? ''));

const isFailure = ({ outcome }: ObjectOutcome): boolean => outcome === 'failed' || outcome === 'conflict';

const failuresIn = (done: readonly ObjectOutcome[]): readonly Problem[] =>
  done.filter(isFailure).map(({ object, outcome, message = '' }) => ({
    object,
    message:
      outcome === 'conflict'
        ? `${message} ${remedy}`
        : `${message} The objects above are done; run install again to continue.`,
  }));

const remedy = 'The object was not written. Take over the fields with --force-conflicts, or leave them to their owner.';

/** Empty if pools cannot be listed: the installation is complete without it, and `lull run` reports the same. */
async function netNotes(client: Client, io: Io): Promise<readonly string[]> {
  const pools = await listObjects({ client, kinds: [apiKindOf('NodePool')], keep: readObject })
    .then(({ objects }) => objects.flatMap((read) => (read.kind === 'NodePool' ? [read.record] : [])))
    .catch(() => []);
  const now = io.now();
  const bare = pools.filter((pool) => lacksSafetyNet(pool, now));
  if (bare.length === 0) return [];
  const described = bare.map((pool) => `${pool.name} (${describeSafetyNet(safetyNetOf(pool, now), now)})`);
  return [
    `Pools without a safety net, by Karpenter's own budgets: ${described.join(', ')}. While Lull is not running, only spec.disruption.budgets limits Karpenter: add a limit there that always applies, such as 10%.`,
  ];
}
