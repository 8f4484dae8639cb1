// Where would the scheduler most likely put a pod? The nodes it could go to, scored as kube-scheduler does by default.
import { tolerates } from '../../cluster/pod.ts';
import type { AskedRows } from './askedRows.ts';
import type { PodClass, Row, Targets } from './board.ts';
import { prefers } from './rule.ts';
import type { ClassRule } from './tables.ts';

/** One score for each node, from 0 to 100, and how much it weighs. Undefined = the rule asks for nothing, and all are alike. */
interface Scorer {
  readonly weight: number;
  scores(rows: readonly Row[], rule: ClassRule, board: AskedRows): readonly number[] | undefined;
}

const best = 100;
/** What the scheduler takes a pod for that requests nothing: 100m and 200 MB. */
const assumed = [100, 200 * 1024 * 1024] as const;

export function findLikely(board: AskedRows, pod: PodClass, targets: Targets): Row | undefined {
  const rows = feasible(board, pod, targets);
  if (rows.length < 2) return rows[0];
  const rule = board.classRule(pod);
  const total = scoreRoom(rows, rule, board);
  for (const { weight, scores } of scorers) {
    const given = scores(rows, rule, board);
    for (let index = 0; given && index < rows.length; index++)
      total[index] = (total[index] as number) + weight * Math.floor(given[index] as number);
  }
  let chosen = 0;
  for (let index = 1; index < rows.length; index++) {
    const difference = (total[index] as number) - (total[chosen] as number);
    const [row, known] = [rows[index] as Row, rows[chosen] as Row];
    if (difference > 0 || (difference === 0 && board.nameOf(row) < board.nameOf(known))) chosen = index;
  }
  return rows[chosen];
}

/** In a large cluster the scheduler looks at some of them only, beginning anywhere: here behind the node that leaves. */
function feasible(board: AskedRows, pod: PodClass, targets: Targets): Row[] {
  const source = board.lastLifted;
  const from = source === undefined ? 0 : board.positionOf(source) + 1;
  const most = enough(board.size);
  const rows: Row[] = [];
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

const needed = ({ columns, amounts }: ClassRule, column: 0 | 1): number => {
  const index = columns.indexOf(column);
  return index < 0 ? assumed[column] : (amounts[index] as number);
};

/**
 * Where most is left, and where cpu and memory are used alike: one score each, of weight 1. Asked of every pod that is moved and every node
 * it could go to, so nothing is allocated on the way.
 */
function scoreRoom(rows: readonly Row[], rule: ClassRule, board: AskedRows): Float64Array {
  const scores = new Float64Array(rows.length);
  const [cpuNeeded, memoryNeeded] = [needed(rule, 0), needed(rule, 1)];
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] as Row;
    const { allocatable } = board.factsOf(row);
    const cpu = used(allocatable[0], board.freeOf(row, 0) - cpuNeeded);
    const memory = used(allocatable[1], board.freeOf(row, 1) - memoryNeeded);
    const left = ((Math.max(1 - cpu, 0) + Math.max(1 - memory, 0)) * best) / 2;
    const alike = (1 - Math.abs(Math.min(cpu, 1) - Math.min(memory, 1)) / 2) * best;
    scores[index] = Math.floor(left) + Math.floor(alike);
  }
  return scores;
}

/** Which share of it would be in use. */
const used = (all = 0, free: number): number => (all > 0 ? 1 - free / all : 1);

const nodeAffinity: Scorer = {
  weight: 2,
  scores: (rows, { preferred }, board) => {
    if (preferred.length === 0) return undefined;
    const weights = rows.map((row) => {
      const place = board.tables.places[board.placeOf(row)];
      return preferred.reduce((sum, { term, weight }) => (place && prefers(term, place) ? sum + weight : sum), 0);
    });
    return upTo(weights);
  },
};

const softTaints: Scorer = {
  weight: 3,
  scores: (rows, { rule }, board) => {
    const taintsAt = (row: Row) => board.tables.places[board.placeOf(row)]?.taints ?? [];
    if (!rows.some((row) => taintsAt(row).some(({ effect }) => effect === 'PreferNoSchedule'))) return undefined;
    const { tolerations = [] } = board.tables.rules[rule] ?? {};
    const counts = rows.map((row) => {
      return taintsAt(row).filter((it) => it.effect === 'PreferNoSchedule' && !tolerates(tolerations, it)).length;
    });
    return upTo(counts).map((score) => best - score);
  },
};

/** ScheduleAnyway: fewer of them in its domain are better; a key with few domains counts less. */
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

/** The highest becomes 100. */
function upTo(values: readonly number[]): readonly number[] {
  const most = Math.max(...values);
  return most > 0 ? values.map((value) => (best * value) / most) : values.map(() => 0);
}
