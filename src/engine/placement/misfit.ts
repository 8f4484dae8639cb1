// Why a pod fits on no node: the number of nodes by obstacle and the nearest miss, and the message about it (J1).
import type { Pod } from '../../cluster/model.ts';
import { formatAmount } from '../../cluster/quantity.ts';
import type { Board } from './board.ts';
import type { Targets } from './nodeRows.ts';
import { type Obstacle, obstacles } from './placementRule.ts';
import type { ClassRule, Need, PodClass, RowId } from './tables.ts';

export interface Misfit {
  /** How many targets were checked. */
  readonly nodes: number;
  /** How many nodes each obstacle excludes. The first obstacle of a node counts. */
  readonly counts: readonly { readonly by: Obstacle; readonly nodes: number }[];
  /** Among the nodes that lack only room: the nearest miss, and the resource it lacks most. */
  readonly nearest?: NearestMiss;
}

interface NearestMiss {
  readonly resource: string;
  readonly needed: number;
  readonly free: number;
  readonly node: string;
}

export function misfitOf(board: Board, pod: PodClass, targets: Targets): Misfit {
  const rule = board.classRule(pod);
  const rows = board.targets(targets);
  const counts = new Map<Obstacle, number>();
  let nearest: Shortage | undefined;
  for (const row of rows) {
    const obstacle = obstacleFor(board, rule, row);
    if (obstacle === undefined) continue;
    counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1);
    if (obstacle !== 'room') continue;
    const short = shortage(board, rule, row);
    if (!nearest || short.lack < nearest.lack || (short.lack === nearest.lack && short.node < nearest.node))
      nearest = short;
  }
  return {
    nodes: rows.length,
    counts: obstacles.flatMap((by) => {
      const number = counts.get(by);
      return number === undefined ? [] : [{ by, nodes: number }];
    }),
    ...(nearest && { nearest: nearestMiss(board, nearest) }),
  };
}

function obstacleFor(board: Board, rule: ClassRule, row: RowId): Obstacle | undefined {
  const own = board.admissions.obstacle(rule.rule, board.rows.traitsOf(row));
  if (own) return own;
  return board.rows.hasRoom(rule, row) ? board.conflict(rule, row) : 'room';
}

/** The resource a node lacks most, and the missing fraction of the request. */
interface Shortage {
  readonly row: RowId;
  readonly node: string;
  readonly most: Need;
  readonly lack: number;
}

function shortage(board: Board, { needs }: ClassRule, row: RowId): Shortage {
  const node = board.rows.nameOf(row);
  let short: Shortage = { row, node, most: { column: 0, amount: 0 }, lack: Number.NEGATIVE_INFINITY };
  for (const need of needs) {
    const lack = (need.amount - board.rows.freeOf(row, need.column)) / need.amount;
    if (lack > short.lack) short = { ...short, most: need, lack };
  }
  return short;
}

function nearestMiss({ tables, rows }: Board, { row, node, most }: Shortage): NearestMiss {
  const free = Math.max(rows.freeOf(row, most.column), 0);
  return { resource: tables.resources[most.column] ?? '', needed: most.amount, free, node };
}

const obstacleTexts: Record<Obstacle, (nodes: number) => string> = {
  room: (nodes) => `${nodes} ${nodes === 1 ? 'has' : 'have'} too little room`,
  taint: (nodes) => `${nodes} with taints it does not tolerate`,
  selector: (nodes) => `${nodes} ${nodes === 1 ? 'does' : 'do'} not match its node selector`,
  zone: (nodes) => `${nodes} in the wrong zone`,
  spread: (nodes) => `${nodes} would violate its topology spread constraints`,
  affinity: (nodes) => `${nodes} without the pods that its affinity requires`,
  antiAffinity: (nodes) => `${nodes} excluded by pod anti-affinity`,
  port: (nodes) => `${nodes} with its host port in use`,
  volume: (nodes) => `${nodes} where its volumes are not available`,
  attachments: (nodes) => `${nodes} that cannot attach more volumes`,
  uncounted: (nodes) => `${nodes} not tried, because its namespace has too many affinity terms or resources`,
};

/** "pod shop/web-7 needs 3 cpu; at most 2.1 cpu is free, on node x; 4 nodes with taints it does not tolerate; 2 in the wrong zone". */
export function describeMisfit(pod: Pod, { nodes, counts, nearest }: Misfit): string {
  if (nodes === 0) return `${describeNeeds(pod)}; there is no other node`;
  const rest = [...counts].sort((a, b) => b.nodes - a.nodes).filter(({ by }) => by !== 'room' || !nearest);
  const obstaclesText = rest.slice(0, 3).map(({ by, nodes: number }, index) => {
    const text = obstacleTexts[by](number);
    return index === 0 ? text.replace(/^\d+/, `${number} ${number === 1 ? 'node' : 'nodes'}`) : text;
  });
  const open = nodes - counts.reduce((sum, it) => sum + it.nodes, 0);
  const shared = open > 0 ? [`it would fit on ${open}, but other pods of its node need that room`] : [];
  return [describeNeeds(pod), ...(nearest ? [describeNearest(nearest)] : []), ...obstaclesText, ...shared].join('; ');
}

const describeNearest = ({ resource, free, node }: NearestMiss): string =>
  resource === 'pods'
    ? `node ${node}, which comes closest, has reached its maximum number of pods`
    : `at most ${formatAmount(resource, free)} is free, on node ${node}`;

export const nameOfPod = ({ namespace, name }: Pod): string => `pod ${namespace}/${name}`;

function describeNeeds(pod: Pod): string {
  const amounts = Object.entries(pod.requests).filter(([resource, amount]) => resource !== 'pods' && amount > 0);
  const text = amounts.map(([resource, amount]) => formatAmount(resource, amount)).join(', ');
  return `${nameOfPod(pod)} needs ${text || 'a node'}`;
}
