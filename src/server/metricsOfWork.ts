// What has this program done since it started, and does it keep up? Counters, and how it stands to the cluster.
import { second } from '../time/instant.ts';
import { type Meter, roundBuckets, type Tally } from './meter.ts';
import type { Figures, Metric, Sample } from './metric.ts';

const metric = (
  type: Metric['type'],
  [name, help]: readonly [name: string, help: string],
  labels: readonly string[],
  of: (meter: Meter) => readonly Sample[],
): Metric => ({ name, type, help, labels, samples: ({ meter }: Figures) => of(meter) });

const counters = (name: string, help: string, labels: readonly string[], of: (meter: Meter) => Tally): Metric =>
  metric('counter', [name, help], labels, (meter) => of(meter).samples);

const counter = (name: string, help: string, of: (meter: Meter) => number): Metric =>
  metric('counter', [name, help], [], (meter) => [{ value: of(meter) }]);

/** Absent as long as nobody knows. */
const gauge = (name: string, help: string, of: (meter: Meter) => number | undefined): Metric =>
  metric('gauge', [name, help], [], (meter) => {
    const value = of(meter);
    return value === undefined ? [] : [{ value }];
  });

const step = ['nodepool', 'reason', 'step'];

export const workMetrics: readonly Metric[] = [
  counters(
    'karpenter_voluntary_disruption_decisions_total',
    "Commands that were begun by Lull's own hands (drive). In guide Karpenter counts them itself.",
    ['decision', 'reason', 'consolidation_type'],
    ({ decisions }) => decisions,
  ),
  counters('lull_command_steps_total', 'Steps that commands have entered.', step, ({ steps }) => steps),
  counters(
    'lull_commands_ended_total',
    'Commands that are over: gone, or released.',
    ['nodepool', 'reason', 'how'],
    ({ ended }) => ended,
  ),
  counters(
    'lull_forced_expiries_total',
    "Nodes that Karpenter's hard expiry (expireAfter) took while Lull held them (N7).",
    ['nodepool'],
    ({ forcedExpiries }) => forcedExpiries,
  ),
  metric(
    'gauge',
    [
      'lull_pool_progress_timestamp_seconds',
      'When a command of a pool last entered a step, or was over; absent where none has since this process began.',
    ],
    ['nodepool'],
    ({ progress }) => [...progress].map(([nodepool, at]) => ({ labels: { nodepool }, value: at / second })),
  ),
  counters(
    'lull_savings_per_hour_total',
    'What the commands that were begun save, as a price an hour, where prices are known; what costs more is not subtracted.',
    ['nodepool', 'reason'],
    ({ savings }) => savings,
  ),
  counters(
    'lull_pods_to_move_total',
    'Pods that the commands that were begun move, where that is known beforehand.',
    ['nodepool', 'reason'],
    ({ podsMoved }) => podsMoved,
  ),
  counters(
    'lull_searches_total',
    'Searches for nodes that could go together, by what came of them: found, nothing or failed.',
    ['outcome'],
    ({ searches }) => searches,
  ),
  counters(
    'lull_offers_withdrawn_total',
    'Offers that Karpenter did not take, or might not take any more (guide).',
    ['nodepool', 'reason'],
    ({ withdrawn }) => withdrawn,
  ),
  metric(
    'counter',
    [
      'lull_evictions_deferred_total',
      'Pods that a schedule kept on a node that was being drained, once for each drain.',
    ],
    [],
    ({ deferrals }) => [{ value: deferrals.samples[0]?.value ?? 0 }],
  ),
  counters(
    'lull_requests_total',
    'Requests that rounds asked for, by what came of them: done, refused, or away where nobody answered.',
    ['verb', 'kind', 'outcome'],
    ({ requests }) => requests,
  ),
  counters(
    'lull_ledger_commits_total',
    'Commits of the ledger, by what came of them: done, conflict where another was faster, refused or away.',
    ['outcome'],
    ({ commits }) => commits,
  ),
  counter('lull_rounds_total', 'Rounds decided.', ({ rounds }) => rounds),
  metric('histogram', ['lull_round_duration_seconds', 'How long it took to decide and tell a round.'], [], durations),
  gauge(
    'lull_rounds_late',
    'Whether rounds are late: 1 where the last one took 10 s or longer, else 0; absent before the first.',
    (it) => (it.lastRound === undefined ? undefined : Number(it.lateRound !== undefined)),
  ),
  counter('lull_defects_total', 'Rounds that failed by a defect of Lull.', ({ defects }) => defects),
  gauge('lull_leader', 'Whether this process leads.', ({ leads }) => (leads === undefined ? undefined : Number(leads))),
  gauge(
    'lull_born_parked',
    'Whether new nodes are parked from birth by the admission policy lull-born-parked, so that they are protected while no Lull runs (guide): 1 or 0; absent where it cannot be read.',
    ({ bornParked }) => (bornParked === undefined ? undefined : Number(bornParked)),
  ),
  gauge(
    'lull_unsynced',
    'How many things are not known completely, so that nothing is decided (K3); 0 = all is known.',
    ({ unsynced }) => unsynced,
  ),
  gauge('lull_synced_timestamp_seconds', 'When a look at the cluster last found all of it known.', (it) =>
    it.syncedAt === undefined ? undefined : it.syncedAt / second,
  ),
  counter(
    'lull_watch_faults_total',
    'Watches that broke or were refused, each time.',
    ({ watchFaults }) => watchFaults,
  ),
  counter(
    'lull_report_faults_total',
    'Statuses and events that could not be written, each time.',
    ({ reportFaults }) => reportFaults,
  ),
  counter('lull_events_left_out_total', 'Events that were too many to be told.', ({ eventsLeftOut }) => eventsLeftOut),
  gauge(
    'lull_tls_certificate_expiry_timestamp_seconds',
    'When the certificate that the server uses expires; absent without TLS.',
    ({ certificate }) => certificate && certificate.expiresAt / second,
  ),
  gauge(
    'lull_tls_certificate_refused',
    'Whether the files of the certificate hold a pair that cannot be used, so that the one before still is: 1 or 0; absent without TLS.',
    ({ certificate }) => certificate && Number(certificate.refused !== undefined),
  ),
  {
    name: 'lull_viewers',
    type: 'gauge',
    help: 'Who is following live.',
    labels: [],
    samples: ({ viewers }) => [{ value: viewers }],
  },
  {
    name: 'lull_http_waiting_bytes',
    type: 'gauge',
    help: 'Bytes of answers that clients of the server have not taken yet, of all answers together.',
    labels: [],
    samples: ({ answers }) => (answers ? [{ value: answers.waiting }] : []),
  },
  {
    name: 'lull_http_slow_readers_dropped_total',
    type: 'counter',
    help: 'Clients of the server that were disconnected because they did not read their answers.',
    labels: [],
    samples: ({ answers }) => (answers ? [{ value: answers.dropped }] : []),
  },
];

/** As the format has it: each bucket counts all that are below it. */
function durations({ durations: counts, secondsDeciding }: Meter): Sample[] {
  let total = 0;
  const buckets = [...roundBuckets.map(String), '+Inf'].map((le, index) => {
    total += counts[index] ?? 0;
    return { suffix: '_bucket', labels: { le }, value: total };
  });
  return [...buckets, { suffix: '_sum', value: secondsDeciding }, { suffix: '_count', value: total }];
}
