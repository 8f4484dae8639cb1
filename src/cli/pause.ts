// `lull pause` and `lull resume`: how does a person stop everything for a while? With a MaintenanceWindow, made and removed.
import { type Command, Option } from 'commander';
import { type Pause, pauseWindow, pause as requestPause, resume as requestResume } from '../server/pause.ts';
import type { ClusterIdentity } from '../server/source.ts';
import { after, type Duration, formatInstant, type Instant } from '../time/instant.ts';
import { tellWhom } from './asked.ts';
import { askServer, usualServer } from './askServer.ts';
import { addClusterFlags } from './clusterFlags.ts';
import { wrongUsage } from './failure.ts';
import { durationFlag, instantFlag } from './flags.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { type AskServer, asPerson, type PersonFlags, refusedBy, whichServer, whomToChange } from './person.ts';
import { plain } from './span.ts';
import { clusterField, sayCluster } from './whichCluster.ts';

interface PauseFlags extends PersonFlags {
  readonly until?: Instant;
  readonly for?: Duration;
  readonly note?: string;
  readonly author?: string;
  readonly dryRun?: boolean;
  readonly output?: Form;
}

interface ResumeFlags extends PersonFlags {
  readonly output: Form;
}

const pauseExamples = `
Examples:
  # nothing goes until \`lull resume\`, but for interruptions
  $ lull pause --note "release day"

  # for an hour of the cluster's clock
  $ lull pause --for 1h

  # a cluster of the kubeconfig, whether or not its Lull runs at this moment
  $ lull pause --context production --for 4h --author ann --note "release day"

  # the window that it makes, for kubectl
  $ lull pause --until 2026-11-27T08:00:00Z --dry-run -o yaml | kubectl apply -f -
`;

const resumeExamples = `
Examples:
  $ lull resume
  # the same with kubectl
  $ kubectl delete maintenancewindow lull-pause
`;

export function addPause(program: Command, io: Io): void {
  const pausing = program
    .command('pause')
    .summary('let nothing go for a while')
    .description(
      'Lets nothing go for a while: makes the MaintenanceWindow lull-pause, which blocks everything but interruptions. Nodes that are being drained go on.',
    )
    .option('--until <instant>', 'when it ends by itself, RFC 3339 (default: when resumed)', instantFlag)
    .option('--for <duration>', "how long, on the cluster's clock", durationFlag)
    .option('--note <text>', 'why; shown with everything it holds back')
    .option('--author <name>', 'who; shown by `lull why` and `lull decide` (default: your name on this machine)')
    .option(
      '--server <url>',
      `a running Lull, whichever cluster it is for (default: that of the cluster meant, if it is on ${usualServer()})`,
    )
    .option('--dry-run', 'print the window and change nothing')
    .addOption(formOption())
    .addHelpText('after', pauseExamples)
    .action((flags: PauseFlags) => pause(flags, io));
  const resuming = program
    .command('resume')
    .summary('end a pause')
    .description('Ends a pause: removes the MaintenanceWindow lull-pause.')
    .option(
      '--server <url>',
      `a running Lull, whichever cluster it is for (default: that of the cluster meant, if it is on ${usualServer()})`,
    )
    .addOption(outputOption())
    .addHelpText('after', resumeExamples)
    .action((flags: ResumeFlags) => resume(flags, io));
  addClusterFlags(pausing);
  addClusterFlags(resuming);
}

/** Without one, a dry run is written as YAML, and all else as text. */
const formOption = (): Option =>
  new Option('-o, --output <form>', 'how to write the answer').choices(['text', 'json', 'yaml']);

async function pause(flags: PauseFlags, io: Io): Promise<void> {
  const { until, for: length, note, dryRun, output } = flags;
  if (until !== undefined && length !== undefined) throw wrongUsage('Give either --until or --for, not both.');
  const end = length === undefined ? until : after(io.now(), length);
  const author = flags.author ?? io.user;
  const wanted = {
    ...(end !== undefined && { until: end }),
    ...(note !== undefined && { note }),
    ...(author !== undefined && { author }),
  };
  if (dryRun) {
    printAnswer(io, output === 'json' ? 'json' : 'yaml', { value: () => pauseWindow(wanted), lines: () => [] });
    return;
  }
  const whom = await whomToChange(flags, io);
  const { window, cluster } =
    whom.via === 'server' ? await pauseByServer(flags, whom, io) : await pauseByHand(wanted, flags, io);
  const over = (window as Partial<ReturnType<typeof pauseWindow>>).spec?.notAfter;
  const told = over === undefined ? 'until `lull resume`' : `until ${over}`;
  printAnswer(io, output ?? 'text', {
    value: () => ({ ...window, ...clusterField(cluster) }),
    lines: () => [[plain(`paused ${told} in ${sayCluster(cluster)}`)]],
  });
}

interface Paused {
  readonly window: object;
  readonly cluster?: ClusterIdentity;
}

/** The other's clock may not be ours. */
async function pauseByServer(flags: PauseFlags, whom: AskServer, io: Io): Promise<Paused> {
  const { until, for: length, note, author = io.user, output } = flags;
  const body = {
    ...(until !== undefined && { until: formatInstant(until) }),
    ...(length !== undefined && { for: `${length}ms` }),
    ...(note !== undefined && { note }),
    ...(author !== undefined && { author }),
  };
  const answer = (await askServer({ server: whom.server, path: '/api/pause', body })) as { window?: object };
  if (whom.isNear) tellWhom(whichServer(whom), output ?? 'text', io);
  return { window: answer.window ?? answer, ...clusterField(whom.cluster) };
}

async function pauseByHand(wanted: Pause, flags: PauseFlags, io: Io): Promise<Paused> {
  if (wanted.until !== undefined && wanted.until <= io.now())
    throw wrongUsage(`${formatInstant(wanted.until)} is over: it is ${formatInstant(io.now())}.`);
  return asPerson(flags, { io, kinds: ['MaintenanceWindow'] }, async (port, where) => {
    const answer = await requestPause(port, wanted);
    if (answer.status !== 'done') throw refusedBy(answer);
    return { window: pauseWindow(wanted), cluster: where.cluster };
  });
}

async function resume(flags: ResumeFlags, io: Io): Promise<void> {
  const whom = await whomToChange(flags, io);
  const answer = whom.via === 'server' ? await resumeByServer(flags, whom, io) : await resumeByHand(flags, io);
  const told = answer.was === true ? 'resumed' : 'there was no pause';
  printAnswer(io, flags.output, {
    value: () => answer,
    lines: () => [[plain(`${told} in ${sayCluster(answer.cluster)}`)]],
  });
}

interface Resumed {
  readonly was?: unknown;
  readonly cluster?: ClusterIdentity;
}

async function resumeByServer(flags: ResumeFlags, whom: AskServer, io: Io): Promise<Resumed> {
  const answer = (await askServer({ server: whom.server, path: '/api/resume', body: {} })) as object;
  if (whom.isNear) tellWhom(whichServer(whom), flags.output, io);
  return { ...answer, ...clusterField(whom.cluster) };
}

const resumeByHand = (flags: ResumeFlags, io: Io): Promise<Resumed & { readonly paused: false }> =>
  asPerson(flags, { io, kinds: [] }, async (port, where) => {
    const answer = await requestResume(port);
    const was = !(answer.status === 'refused' && answer.code === 404);
    if (was && answer.status !== 'done') throw refusedBy(answer);
    return { paused: false, was, cluster: where.cluster };
  });
