// `lull release`: how is Karpenter left alone again (N10)? Everything that Lull wrote is taken off; nothing of a user's is touched.
import type { Command } from 'commander';
import { sayNet } from '../lint/words/netWords.ts';
import type { Duration, Instant } from '../time/instant.ts';
import { whereIs, withCluster } from './asked.ts';
import { addClusterFlags, type ClusterFlags } from './clusterFlags.ts';
import { alignColumns, wrap } from './columns.ts';
import { Unfinished, wrongUsage } from './failure.ts';
import { durationFlag } from './flags.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { tellKept } from './releaseKept.ts';
import { isUnlimited, type PoolRelease, type ReleaseStep, warnUnlimited } from './releasePlan.ts';
import { deploymentFlag, type Stopped } from './releaseStop.ts';
import { type Released, release } from './releasing.ts';
import { count } from './scene.ts';
import { dim, type Line, paint, plain, styled } from './span.ts';

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
      'Takes off everything that Lull wrote: offers every node it parked, restores claims and pods, withdraws its status, and removes its pause, its ledger and its lease.\nRefuses while a Lull leads: what is taken off it would write again. Can be repeated; what a user wrote is never touched.\nShows what Karpenter allows in each pool from then on. With --if-stale the lease and the admission policy stay, so that a later run finds what was born parked meanwhile; the nodes of pools for which Karpenter has no limit stay parked, and the exit status is 3.',
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
        ...(!flags.yes && {
          confirm: (steps: readonly ReleaseStep[], pools: readonly PoolRelease[]) => ask({ steps, pools }, where, io),
        }),
      },
      io,
    );
    printAnswer(io, flags.output, {
      value: () => asJson(released, { isDry: dryRun === true, now: io.now() }),
      lines: () => render(released, { where, isDry: dryRun === true, width: io.width, now: io.now() }),
    });
    const kept = released.pools.filter(({ stays }) => stays);
    if (kept.length === 0) return;
    if (!dryRun) await tellKept(connection, kept, io);
    throw new Unfinished();
  });
}

interface Asked {
  readonly steps: readonly ReleaseStep[];
  readonly pools: readonly PoolRelease[];
}

async function ask({ steps, pools }: Asked, where: string, io: Io): Promise<boolean> {
  const warning = warnUnlimited(pools);
  if (!io.confirm)
    throw wrongUsage(
      `This would change ${count(steps.length, 'object')} of ${where}.${warning} Add --yes, or --dry-run to see which.`,
    );
  for (const line of limitLines(pools, io.now(), io.width)) io.stderr(paint([line], io.color));
  return io.confirm(`Take Lull off ${count(steps.length, 'object')} of ${where}?${warning}`);
}

const asJson = (
  { steps, left, pools }: Released,
  { isDry, now }: { readonly isDry: boolean; readonly now: Instant },
): unknown => ({
  released: !isDry && left === undefined,
  ...(left !== undefined && { left }),
  steps: steps.map(({ call: _, ...step }) => step),
  pools: pools.map((each) => ({
    pool: each.pool,
    nodes: each.nodes,
    karpenterLimit: sayNet(each.net, now),
    limited: !isUnlimited(each),
    staysParked: each.stays,
  })),
});

interface Page {
  readonly where: string;
  readonly isDry: boolean;
  readonly width: number;
  readonly now: Instant;
}

/** In a dry run each by its name, else how many of a kind. */
function render({ steps, left, pools }: Released, { where, isDry, width, now }: Page): Line[] {
  if (left !== undefined) return [[plain(`nothing was released: ${left}`)]];
  const kept = pools.filter(({ stays }) => stays);
  if (steps.length === 0 && kept.length === 0) return [[plain('there is nothing of Lull here'), dim(`  ${where}`)]];
  const rows = isDry ? steps.map(nameRow) : countRows(steps);
  const alone = 'Karpenter is alone again. Events that Lull wrote expire by themselves.';
  return [
    ...(steps.length > 0 ? [[plain(isDry ? 'would be released' : 'released'), dim(`  ${where}`)]] : []),
    ...alignColumns(rows, { indent: 2, width }),
    ...limitLines(pools, now, width),
    ...(isDry || kept.length > 0 ? [] : [[dim(alone)]]),
    ...(kept.length > 0 ? wrap([plain(whatToDo)], width) : []),
  ];
}

const whatToDo =
  'Karpenter would take all nodes of these pools at once, so they stay parked. Write a limit in spec.disruption.budgets, such as 10%, and release again; or start Lull; or release them as they are with `lull release --yes`.';

/** What holds in each pool once its nodes are released. */
function limitLines(pools: readonly PoolRelease[], now: Instant, width: number): Line[] {
  if (pools.length === 0) return [];
  const rows = pools.map((each): Line[] => [
    [plain(each.pool)],
    [plain(count(each.nodes.length, 'node'))],
    [isUnlimited(each) ? styled('yellow', sayNet(each.net, now)) : plain(sayNet(each.net, now))],
    [plain(each.stays ? 'stays parked' : '')],
  ]);
  return [[plain("Karpenter's own limit, by pool")], ...alignColumns(rows, { indent: 2, width })];
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
