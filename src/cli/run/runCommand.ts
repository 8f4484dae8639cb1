// `lull run`: decides continuously which nodes of a real cluster may be disrupted, beside Karpenter; in guide and drive it acts.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Settings } from '../../cluster/settings.ts';
import { type Connection, readClusterUid } from '../../kube/connection.ts';
import { LeaderLabel } from '../../kube/leaderLabel.ts';
import { steadyClock } from '../../kube/machine.ts';
import { ObservedObjects } from '../../recording/recorder.ts';
import { readinessOf } from '../../server/routes.ts';
import { asDuration, type Duration, second } from '../../time/instant.ts';
import { connectTo, placeOf, userAgentOf } from '../clusterInput.ts';
import { wrongUsage } from '../failure.ts';
import { type ClusterFlags, type SettingsFlags, usualNamespace } from '../flags.ts';
import type { Io } from '../io.ts';
import { settingsFrom } from '../settingsInput.ts';
import { asField, describeImpersonation } from '../whichCluster.ts';
import { type Address, type ListenFlags, listenOn } from './listen.ts';
import { type Log, type LogForm, openLog } from './liveLog.ts';
import { openRecording, snapshotNow } from './liveRecording.ts';
import { type LiveRunOptions, runLive } from './liveRun.ts';
import { LiveSource } from './liveSource.ts';
import { openWatchdog, threadFailure, type Watchdog } from './watchdog.ts';

interface RunFlags extends ClusterFlags, SettingsFlags, ListenFlags {
  readonly namespace?: string;
  readonly record?: string;
  /** False = --no-lease. */
  readonly lease: string | false;
  readonly log: LogForm;
  readonly probes?: Address;
  readonly stuckAfter: Duration;
}

/** Shorter than the timeout of clients, which continue without a UID. */
const uidWithin = asDuration(second / 2);

export async function runOn(flags: RunFlags, io: Io): Promise<void> {
  const settings = settingsFrom(flags);
  if (flags.namespace === '' || flags.lease === '') throw wrongUsage('--namespace and --lease must not be empty.');
  const connection = connectTo(flags, io);
  const namespace = flags.namespace ?? connection.namespace ?? usualNamespace;
  const log = openLog(io, flags.log);
  const observed = flags.record === undefined ? undefined : new ObservedObjects();
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
  const label = openLabel(connection, namespace, log);
  // A container that starts again in the same pod may still have it. The Service must not send requests to a standby.
  await label?.set(false);
  const { listening, note } = await listenOn(source, flags, io, {
    onCertificate: (text) => log({ kind: 'tls', text }),
  });
  const stop = new AbortController();
  const forget = io.onInterrupt?.(() => {
    if (!stop.signal.aborted) log({ kind: 'stopping', text: 'after the request in flight' });
    stop.abort();
  });
  const where = `context ${connection.context} at ${connection.server.origin}${describeImpersonation(asField(connection).as)}`;
  log({ kind: 'start', text: `lull ${io.version}, ${describeRole(settings)}, ${where}`, version: io.version });
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
      ...(flags.lease !== false && watchdog && { lease: leaseOf(watchdog, flags.lease) }),
      identity: `${hostname()}_${randomBytes(4).toString('hex')}`,
      version: io.version,
      source,
      log,
      ...(observed && { observed }),
      ...(label && { label }),
      onSettings: (inForce) => {
        source.decidesWith(inForce);
        recording?.goOnWith(inForce);
      },
      signal: stop.signal,
    });
  } finally {
    forget?.();
    await recording?.close();
    await label?.close();
    await listening.close();
    await watchdog?.close();
    connection.close();
  }
  const [failure] = failures;
  if (failure) throw threadFailure(failure);
  log({ kind: 'stopped', text: 'by request' });
}

const describeRole = ({ role }: Settings): string =>
  role === 'drive'
    ? 'role drive (experimental: prefer guide; Karpenter disrupts nodes as well unless its own budgets are "0")'
    : `role ${role}`;

/** LULL_POD is the pod's name, which a manifest passes from the pod's own metadata. Outside of pods there is no label. */
function openLabel({ client }: Connection, namespace: string, log: Log): LeaderLabel | undefined {
  const pod = process.env.LULL_POD;
  if (pod === undefined || pod === '') return undefined;
  return new LeaderLabel({
    client,
    clock: steadyClock,
    namespace,
    pod,
    onFault: (message) =>
      log({
        kind: 'warning',
        text: `The Service may not find the leader: label lull.dev/leader, pod ${pod}: ${message}`,
      }),
  });
}

const leaseOf = (watchdog: Watchdog, name: string): NonNullable<LiveRunOptions['lease']> => ({
  name,
  whileLeading: (options, work) => watchdog.whileLeading(options, work),
});
