// `lull release`: removes everything that Lull wrote (N10); nothing that users wrote is changed.
import { defined } from '../../cluster/defined.ts';
import { describeSafetyNet } from '../../explain/describeLimit.ts';
import type { Connection } from '../../kube/connection.ts';
import { EventWriter } from '../../kube/eventWriter.ts';
import { chance, steadyClock } from '../../kube/machine.ts';
import { pause } from '../../kube/pacing.ts';
import type { Notice } from '../../runtime/notices.ts';
import { asDuration, type Duration, type Instant, second } from '../../time/instant.ts';
import { describeConnection, withCluster } from '../clusterInput.ts';
import { ExitUnfinished, wrongUsage } from '../failure.ts';
import type { ClusterFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { type OutputFormat, printAnswer } from '../output.ts';
import { alignColumns, count, dim, type Line, paint, plain, styled, wrap } from '../span.ts';
import { isUnlimited, type PoolRelease, type ReleaseStep, warnUnlimited } from './releasePlan.ts';
import { type DeploymentName, type Released, release } from './releasing.ts';

interface ReleaseFlags extends ClusterFlags {
  readonly ifStale?: Duration;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly stop?: DeploymentName;
  readonly output: OutputFormat;
}

export async function releaseHere(flags: ReleaseFlags, io: Io): Promise<void> {
  const { ifStale, dryRun, force, stop } = flags;
  await withCluster(flags, io, async (connection) => {
    const where = describeConnection(connection);
    const confirm = (steps: readonly ReleaseStep[], pools: readonly PoolRelease[]): Promise<boolean> =>
      ask({ steps, pools }, where, io);
    const options = defined({ ifStale, dryRun, force, stop, confirm: flags.yes ? undefined : confirm });
    const released = await release(connection, options, io);
    await printAnswer(io, flags.output, {
      value: () => asJson(released, { isDry: dryRun === true, now: io.now() }),
      lines: () => render(released, { where, isDry: dryRun === true, width: io.width, now: io.now() }),
    });
    const kept = released.pools.filter(({ stays }) => stays);
    if (kept.length === 0) return;
    if (!dryRun) await reportKept(connection, kept, io);
    throw new ExitUnfinished();
  });
}

interface ReleaseQuestion {
  readonly steps: readonly ReleaseStep[];
  readonly pools: readonly PoolRelease[];
}

async function ask({ steps, pools }: ReleaseQuestion, where: string, io: Io): Promise<boolean> {
  const warning = warnUnlimited(pools);
  if (!io.confirm)
    throw wrongUsage(
      `This would change ${count(steps.length, 'object')} of ${where}.${warning} Add --yes, or --dry-run to see which.`,
    );
  for (const line of limitLines(pools, io.now(), io.width)) io.stderr(paint([line], io.color));
  return io.confirm(`Release ${count(steps.length, 'object')} of ${where} from Lull?${warning}`);
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
    karpenterLimit: describeSafetyNet(each.net, now),
    limited: !isUnlimited(each),
    staysParked: each.stays,
  })),
});

interface ReleasePage {
  readonly where: string;
  readonly isDry: boolean;
  readonly width: number;
  readonly now: Instant;
}

/** A dry run names every object; otherwise objects are counted by kind. */
function render({ steps, left, pools }: Released, { where, isDry, width, now }: ReleasePage): Line[] {
  if (left !== undefined) return [[plain(`nothing was released: ${left}`)]];
  const kept = pools.filter(({ stays }) => stays);
  if (steps.length === 0 && kept.length === 0) return [[plain('nothing of Lull found'), dim(`  ${where}`)]];
  const rows = isDry ? steps.map(nameRow) : countRows(steps);
  const alone = 'Karpenter decides alone again. Events that Lull wrote expire by themselves.';
  return [
    ...(steps.length > 0 ? [[plain(isDry ? 'would be released' : 'released'), dim(`  ${where}`)]] : []),
    ...alignColumns(rows, { indent: 2, width }),
    ...limitLines(pools, now, width),
    ...(isDry || kept.length > 0 ? [] : [[dim(alone)]]),
    ...(kept.length > 0 ? wrap([plain(whatToDo)], width) : []),
  ];
}

const whatToDo =
  'Karpenter could disrupt all nodes of these pools at a time, so they stay parked. Add a limit in spec.disruption.budgets, such as 10%, and release again; or start Lull; or release them anyway with `lull release --yes`.';

/** The limit of each pool once its nodes are released. */
function limitLines(pools: readonly PoolRelease[], now: Instant, width: number): Line[] {
  if (pools.length === 0) return [];
  const rows = pools.map((each): Line[] => [
    [plain(each.pool)],
    [plain(count(each.nodes.length, 'node'))],
    [isUnlimited(each) ? styled('yellow', describeSafetyNet(each.net, now)) : plain(describeSafetyNet(each.net, now))],
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
  return [...alike.values()].flatMap((its) =>
    its.slice(0, 1).map(({ kind, what }) => [[plain(`${its.length} ${kind}`)], [plain(what)]]),
  );
}

/** How long to wait for a server that does not answer. */
const longest = asDuration(30 * second);

/** Returns when the events are written. Failures are printed; the answer contains the same facts already. */
async function reportKept({ client }: Connection, pools: readonly PoolRelease[], io: Io): Promise<void> {
  const writer = new EventWriter({
    client,
    clock: steadyClock,
    wallNow: () => io.now(),
    chance,
    identity: 'lull-release',
    onFault: (message) => io.stderr(`${message}\n`),
  });
  writer.tell(pools.map((pool) => noticeOf(pool, io)));
  const done = new AbortController();
  await Promise.race([writer.finish(), pause(steadyClock, longest, done.signal)]);
  done.abort();
  await writer.close();
}

function noticeOf({ pool, uid, nodes, net }: PoolRelease, io: Io): Notice {
  return {
    about: { kind: 'NodePool', name: pool, ...(uid !== undefined && { uid }) },
    type: 'Warning',
    reason: 'StaysParked',
    message: `${count(nodes.length, 'node')} ${nodes.length === 1 ? 'stays' : 'stay'} parked although Lull is not running, since Karpenter's own limit is: ${describeSafetyNet(net, io.now())}. Add a limit in spec.disruption.budgets, such as 10%; then lull release --if-stale releases them. Or start Lull.`,
    key: 'stays parked',
    weight: 3,
  };
}
