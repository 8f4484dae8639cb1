// How far above the optimum Lull comes to rest: small clusters from seeds, with HiGHS as the judge.
import { type Gap, gapOf, quantile, sharesAbove } from '../test/oracle/gaps.ts';
import { table } from './table.ts';

export async function againstOptimum(seeds: number): Promise<string> {
  const gaps: Gap[] = [];
  for (let seed = 0; seed < seeds; seed++) gaps.push(await gapOf(seed));
  const row = (name: string, costOf: (gap: Gap) => number): string[] => {
    const shares = sharesAbove(gaps, costOf);
    const there = shares.filter((share) => share < 1e-6).length;
    return [name, ...[0.5, 0.75, 0.9, 1].map((at) => percent(quantile(shares, at))), `${there} of ${shares.length}`];
  };
  const unsettled = gaps.filter(({ optimum }) => optimum === undefined).length;
  const stranded = gaps.reduce((sum, gap) => sum + gap.stranded, 0);
  return [
    table(
      ['above the optimum (HiGHS)', 'median', '75 of 100', '90 of 100', 'worst', 'exactly there'],
      [
        row('before', ({ start }) => start),
        row('single nodes alone', ({ alone }) => alone),
        row('with the search', ({ searched }) => searched),
      ],
    ),
    `${seeds} clusters of 3 to 12 nodes; HiGHS did not settle ${unsettled} of them in time; ${stranded} pods found no place where Lull had seen one.`,
  ].join('\n\n');
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
