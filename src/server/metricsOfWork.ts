// Metrics of the process: counters since its start, leadership, synchronization and the HTTP server.
import { second } from '../time/instant.ts';
import { type LabeledCounter, type Meter, roundBuckets } from './meter.ts';
import type { Metric, MetricInputs, Sample } from './metric.ts';

const counters = (
  name: string,
  help: string,
  labels: readonly string[],
  of: (meter: Meter) => LabeledCounter,
): Metric => ({
  name,
  type: 'counter',
  help,
  labels,
  samples: ({ meter }) => of(meter).samples,
});

/** A metric without labels; absent while the value is unknown. */
const single =
  (type: Metric['type']) =>
  (name: string, help: string, of: (inputs: MetricInputs) => number | undefined): Metric => ({
    name,
    type,
    help,
    labels: [],
    samples: (inputs) => {
      const value = of(inputs);
      return value === undefined ? [] : [{ value }];
    },
  });
const [counter, gauge] = [single('counter'), single('gauge')];

const step = ['nodepool', 'reason', 'step'];

export const workMetrics: readonly Metric[] = [
  counters(
    'karpenter_voluntary_disruption_decisions_total',
    'Commands that Lull itself started (drive). In guide Karpenter counts them.',
    ['decision', 'reason', 'consolidation_type'],
    ({ decisions }) => decisions,
  ),
  counters('lull_command_steps_total', 'Steps that commands have entered.', step, ({ steps }) => steps),
  counters(
    'lull_commands_ended_total',
    'Commands that ended: nodes gone, or released.',
    ['nodepool', 'reason', 'how'],
    ({ ended }) => ended,
  ),
  counters(
    'lull_forced_expiries_total',
    "Nodes that Karpenter's hard expiry (expireAfter) disrupted while Lull held them (N7).",
    ['nodepool'],
    ({ forcedExpiries }) => forcedExpiries,
  ),
  {
    name: 'lull_pool_progress_timestamp_seconds',
    type: 'gauge',
    help: 'When a command of a pool last entered a step or ended; absent if none has since the process started.',
    labels: ['nodepool'],
    samples: ({ meter }) => [...meter.progress].map(([nodepool, at]) => ({ labels: { nodepool }, value: at / second })),
  },
  counters(
    'lull_savings_per_hour_total',
    'Total savings per hour of the commands started, if prices are known; commands that increase the cost are not subtracted.',
    ['nodepool', 'reason'],
    ({ savings }) => savings,
  ),
  counters(
    'lull_pods_to_move_total',
    'Pods that the commands started are planned to move, if known in advance.',
    ['nodepool', 'reason'],
    ({ podsMoved }) => podsMoved,
  ),
  counters(
    'lull_searches_total',
    'Searches for nodes that can be consolidated together, by outcome: found, nothing or failed.',
    ['outcome'],
    ({ searches }) => searches,
  ),
  counters(
    'lull_health_gate_checks_total',
    'Checks of HealthGates, by result: Healthy, Unhealthy or Unknown (the check itself failed).',
    ['name', 'result'],
    ({ gateChecks }) => gateChecks,
  ),
  counters(
    'lull_offers_withdrawn_total',
    'Offers that Lull withdrew because Karpenter did not take the node, or a rule now refuses it (guide).',
    ['nodepool', 'reason'],
    ({ withdrawn }) => withdrawn,
  ),
  counter(
    'lull_evictions_deferred_total',
    'Pods that a schedule held on a node being drained, counted once per drain.',
    ({ meter }) => meter.deferrals,
  ),
  counters(
    'lull_requests_total',
    'Requests to the API server, by outcome: done, refused, or away if it did not answer.',
    ['verb', 'kind', 'outcome'],
    ({ requests }) => requests,
  ),
  counters(
    'lull_ledger_commits_total',
    'Writes of the ledger, by outcome: done, conflict if another process wrote first, refused or away.',
    ['outcome'],
    ({ commits }) => commits,
  ),
  counter('lull_rounds_total', 'Rounds decided.', ({ meter }) => meter.rounds),
  {
    name: 'lull_round_duration_seconds',
    type: 'histogram',
    help: 'How long it took to decide a round.',
    labels: [],
    samples: ({ meter }) => durations(meter),
  },
  gauge(
    'lull_rounds_late',
    'Whether rounds are late: 1 if the last one took 10 s or longer, else 0; absent before the first.',
    ({ meter }) => (meter.lastRound === undefined ? undefined : Number(meter.lateRound !== undefined)),
  ),
  counter('lull_defects_total', 'Rounds that failed because of a bug in Lull.', ({ meter }) => meter.defects),
  gauge('lull_leader', 'Whether this process is the leader.', ({ meter }) => asNumber(meter.leads)),
  gauge(
    'lull_born_parked',
    'Whether the admission policy lull-born-parked parks new nodes on creation, so that they are protected even while Lull does not run (guide): 1 or 0; absent if the policy cannot be read.',
    ({ meter }) => asNumber(meter.bornParked),
  ),
  gauge(
    'lull_unsynced',
    'How many watched resources are not synced, so that nothing is decided (K3); 0 if all are.',
    ({ meter }) => meter.unsynced,
  ),
  gauge('lull_synced_timestamp_seconds', 'When all watched resources were last synced.', ({ meter }) =>
    meter.syncedAt === undefined ? undefined : meter.syncedAt / second,
  ),
  counter('lull_watch_faults_total', 'Watches that failed or were refused.', ({ meter }) => meter.watchFaults),
  counter(
    'lull_report_faults_total',
    'Statuses and events that could not be written.',
    ({ meter }) => meter.reportFaults,
  ),
  counter(
    'lull_events_left_out_total',
    'Events that were dropped because there were too many.',
    ({ meter }) => meter.eventsLeftOut,
  ),
  gauge(
    'lull_tls_certificate_expiry_timestamp_seconds',
    "When the server's certificate expires; absent without TLS.",
    ({ meter: { certificate } }) => certificate && certificate.expiresAt / second,
  ),
  gauge(
    'lull_tls_certificate_refused',
    'Whether the certificate files contain an invalid pair, so that the server still uses the previous one: 1 or 0; absent without TLS.',
    ({ meter: { certificate } }) => certificate && Number(certificate.refused !== undefined),
  ),
  gauge('lull_viewers', 'Clients that follow live.', ({ viewers }) => viewers),
  gauge(
    'lull_http_waiting_bytes',
    'Bytes of all responses that clients have not read yet.',
    ({ answers }) => answers?.waiting,
  ),
  counter(
    'lull_http_slow_readers_dropped_total',
    'Clients that were disconnected because they did not read their responses.',
    ({ answers }) => answers?.dropped,
  ),
];

const asNumber = (value: boolean | undefined): number | undefined => (value === undefined ? undefined : Number(value));

/** Buckets are cumulative, as in Prometheus' format. */
function durations({ durations: counts, secondsDeciding }: Meter): Sample[] {
  let total = 0;
  const buckets = [...roundBuckets.map(String), '+Inf'].map((le, index) => {
    total += counts[index] ?? 0;
    return { suffix: '_bucket', labels: { le }, value: total };
  });
  return [...buckets, { suffix: '_sum', value: secondsDeciding }, { suffix: '_count', value: total }];
}
