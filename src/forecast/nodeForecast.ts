// When does each node go, and why? Over all runs: the time in the middle, and the last.
import { compareText } from '../cluster/nodeView.ts';
import type { Reason } from '../cluster/reason.ts';
import type { Instant } from '../time/instant.ts';
import type { Going, Run } from './run.ts';

export interface NodeForecast {
  readonly node: string;
  readonly pool: string;
  readonly domain?: string;
  readonly reason: Reason;
  /** When it is likely to be chosen, and to be gone. */
  readonly begunAt: Instant;
  readonly at: Instant;
  readonly late: Instant;
  /** In how many of the runs it goes for that reason. */
  readonly runs: number;
}

/** What happens in less than half of the runs is chance: another node may go in its place. */
export function nodesOf(runs: readonly Run[]): readonly NodeForecast[] {
  const all = Map.groupBy(
    runs.flatMap(({ goings }) => goings),
    ({ node, reason }) => `${node} ${reason}`,
  );
  return [...all.values()]
    .filter((goings) => goings.length * 2 >= runs.length)
    .map(gather)
    .sort((a, b) => a.at - b.at || compareText(a.node, b.node));
}

function gather(goings: readonly Going[]): NodeForecast {
  const sorted = [...goings].sort((a, b) => a.at - b.at);
  const middle = sorted[Math.floor(sorted.length / 2)] as Going;
  const { through: _, ...going } = middle;
  return { ...going, late: (sorted.at(-1) as Going).at, runs: goings.length };
}
