// `lull run`: what may go in a real cluster, beside a real Karpenter? Decides it all the time, and in guide and drive sees to it.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Settings } from '../cluster/settings.ts';
import { readClusterUid } from '../kube/clusterUid.ts';
import { Observed } from '../recording/observed.ts';
import { readinessOf } from '../server/readiness.ts';
import { asDuration, type Duration, minute, second } from '../time/instant.ts';
import {
  addClusterFlags,
  type ClusterFlags,
  connectTo,
  placeOf,
  userAgentOf,
  usualLease,
  usualNamespace,
} from './clusterFlags.ts';
import { wrongUsage } from './failure.ts';
import { durationFlag, listFlag } from './flags.ts';
import type { Io } from './io.ts';
import { type Address, addListenFlags, type ListenFlags, listenOn, probesOption } from './listen.ts';
import { type LogForm, logForms, openLog } from './liveLog.ts';
import { openRecording } from './liveRecording.ts';
import { type Live, runLive } from './liveRun.ts';
import { snapshotNow } from './liveSnapshot.ts';
import { LiveSource } from './liveSource.ts';
import { type SettingsFlags, settingsFrom } from './settingsInput.ts';
import { failedFor, openWatchdog, type Watchdog } from './watchdog.ts';
import { asField, sayActsAs } from './whichCluster.ts';

interface Flags extends ClusterFlags, SettingsFlags, ListenFlags {
  readonly namespace?: string;
  readonly record?: string;
  /** False = --no-lease. */
  readonly lease: string | false;
  readonly log: LogForm;
  readonly probes?: Address;
  readonly stuckAfter: Duration;
}

/** Longer than any round that ends, short enough that a process that hangs is replaced. */
const usualStuckAfter = asDuration(5 * minute);
const shortestStuckAfter = asDuration(10 * second);

function stuckFlag(word: string): Duration {
  const duration = durationFlag(word);
  if (duration >= shortestStuckAfter) return duration;
  throw new InvalidArgumentError('Use 10s or more.');
}

/** Shorter than the patience of clients, which go on without a uid. */
const uidWithin = asDuration(second / 2);

const examples = `
Examples:
  # see what Lull would let go in the cluster of the current context; nothing is touched
  $ lull run

  # let Karpenter take just the nodes that may go (Ctrl-C ends it; \`lull release\` takes everything back)
  $ lull run --set role=guide

  # another context, settings from a file, recorded for \`lull replay\`, and a log for machines
  $ lull run --context prod --settings lull.yaml --record week.gz --log json
`;

export function addRun(program: Command, io: Io): void {
  const command = program
    .command('run')
    .summary('run beside Karpenter on a real cluster')
    .description(
      'Runs beside Karpenter on a real cluster until it is told to end: decides what may go, and says why not yet.\nIn the role observe (the default) it changes nothing but its own status and events; `--set role=guide` lets Karpenter take the nodes that may go.',
    );
  const withCluster = addClusterFlags(command)
    .option(
      '-n, --namespace <name>',
      `where the lease is (default: the context's or the pod's, else ${usualNamespace})`,
    )
    .option('--settings <file>', 'settings in YAML or JSON')
    .option('--set <key=value>', 'one setting, before the file; repeatable', listFlag);
  addListenFlags(withCluster)
    .addOption(probesOption())
    .addOption(
      new Option(
        '--stuck-after <duration>',
        'how long one round may take; beyond it the lease is not renewed and /healthz of --probes fails',
      )
        .argParser(stuckFlag)
        .default(usualStuckAfter, '5m'),
    )
    .option('--record <file>', 'record it, for `lull replay`; keeps every object in memory')
    .option('--lease <name>', 'one of several that share it leads', usualLease)
    .option('--no-lease', 'lead without one; the ledger alone keeps two from doing the same twice')
    .addOption(new Option('--log <form>', 'how events are written to stderr').choices(logForms).default('text'))
    .addHelpText('after', examples)
    .action((flags: Flags) => runOn(flags, io));
}

async function runOn(flags: Flags, io: Io): Promise<void> {
  const settings = settingsFrom(flags);
  if (flags.namespace === '' || flags.lease === '')
    throw wrongUsage('Name a namespace and a lease, or leave them out.');
  const connection = connectTo(flags, io);
  const namespace = flags.namespace ?? connection.namespace ?? usualNamespace;
  const log = openLog(io, flags.log);
  const observed = flags.record === undefined ? undefined : new Observed();
  const { now, version } = io;
  const source = new LiveSource({
    now,
    version,
    settings,
    cluster: { context: connection.context, server: connection.server.origin, ...asField(connection) },
    readUid: () => readClusterUid(connection.client, uidWithin),
    snapshot: (inForce) => snapshotNow({ connection, settings: inForce, version, now }),
    ...(observed && { observed }),
  });
  const recording =
    flags.record === undefined ? undefined : await openRecording({ file: flags.record, source, log }, io);
  const { listening, note } = await listenOn(source, flags, io, {
    onCertificate: (text) => log({ kind: 'tls', text }),
  });
  const stop = new AbortController();
  const forget = io.onInterrupt?.(() => {
    if (!stop.signal.aborted) log({ kind: 'stopping', text: 'after the request that is on its way' });
    stop.abort();
  });
  const where = `context ${connection.context} at ${connection.server.origin}${sayActsAs(asField(connection).as)}`;
  log({ kind: 'start', text: `lull ${io.version}, ${sayRole(settings)}, ${where}`, version: io.version });
  log({ kind: 'listening', text: note ?? listening.url, url: listening.url });
  let watchdog: Watchdog | undefined;
  const failures: Error[] = [];
  try {
    if (flags.lease !== false || flags.probes)
      watchdog = await openWatchdog({
        place: placeOf(flags),
        userAgent: userAgentOf(io),
        log: flags.log,
        stuckAfter: flags.stuckAfter,
        ...(flags.probes && { probes: flags.probes }),
        readiness: () => readinessOf(source, source.meter),
        onFailure: (error) => {
          failures.push(error);
          stop.abort();
        },
      });
    if (watchdog?.url !== undefined) log({ kind: 'probes', text: watchdog.url, url: watchdog.url });
    await runLive({
      connection,
      settings,
      namespace,
      ...(flags.lease !== false && watchdog && { lease: keptBy(watchdog, flags.lease) }),
      identity: `${hostname()}_${randomBytes(4).toString('hex')}`,
      version: io.version,
      source,
      log,
      ...(observed && { observed }),
      onSettings: (inForce) => {
        source.decidesWith(inForce);
        recording?.goOnWith(inForce);
      },
      signal: stop.signal,
    });
  } finally {
    forget?.();
    await recording?.close();
    await listening.close();
    await watchdog?.close();
    connection.close();
  }
  const [failure] = failures;
  if (failure) throw failedFor(failure);
  log({ kind: 'stopped', text: 'by request' });
}

const sayRole = ({ role }: Settings): string =>
  role === 'drive'
    ? 'role drive, which is experimental (guide is the one to rely on; where Karpenter\'s own budgets are not "0" it disrupts nodes as well)'
    : `role ${role}`;

const keptBy = (watchdog: Watchdog, name: string): NonNullable<Live['lease']> => ({
  name,
  whileLeading: (options, work) => watchdog.whileLeading(options, work),
});
