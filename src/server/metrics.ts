// What does Prometheus read (J5)? A handful of figures of the last round; upstream's names where the meaning is the same.
import type { Round, Verdict } from '../engine/verdict.ts';
import { second } from '../time/instant.ts';
import type { Source } from './source.ts';

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Counts {
  readonly rounds: number;
  readonly viewers: number;
}

export function renderMetrics(source: Source, counts: Counts): string {
  const round = source.latest()?.round;
  const all = [...ofServer(counts), ...(round ? ofRound(round) : [])];
  return all.map(render).join('');
}

const ofServer = ({ rounds, viewers }: Counts): Metric[] => [
  { name: 'lull_rounds_total', type: 'counter', help: 'Rounds decided.', samples: [{ value: rounds }] },
  { name: 'lull_viewers', type: 'gauge', help: 'Who is following live.', samples: [{ value: viewers }] },
];

const ofRound = (round: Round): Metric[] => [
  {
    name: 'lull_round_timestamp_seconds',
    type: 'gauge',
    help: 'When the last round was decided.',
    samples: [{ value: round.at / second }],
  },
  {
    name: 'karpenter_nodepools_allowed_disruptions',
    type: 'gauge',
    help: 'How many more nodes of a pool may go now for a reason; absent = no limit.',
    samples: round.allowances.flatMap(({ pool, reason, left }) =>
      left === undefined ? [] : [{ labels: { nodepool: pool, reason }, value: left }],
    ),
  },
  {
    name: 'lull_wishes',
    type: 'gauge',
    help: 'Nodes with a reason to go, and what became of it.',
    samples: tally(round.verdicts, ({ pool, reason, outcome }: Verdict) => ({ pool, reason, outcome })),
  },
  {
    name: 'lull_refusals',
    type: 'gauge',
    help: 'Refusals of the last round.',
    samples: tally(
      round.verdicts.flatMap(({ refusals }) => refusals),
      ({ code }) => ({ code }),
    ),
  },
  {
    name: 'lull_commands',
    type: 'gauge',
    help: 'Commands under way.',
    samples: tally(round.commands, ({ pool, reason, step }) => ({ pool, reason, step })),
  },
  {
    name: 'lull_faults',
    type: 'gauge',
    help: 'What is wrong with the policy.',
    samples: tally(round.faults, ({ severity }) => ({ severity })),
  },
];

function tally<It>(items: readonly It[], labelsOf: (item: It) => Readonly<Record<string, string>>): Sample[] {
  const groups = Map.groupBy(items, (item) => JSON.stringify(labelsOf(item)));
  return [...groups].map(([key, group]) => ({
    labels: JSON.parse(key) as Record<string, string>,
    value: group.length,
  }));
}

const render = ({ name, type, help, samples }: Metric): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map((sample) => renderSample(name, sample)).join('')}`;

function renderSample(name: string, { labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${quoted(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
}

/** As the text format wants it. */
const quoted = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
