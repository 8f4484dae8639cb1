// `lull release`: how is Karpenter left alone again (N10)? Everything that Lull wrote is taken off; nothing of a user's is touched.
import type { Command } from 'commander';
import type { Duration } from '../time/instant.ts';
import { whereIs, withCluster } from './asked.ts';
import { addClusterFlags, type ClusterFlags } from './clusterFlags.ts';
import { alignColumns } from './columns.ts';
import { wrongUsage } from './failure.ts';
import { durationFlag } from './flags.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import type { ReleaseStep } from './releasePlan.ts';
import { deploymentFlag, type Stopped } from './releaseStop.ts';
import { type Released, release } from './releasing.ts';
import { count } from './scene.ts';
import { dim, type Line, plain } from './span.ts';

interface Flags extends ClusterFlags {
  readonly ifStale?: Duration;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly stop?: Stopped;
  readonly output: Form;
}

const examples = `
Examples:
  # what would be taken off the cluster of the current context
  $ lull release --dry-run

  # take it off, without a question: Karpenter is alone again
  $ lull release --yes

  # for a CronJob: only where no Lull has renewed its lease for a day
  $ lull release --if-stale 24h --yes

  # for a hook: end the Lull that runs there, then take everything off
  $ lull release --stop lull-system/lull --yes
`;

export function addRelease(program: Command, io: Io): void {
  const command = program
    .command('release')
    .summary('take off everything that Lull wrote, so that Karpenter is alone again')
    .description(
      'Takes off everything that Lull wrote: offers every node it parked, restores claims and pods, withdraws its status, and removes its pause, its ledger and its lease.\nRefuses while a Lull leads: what is taken off it would write again. Can be repeated; what a user wrote is never touched.',
    )
    .option('--if-stale <duration>', 'only where the lease was not renewed for this long, such as 24h', durationFlag)
    .option('--dry-run', 'print what would be taken off and change nothing')
    .option('--yes', 'do not ask')
    .option('--force', 'even while a Lull leads')
    .option('--stop <namespace/name>', 'first scale this Deployment to 0, and wait for its pods to end', deploymentFlag)
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((flags: Flags) => releaseHere(flags, io));
  addClusterFlags(command);
}

async function releaseHere(flags: Flags, io: Io): Promise<void> {
  const { ifStale, dryRun, force, stop } = flags;
  await withCluster(flags, io, async (connection) => {
    const where = whereIs(connection);
    const released = await release(
      connection,
      {
        ...(ifStale !== undefined && { ifStale }),
        ...(dryRun && { dryRun }),
        ...(force && { force }),
        ...(stop && { stop }),
        ...(!flags.yes && { confirm: (steps: readonly ReleaseStep[]) => ask(steps, where, io) }),
      },
      io,
    );
    printAnswer(io, flags.output, {
      value: () => asJson(released, dryRun === true),
      lines: () => render(released, { where, isDry: dryRun === true, width: io.width }),
    });
  });
}

async function ask(steps: readonly ReleaseStep[], where: string, io: Io): Promise<boolean> {
  if (!io.confirm)
    throw wrongUsage(
      `This would change ${count(steps.length, 'object')} of ${where}. Add --yes, or --dry-run to see which.`,
    );
  return io.confirm(`Take Lull off ${count(steps.length, 'object')} of ${where}?`);
}

const asJson = ({ steps, left }: Released, isDry: boolean): unknown => ({
  released: !isDry && left === undefined,
  ...(left !== undefined && { left }),
  steps: steps.map(({ call: _, ...step }) => step),
});

interface Page {
  readonly where: string;
  readonly isDry: boolean;
  readonly width: number;
}

/** In a dry run each by its name, else how many of a kind. */
function render({ steps, left }: Released, { where, isDry, width }: Page): Line[] {
  if (left !== undefined) return [[plain(`nothing was released: ${left}`)]];
  if (steps.length === 0) return [[plain('there is nothing of Lull here'), dim(`  ${where}`)]];
  const rows = isDry ? steps.map(nameRow) : countRows(steps);
  return [
    [plain(isDry ? 'would be released' : 'released'), dim(`  ${where}`)],
    ...alignColumns(rows, { indent: 2, width }),
    ...(isDry ? [] : [[dim('Karpenter is alone again. Events that Lull wrote expire by themselves.')]]),
  ];
}

const nameRow = ({ kind, namespace, name, what }: ReleaseStep): Line[] => [
  [plain([kind, namespace, name].filter((part) => part !== undefined).join('/'))],
  [plain(what)],
];

function countRows(steps: readonly ReleaseStep[]): Line[][] {
  const alike = Map.groupBy(steps, ({ kind, what }) => `${kind} ${what}`);
  return [...alike.values()].map((its) => {
    const [first] = its as [ReleaseStep, ...ReleaseStep[]];
    return [[plain(`${its.length} ${first.kind}`)], [plain(first.what)]];
  });
}
