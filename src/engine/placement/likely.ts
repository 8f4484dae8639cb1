// The node where kube-scheduler would most likely put a pod: feasible nodes, scored by its default plugins.
import { tolerates } from '../../cluster/pod.ts';
import type { Board } from './board.ts';
import type { Targets } from './nodeRows.ts';
import { prefers } from './placementRule.ts';
import type { ClassRule, PodClass, RowId } from './tables.ts';

/** A scoring plugin with its weight: one score per node, from 0 to 100. Undefined = all nodes are equal. */
interface Scorer {
  readonly weight: number;
  scores(rows: readonly RowId[], rule: ClassRule, board: Board): readonly number[] | undefined;
}

const best = 100;
/** What the scheduler assumes for a pod without requests: 100m cpu and 200 MB. */
const assumed = [100, 200 * 1024 * 1024] as const;

/** The node with the best score, the first by name if several have it; undefined = the pod fits on none. */
export function findLikely(board: Board, pod: PodClass, targets: Targets): RowId | undefined {
  const rows = feasible(board, pod, targets);
  if (rows.length < 2) return rows[0];
  const rule = board.classRule(pod);
  const total = scoreRoom(rows, rule, board);
  for (const { weight, scores } of scorers) {
    const given = scores(rows, rule, board);
    given?.forEach((score, index) => {
      total[index] = (total[index] ?? 0) + weight * Math.floor(score);
    });
  }
  let chosen: RowId | undefined;
  let most = Number.NEGATIVE_INFINITY;
  rows.forEach((row, index) => {
    const score = total[index] ?? 0;
    const isFirst = chosen === undefined || board.rows.nameOf(row) < board.rows.nameOf(chosen);
    if (score < most || (score === most && !isFirst)) return;
    most = score;
    chosen = row;
  });
  return chosen;
}

/** In a large cluster the scheduler evaluates only some nodes, starting anywhere. Here it starts after the removed node. */
function feasible(board: Board, pod: PodClass, targets: Targets): RowId[] {
  const source = board.lastRemoved();
  const from = source === undefined ? 0 : board.positionOf(source) + 1;
  const most = enough(board.rows.size);
  const rows: RowId[] = [];
  for (const start of [from, 0]) {
    for (const row of board.mightHaveRoom(pod, start, targets)) {
      if (rows.length === most || (start === 0 && from > 0 && board.positionOf(row) >= from)) break;
      if (board.fits(pod, row)) rows.push(row);
    }
    if (from === 0) break;
  }
  return rows;
}

function enough(nodes: number): number {
  if (nodes < 100) return nodes;
  return Math.max(100, Math.floor((nodes * Math.max(50 - nodes / 125, 5)) / 100));
}

const needed = ({ needs }: ClassRule, column: 0 | 1): number =>
  needs.find((it) => it.column === column)?.amount ?? assumed[column];

/**
 * LeastAllocated and BalancedAllocation, each with weight 1. Runs for every moved pod and every feasible node, so it allocates nothing
 * per node.
 */
function scoreRoom(rows: readonly RowId[], rule: ClassRule, board: Board): Float64Array {
  const scores = new Float64Array(rows.length);
  const [cpuNeeded, memoryNeeded] = [needed(rule, 0), needed(rule, 1)];
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] ?? 0;
    const { allocatable = [] } = board.rows.factsOf(row) ?? {};
    const cpu = used(allocatable[0], board.rows.freeOf(row, 0) - cpuNeeded);
    const memory = used(allocatable[1], board.rows.freeOf(row, 1) - memoryNeeded);
    const left = ((Math.max(1 - cpu, 0) + Math.max(1 - memory, 0)) * best) / 2;
    const alike = (1 - Math.abs(Math.min(cpu, 1) - Math.min(memory, 1)) / 2) * best;
    scores[index] = Math.floor(left) + Math.floor(alike);
  }
  return scores;
}

/** The fraction that would be in use. */
const used = (all = 0, free: number): number => (all > 0 ? 1 - free / all : 1);

const nodeAffinity: Scorer = {
  weight: 2,
  scores: (rows, { preferred }, board) => {
    if (preferred.length === 0) return undefined;
    const weights = rows.map((row) => {
      const traits = board.tables.traits[board.rows.traitsOf(row)];
      return preferred.reduce((sum, { term, weight }) => (traits && prefers(term, traits) ? sum + weight : sum), 0);
    });
    return upTo(weights);
  },
};

const softTaints: Scorer = {
  weight: 3,
  scores: (rows, { rule }, board) => {
    const taintsAt = (row: RowId) => board.tables.traits[board.rows.traitsOf(row)]?.taints ?? [];
    if (!rows.some((row) => taintsAt(row).some(({ effect }) => effect === 'PreferNoSchedule'))) return undefined;
    const { tolerations = [] } = board.tables.rules[rule] ?? {};
    const counts = rows.map((row) => {
      return taintsAt(row).filter((it) => it.effect === 'PreferNoSchedule' && !tolerates(tolerations, it)).length;
    });
    return upTo(counts).map((score) => best - score);
  },
};

/** ScheduleAnyway: fewer matching pods in the domain are better. A key with few domains counts less. */
const softSpread: Scorer = {
  weight: 2,
  scores: (rows, { softSpread: spread }, board) => {
    if (spread.length === 0) return undefined;
    const { tallies } = board;
    const counts = rows.map((row) =>
      spread.reduce((sum, { tally, maxSkew }) => {
        const size = Math.log(tallies.domains(tally) + 2);
        return sum + tallies.at(tally, row) * size + (maxSkew - 1);
      }, 0),
    );
    const lacks = rows.map((row) => spread.some(({ tally }) => tallies.domainAt(tally, row) < 0));
    const known = counts.filter((_, index) => !lacks[index]);
    const [most, least] = [Math.max(...known), Math.min(...known)];
    return counts.map((count, index) => {
      if (lacks[index]) return 0;
      return most === 0 ? best : (best * (most + least - count)) / most;
    });
  },
};

const podAffinity: Scorer = {
  weight: 2,
  scores: (rows, { liked }, board) => {
    if (liked.length === 0) return undefined;
    const sums = rows.map((row) =>
      liked.reduce((sum, { tally, weight }) => sum + weight * board.tallies.at(tally, row), 0),
    );
    const [most, least] = [Math.max(...sums), Math.min(...sums)];
    return sums.map((sum) => (most > least ? (best * (sum - least)) / (most - least) : 0));
  },
};

const scorers: readonly Scorer[] = [nodeAffinity, softTaints, softSpread, podAffinity];

/** Scales the scores so that the highest is 100. */
function upTo(values: readonly number[]): readonly number[] {
  const most = Math.max(...values);
  return most > 0 ? values.map((value) => (best * value) / most) : values.map(() => 0);
}
