// `lull pause` and `lull resume`: how does a person stop everything for a while? With a MaintenanceWindow, made and removed.
import { type Command, Option } from 'commander';
import { pauseWindow } from '../server/pause.ts';
import { after, type Duration, formatInstant, type Instant } from '../time/instant.ts';
import { askServer, usualServer } from './askServer.ts';
import { wrongUsage } from './failure.ts';
import { durationFlag, instantFlag } from './flags.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { plain } from './span.ts';

interface PauseFlags {
  readonly until?: Instant;
  readonly for?: Duration;
  readonly note?: string;
  readonly server?: string;
  readonly dryRun?: boolean;
  readonly output?: Form;
}

const pauseExamples = `
Examples:
  # nothing goes until \`lull resume\`, but for interruptions
  $ lull pause --note "Ann: release day"

  # for an hour of the cluster's clock
  $ lull pause --for 1h

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
  program
    .command('pause')
    .summary('let nothing go for a while')
    .description(
      'Lets nothing go for a while: makes the MaintenanceWindow lull-pause, which blocks everything but interruptions. Nodes that are being drained go on.',
    )
    .option('--until <instant>', 'when it ends by itself, RFC 3339 (default: when resumed)', instantFlag)
    .option('--for <duration>', "how long, on the cluster's clock", durationFlag)
    .option('--note <text>', 'who and why; shown with everything it holds back')
    .option('--server <url>', `a running Lull (default: ${usualServer})`)
    .option('--dry-run', 'print the window and change nothing')
    .addOption(formOption())
    .addHelpText('after', pauseExamples)
    .action((flags: PauseFlags) => pause(flags, io));
  program
    .command('resume')
    .summary('end a pause')
    .description('Ends a pause: removes the MaintenanceWindow lull-pause.')
    .option('--server <url>', `a running Lull (default: ${usualServer})`)
    .addOption(outputOption())
    .addHelpText('after', resumeExamples)
    .action((flags: { readonly server?: string; readonly output: Form }) => resume(flags, io));
}

/** Without one, a dry run is written as YAML, and all else as text. */
const formOption = (): Option =>
  new Option('-o, --output <form>', 'how to write the answer').choices(['text', 'json', 'yaml']);

async function pause(flags: PauseFlags, io: Io): Promise<void> {
  const { until, for: length, note, server, dryRun, output } = flags;
  if (until !== undefined && length !== undefined) throw wrongUsage('Give either --until or --for, not both.');
  if (dryRun) {
    const end = length === undefined ? until : after(io.now(), length);
    const window = pauseWindow({ ...(end !== undefined && { until: end }), ...(note !== undefined && { note }) });
    printAnswer(io, output === 'json' ? 'json' : 'yaml', { value: () => window, lines: () => [] });
    return;
  }
  const body = {
    ...(until !== undefined && { until: formatInstant(until) }),
    ...(length !== undefined && { for: `${length}ms` }),
    ...(note !== undefined && { note }),
  };
  const answer = await askServer({ server, path: '/api/pause', body });
  const { window } = answer as { window?: ReturnType<typeof pauseWindow> };
  const end = window?.spec.notAfter;
  const told = end === undefined ? 'until `lull resume`' : `until ${end}`;
  printAnswer(io, output ?? 'text', { value: () => window ?? answer, lines: () => [[plain(`paused ${told}`)]] });
}

async function resume({ server, output }: { readonly server?: string; readonly output: Form }, io: Io): Promise<void> {
  const answer = (await askServer({ server, path: '/api/resume', body: {} })) as { was?: unknown };
  const told = answer.was === true ? 'resumed' : 'there was no pause';
  printAnswer(io, output, { value: () => answer, lines: () => [[plain(told)]] });
}
