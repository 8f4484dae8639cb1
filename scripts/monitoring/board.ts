// What does the Grafana dashboard show? Rows of panels, each with its questions to Prometheus; boardJson.ts writes it as Grafana reads it.

export interface Query {
  readonly expr: string;
  /** `{{label}}` is the value of a label. */
  readonly legend: string;
}

export interface Panel {
  readonly title: string;
  readonly says: string;
  readonly kind: 'stat' | 'timeseries' | 'bargauge' | 'state-timeline' | 'table';
  /** Of 24 columns. */
  readonly width: number;
  readonly unit?: string;
  /** From this value on it is orange, and from the second on red. */
  readonly alarms?: readonly [orange: number, red: number];
  /** One colour over the other, so that the height is their sum. */
  readonly stacked?: boolean;
  readonly queries: readonly Query[];
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** What everybody may narrow the board down to. */
const here = 'cluster=~"$cluster"';
const pools = `${here},nodepool=~"$nodepool"`;

const one = (expr: string, legend = ''): readonly Query[] => [{ expr, legend }];

export const board: readonly Row[] = [
  {
    title: 'At a glance',
    panels: [
      {
        title: 'Leads',
        says: 'How many processes hold the lease: one.',
        kind: 'stat',
        width: 4,
        queries: one(`sum(lull_leader{${here}})`),
      },
      {
        title: 'Would go',
        says: 'Nodes with a reason to go that are held, by reason.',
        kind: 'stat',
        width: 8,
        queries: one(`sum by (reason) (lull_wishes{${pools},outcome="held"})`, '{{reason}}'),
      },
      {
        title: 'On their way',
        says: 'Commands under way.',
        kind: 'stat',
        width: 4,
        queries: one(`sum(lull_commands{${pools}}) or vector(0)`),
      },
      {
        title: 'Held without an end',
        says: 'Nodes that must go some day, held by something that only a person lifts.',
        kind: 'stat',
        width: 4,
        alarms: [1, 10],
        queries: one(`sum(lull_held_without_end{${pools}}) or vector(0)`),
      },
      {
        title: 'Errors in policy',
        says: 'What cannot be read in pools, windows and schedules.',
        kind: 'stat',
        width: 4,
        alarms: [1, 1],
        queries: one(`sum(lull_objects_at_fault{${here}}) or vector(0)`),
      },
    ],
  },
  {
    title: 'Rolls',
    panels: [
      {
        title: 'Whose turn it is',
        says: 'Domains that go one after another: turn, settling, waiting, done.',
        kind: 'table',
        width: 8,
        queries: one(`lull_turn{${pools}} == 1`, '{{nodepool}} {{domain}}: {{state}}'),
      },
      {
        title: 'Nodes that should go',
        says: 'By reason: a roll is done when its line is at zero.',
        kind: 'timeseries',
        width: 8,
        stacked: true,
        queries: one(`sum by (nodepool, reason) (lull_wishes{${pools}})`, '{{nodepool}} {{reason}}'),
      },
      {
        title: 'Not well after their turn',
        says: 'How many things a domain lacks before the turn passes (C13).',
        kind: 'timeseries',
        width: 8,
        queries: one(`lull_domain_unwell{${pools}}`, '{{nodepool}} {{domain}}'),
      },
      {
        title: 'May go now',
        says: 'What is left of the budgets. Absent where there is no limit.',
        kind: 'timeseries',
        width: 12,
        queries: one(
          `min by (nodepool, reason) (karpenter_nodepools_allowed_disruptions{${pools}} and on (instance) lull_leader == 1)`,
          '{{nodepool}} {{reason}}',
        ),
      },
      {
        title: 'Expiry comes first',
        says: 'Nodes that will be deleted for their age before they could be replaced in order (an estimate; `lull forecast` knows more).',
        kind: 'timeseries',
        width: 12,
        queries: one(`lull_expiry_overtaken_nodes{${pools}}`, '{{nodepool}}'),
      },
    ],
  },
  {
    title: 'What holds nodes',
    panels: [
      {
        title: 'Held now, by code',
        says: 'A node counts once for each code. docs/reference/refusals.md says what helps.',
        kind: 'bargauge',
        width: 8,
        queries: one(`sort_desc(sum by (code) (lull_held_nodes{${pools}}))`, '{{code}}'),
      },
      {
        title: 'Held over time, by code',
        says: 'The same over time.',
        kind: 'timeseries',
        width: 16,
        stacked: true,
        queries: one(`sum by (code) (lull_held_nodes{${pools}})`, '{{code}}'),
      },
    ],
  },
  {
    title: 'Windows',
    panels: [
      {
        title: 'Open',
        says: 'When each window was open.',
        kind: 'state-timeline',
        width: 12,
        queries: one(`lull_window_open{${here}}`, '{{kind}} {{name}}'),
      },
      {
        title: 'Holding back',
        says: 'Nodes that a MaintenanceWindow, or pods that a PodDisruptionSchedule, holds back.',
        kind: 'timeseries',
        width: 6,
        queries: one(`lull_window_holding{${here}} > 0`, '{{kind}} {{name}}'),
      },
      {
        title: 'Pods that a schedule keeps',
        says: 'All of them, and those on nodes that are being drained.',
        kind: 'timeseries',
        width: 6,
        queries: [
          { expr: `sum(lull_pods_protected{${here}})`, legend: 'protected' },
          { expr: `sum(lull_evictions_deferred{${here}})`, legend: 'drains wait for' },
        ],
      },
    ],
  },
  {
    title: 'Commands',
    panels: [
      {
        title: 'Under way, by step',
        says: 'How far they are.',
        kind: 'timeseries',
        width: 8,
        stacked: true,
        queries: one(`sum by (step) (lull_commands{${pools}})`, '{{step}}'),
      },
      {
        title: 'Longest without getting on',
        says: 'How long the slowest command of a step has stood still. Those that wait for a pod’s hour are left out.',
        kind: 'timeseries',
        width: 8,
        unit: 's',
        queries: one(
          `time() - min by (nodepool, step) (lull_command_progress_timestamp_seconds{${pools}})`,
          '{{nodepool}} {{step}}',
        ),
      },
      {
        title: 'Over, an hour',
        says: 'Nodes that are gone, and commands that were released.',
        kind: 'timeseries',
        width: 8,
        queries: [
          {
            expr: `sum by (reason, how) (increase(lull_commands_ended_total{${pools}}[1h]))`,
            legend: '{{reason}} {{how}}',
          },
          { expr: `sum(increase(lull_offers_withdrawn_total{${pools}}[1h]))`, legend: 'offers withdrawn' },
        ],
      },
    ],
  },
  {
    title: 'How Lull is',
    panels: [
      {
        title: 'Rounds',
        says: 'A second. Each change of the cluster is worth one.',
        kind: 'timeseries',
        width: 6,
        queries: [
          { expr: `sum(rate(lull_rounds_total{${here}}[$__rate_interval]))`, legend: 'rounds' },
          { expr: `sum(rate(lull_defects_total{${here}}[$__rate_interval]))`, legend: 'failed by a defect' },
        ],
      },
      {
        title: 'How long a round takes',
        says: 'Half of them, and 99 of 100. From 10 s on they are late.',
        kind: 'timeseries',
        width: 6,
        unit: 's',
        queries: [0.5, 0.99].map((share) => ({
          expr: `histogram_quantile(${share}, sum by (le) (rate(lull_round_duration_seconds_bucket{${here}}[$__rate_interval])))`,
          legend: `${share * 100} %`,
        })),
      },
      {
        title: 'Requests',
        says: 'What came of them.',
        kind: 'timeseries',
        width: 6,
        queries: [
          {
            expr: `sum by (verb, kind, outcome) (rate(lull_requests_total{${here}}[$__rate_interval]))`,
            legend: '{{verb}} {{kind}} {{outcome}}',
          },
          {
            expr: `sum by (outcome) (rate(lull_ledger_commits_total{${here}}[$__rate_interval]))`,
            legend: 'ledger {{outcome}}',
          },
        ],
      },
      {
        title: 'What goes wrong',
        says: 'Watches, statuses and events, and what is not known yet.',
        kind: 'timeseries',
        width: 6,
        queries: [
          { expr: `sum(increase(lull_watch_faults_total{${here}}[$__rate_interval]))`, legend: 'watches' },
          { expr: `sum(increase(lull_report_faults_total{${here}}[$__rate_interval]))`, legend: 'statuses and events' },
          { expr: `max(lull_unsynced{${here}})`, legend: 'not known' },
        ],
      },
    ],
  },
];
