// Why does a pod fit nowhere? Counted by what keeps it off, and the nearest miss; then as a sentence (J1).
import type { Pod } from '../../cluster/model.ts';
import { formatAmount } from '../../cluster/quantity.ts';
import type { AskedRows } from './askedRows.ts';
import type { Misfit, PodClass, Row, Targets } from './board.ts';
import { type Obstacle, obstacles } from './obstacle.ts';
import type { ClassRule } from './tables.ts';

export function misfitOf(board: AskedRows, pod: PodClass, targets: Targets): Misfit {
  const rule = board.classRule(pod);
  const rows = board.targets(targets);
  const counts = new Map<Obstacle, number>();
  let nearest: Row | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const obstacle = obstacleFor(board, rule, row);
    if (obstacle === undefined) continue;
    counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1);
    if (obstacle !== 'room') continue;
    const { lack } = shortage(board, rule, row);
    if (lack > least || (lack === least && board.nameOf(row) > board.nameOf(nearest as Row))) continue;
    nearest = row;
    least = lack;
  }
  const hole = nearest === undefined ? undefined : holeAt(board, rule, nearest);
  return {
    nodes: rows.length,
    counts: obstacles.flatMap((by) => (counts.has(by) ? [{ by, nodes: counts.get(by) as number }] : [])),
    ...(hole && { hole }),
  };
}

function obstacleFor(board: AskedRows, rule: ClassRule, row: Row): Obstacle | undefined {
  const own = board.admissions.obstacle(rule.rule, board.placeOf(row));
  if (own) return own;
  return board.hasRoom(rule, row) ? board.dispute(rule, row) : 'room';
}

/** The resource it lacks most there, and which share of what it needs. */
function shortage(board: AskedRows, { columns, amounts }: ClassRule, row: Row): { column: number; lack: number } {
  let column = 0;
  let lack = Number.NEGATIVE_INFINITY;
  columns.forEach((it, index) => {
    const needed = amounts[index] as number;
    const share = (needed - board.freeOf(row, it)) / needed;
    if (share <= lack) return;
    lack = share;
    column = it;
  });
  return { column, lack };
}

function holeAt(board: AskedRows, rule: ClassRule, row: Row): Misfit['hole'] {
  const { column } = shortage(board, rule, row);
  const resource = board.tables.resources[column] ?? '';
  const needed = rule.amounts[rule.columns.indexOf(column)] ?? 0;
  return { resource, needed, free: Math.max(board.freeOf(row, column), 0), node: board.nameOf(row) };
}

const words: Record<Obstacle, (nodes: number) => string> = {
  room: (nodes) => `${nodes} ${nodes === 1 ? 'has' : 'have'} too little room`,
  taint: (nodes) => `${nodes} tainted`,
  selector: (nodes) => `${nodes} ${nodes === 1 ? 'does' : 'do'} not match its node selector`,
  zone: (nodes) => `${nodes} in the wrong zone`,
  spread: (nodes) => `${nodes} would break its topology spread`,
  affinity: (nodes) => `${nodes} without the pods it must be near`,
  antiAffinity: (nodes) => `${nodes} with pods it must be apart from`,
  port: (nodes) => `${nodes} with its host port taken`,
  volume: (nodes) => `${nodes} where its volumes cannot be had`,
  attachments: (nodes) => `${nodes} with no more volumes to attach`,
  uncounted: (nodes) => `${nodes} not tried, since its namespace has too many terms or resources`,
};

/** "pod shop/web-7 needs 3 cpu; largest hole 2.1 cpu on node x; 4 nodes tainted; 2 in the wrong zone". */
export function tellMisfit(pod: Pod, { nodes, counts, hole }: Misfit): string {
  if (nodes === 0) return `${needsOf(pod)}; there is no other node`;
  const rest = [...counts].sort((a, b) => b.nodes - a.nodes).filter(({ by }) => by !== 'room' || !hole);
  const told = rest.slice(0, 3).map(({ by, nodes: number }, index) => {
    const text = words[by](number);
    return index === 0 ? text.replace(/^\d+/, `${number} ${number === 1 ? 'node' : 'nodes'}`) : text;
  });
  const open = nodes - counts.reduce((sum, it) => sum + it.nodes, 0);
  const taken = open > 0 ? [`on ${open} it would fit, but other pods of the node are to go there`] : [];
  return [needsOf(pod), ...(hole ? [tellHole(hole)] : []), ...told, ...taken].join('; ');
}

const tellHole = ({ resource, free, node }: NonNullable<Misfit['hole']>): string =>
  resource === 'pods'
    ? `the roomiest node ${node} has as many pods as it may have`
    : `largest hole ${formatAmount(resource, free)} on node ${node}`;

export const nameOfPod = ({ namespace, name }: Pod): string => `pod ${namespace}/${name}`;

function needsOf(pod: Pod): string {
  const amounts = Object.entries(pod.requests).filter(([resource, amount]) => resource !== 'pods' && amount > 0);
  const text = amounts.map(([resource, amount]) => formatAmount(resource, amount)).join(', ');
  return `${nameOfPod(pod)} needs ${text || 'a place'}`;
}
