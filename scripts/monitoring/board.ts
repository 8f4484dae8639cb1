// The Grafana dashboard: rows of panels with their Prometheus queries. boardJson.ts renders it as JSON.

interface Query {
  readonly expr: string;
  /** `{{label}}` is replaced by the value of a label. */
  readonly legend: string;
}

export interface Panel {
  readonly title: string;
  readonly description: string;
  readonly kind: 'stat' | 'timeseries' | 'bargauge' | 'state-timeline' | 'table';
  /** In columns, of 24. */
  readonly width: number;
  readonly unit?: string;
  /** The thresholds for orange and red. */
  readonly alarms?: readonly [orange: number, red: number];
  /** Stacks the series, so that the height is their sum. */
  readonly stacked?: boolean;
  readonly queries: readonly Query[];
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** The filters a user can choose. */
const here = 'cluster=~"$cluster"';
const pools = `${here},nodepool=~"$nodepool"`;

const one = (expr: string, legend = ''): readonly Query[] => [{ expr, legend }];

export const board: readonly Row[] = [
  {
    title: 'At a glance',
    panels: [
      {
        title: 'Leaders',
        description: 'How many processes hold the lease. Must be 1.',
        kind: 'stat',
        width: 4,
        queries: one(`sum(lull_leader{${here}})`),
      },
      {
        title: 'Held',
        description: 'Nodes with a reason to be disrupted that are held, by reason.',
        kind: 'stat',
        width: 8,
        queries: one(`sum by (reason) (lull_wishes{${pools},outcome="held"})`, '{{reason}}'),
      },
      {
        title: 'Commands in progress',
        description: 'Nodes being disrupted together count as one command.',
        kind: 'stat',
        width: 4,
        queries: one(`sum(lull_commands{${pools}}) or vector(0)`),
      },
      {
        title: 'Held until someone acts',
        description: 'Nodes that must be disrupted eventually, held by something that only a user can lift.',
        kind: 'stat',
        width: 4,
        alarms: [1, 10],
        queries: one(`sum(lull_held_without_end{${pools}}) or vector(0)`),
      },
      {
        title: 'Errors in policy',
        description: 'Errors in pools, windows and schedules. Each holds everything the object covers.',
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
        title: 'Turns',
        description: 'Domains that are rolled one after another: turn, settling, waiting, done.',
        kind: 'table',
        width: 8,
        queries: one(`lull_turn{${pools}} == 1`, '{{nodepool}} {{domain}}: {{state}}'),
      },
      {
        title: 'Nodes to disrupt',
        description: 'Nodes with a reason to be disrupted. A roll is done when its line is at zero.',
        kind: 'timeseries',
        width: 8,
        stacked: true,
        queries: one(`sum by (nodepool, reason) (lull_wishes{${pools}})`, '{{nodepool}} {{reason}}'),
      },
      {
        title: 'Not healthy after their turn',
        description: 'How many checks of a domain are not healthy yet, before the turn passes (C13).',
        kind: 'timeseries',
        width: 8,
        queries: one(`lull_domain_unwell{${pools}}`, '{{nodepool}} {{domain}}'),
      },
      {
        title: 'Allowed disruptions',
        description: 'How many more nodes may be disrupted now under the budgets. Absent if there is no limit.',
        kind: 'timeseries',
        width: 12,
        queries: one(
          `min by (nodepool, reason) (karpenter_nodepools_allowed_disruptions{${pools}} and on (instance) lull_leader == 1)`,
          '{{nodepool}} {{reason}}',
        ),
      },
      {
        title: 'Expiry before replacement',
        description:
          'Nodes that reach their hard expiry before Lull can replace them (an estimate; use `lull forecast` for details).',
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
        description: 'A node counts once for each code. See docs/reference/refusals.md for what to do.',
        kind: 'bargauge',
        width: 8,
        queries: one(`sort_desc(sum by (code) (lull_held_nodes{${pools}}))`, '{{code}}'),
      },
      {
        title: 'Held over time, by code',
        description: 'A node counts once for each code.',
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
        description: 'When each window was open.',
        kind: 'state-timeline',
        width: 12,
        queries: one(`lull_window_open{${here}}`, '{{kind}} {{name}}'),
      },
      {
        title: 'Holding',
        description: 'Nodes that a MaintenanceWindow, or pods that a PodDisruptionSchedule, holds.',
        kind: 'timeseries',
        width: 6,
        queries: one(`lull_window_holding{${here}} > 0`, '{{kind}} {{name}}'),
      },
      {
        title: 'Pods held by a schedule',
        description: 'All of them, and those on nodes being drained.',
        kind: 'timeseries',
        width: 6,
        queries: [
          { expr: `sum(lull_pods_protected{${here}})`, legend: 'protected' },
          { expr: `sum(lull_evictions_deferred{${here}})`, legend: 'on nodes being drained' },
        ],
      },
    ],
  },
  {
    title: 'Commands',
    panels: [
      {
        title: 'In progress, by step',
        description: 'Commands in progress.',
        kind: 'timeseries',
        width: 8,
        stacked: true,
        queries: one(`sum by (step) (lull_commands{${pools}})`, '{{step}}'),
      },
      {
        title: 'Longest time without progress',
        description:
          'How long the slowest command in a step has made no progress. Commands that wait for a pod’s schedule do not count.',
        kind: 'timeseries',
        width: 8,
        unit: 's',
        queries: one(
          `time() - min by (nodepool, step) (lull_command_progress_timestamp_seconds{${pools}})`,
          '{{nodepool}} {{step}}',
        ),
      },
      {
        title: 'Ended per hour',
        description: 'Commands whose nodes are gone, commands that were released, and withdrawn offers.',
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
    title: 'Lull itself',
    panels: [
      {
        title: 'Rounds',
        description: 'Rounds per second. Lull decides one after each change in the cluster.',
        kind: 'timeseries',
        width: 6,
        queries: [
          { expr: `sum(rate(lull_rounds_total{${here}}[$__rate_interval]))`, legend: 'rounds' },
          { expr: `sum(rate(lull_defects_total{${here}}[$__rate_interval]))`, legend: 'failed (bug)' },
        ],
      },
      {
        title: 'Round duration',
        description: 'Median and 99th percentile. Rounds of 10 s or longer are late.',
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
        description: 'Requests to the API server and writes of the ledger, by outcome.',
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
        title: 'Errors',
        description: 'Failed watches, statuses and events, and resources that are not synced.',
        kind: 'timeseries',
        width: 6,
        queries: [
          { expr: `sum(increase(lull_watch_faults_total{${here}}[$__rate_interval]))`, legend: 'watches' },
          { expr: `sum(increase(lull_report_faults_total{${here}}[$__rate_interval]))`, legend: 'statuses and events' },
          { expr: `max(lull_unsynced{${here}})`, legend: 'not synced' },
        ],
      },
    ],
  },
];
