// Pods whose schedule annotations cost time and memory (issue 15, item 1).
import { type HostileRow, hostilePod } from './hostileRow.ts';
import { mulberry32 } from './random.ts';

type Annotations = Record<string, string>;

const allow = 'karpenter.sh/disruption-schedule';
const block = 'karpenter.sh/disruption-block-schedule';
const allowFor = 'karpenter.sh/disruption-schedule-duration';
const blockFor = 'karpenter.sh/disruption-block-duration';
const zone = { 'karpenter.sh/disruption-schedule-timezone': 'Europe/Berlin' };

/** No two pods have the same block schedule: nothing is shared. */
const missedHours = (i: number): Annotations => ({
  ...zone,
  [allow]: '0 * * * *',
  [allowFor]: '1m',
  [block]: `0-48 * * * *; ${i % 49} 0 * * *`,
  [blockFor]: '1m',
});

const missedCrons = (i: number): Annotations => ({
  ...missedHours(i),
  [block]: Array.from({ length: 49 }, (_, minute) => `${(minute + i) % 49} * * * *`).join('; '),
});

const cron = (random: () => number): string => {
  const below = (limit: number): number => Math.floor(random() * limit);
  return `${below(60)} ${below(24)} ${1 + below(28)} ${1 + below(12)} ${below(7)}`;
};
const crons = (count: number, random: () => number): string =>
  Array.from({ length: count }, () => cron(random)).join('; ');

const randomCrons = (_: number, random: () => number): Annotations => ({ ...zone, [allow]: crons(50, random) });
const fewCrons = (_: number, random: () => number): Annotations => ({
  ...zone,
  [allow]: crons(2, random),
  [block]: crons(2, random),
});

/** Adjacent half-hours that cover the day, on the days that the pod's number selects. */
const halfHours = (days: string): string =>
  Array.from({ length: 48 }, (_, i) => `${(i % 2) * 30} ${i >> 1} ${days}`).join('; ');

const allowAndBlock = (i: number): Annotations => ({
  ...zone,
  [allow]: halfHours(`${1 + (i % 28)} * *`),
  [allowFor]: `${30 + (i % 29)}m`,
  [block]: halfHours(`* ${1 + (i % 12)} ${i % 7}`),
  [blockFor]: `${30 + (i % 31)}m`,
});

const weekCrons = (i: number, random: () => number): Annotations => ({
  ...zone,
  [allow]: Array.from({ length: 50 }, () => `${i % 60} ${Math.floor(random() * 24)} * * 1-5`).join('; '),
  [allowFor]: '168h',
});

interface Count {
  readonly nodes: number;
  readonly pods: number;
}

function row(
  name: string,
  { nodes, pods }: Count,
  annotationsOf: (index: number, random: () => number) => Annotations,
): HostileRow {
  return {
    name,
    nodes,
    *objects() {
      const random = mulberry32(7);
      for (let i = 0; i < pods; i++)
        yield hostilePod({ index: i, node: i % nodes, annotations: annotationsOf(i, random) });
    },
  };
}

const few = [5, 20, 60];

export const scheduleRows: readonly HostileRow[] = [
  ...few.map((pods) => row(`${pods} pods: allow 1 minute an hour, block 49`, { nodes: 100, pods }, missedHours)),
  ...few.map((pods) => row(`${pods} pods: the same by 49 crons`, { nodes: 100, pods }, missedCrons)),
  row('5,000 pods × 50 random crons', { nodes: 250, pods: 5000 }, randomCrons),
  row('5,000 pods × 4 random crons', { nodes: 250, pods: 5000 }, fewCrons),
  row('3,000 pods: allow 48 crons, block 48', { nodes: 500, pods: 3000 }, allowAndBlock),
  row('1,000 pods × 50 crons of a week each', { nodes: 500, pods: 1000 }, weekCrons),
];
