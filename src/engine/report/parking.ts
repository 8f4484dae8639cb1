// How many nodes of each pool are parked, of those that must be (N2, N3). Guide alone parks.
import type { Command } from '../../cluster/ledger.ts';
import { openSlot } from '../../cluster/memory.ts';
import type { NodeGroup } from '../../cluster/nodeGroups.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import { after, asDuration, type Instant, second } from '../../time/instant.ts';
import { isParked, isUsersOwn } from '../commands/parking.ts';
import { isTaken } from '../commands/place.ts';
import type { Situation } from '../situation.ts';

/** As the round began. Nodes that are offered, taken, or kept by a user's own annotation are not among them. */
export interface PoolParking {
  readonly pool: string;
  readonly parked: number;
  /** Still to be parked. */
  readonly unparked: number;
  /** Of those: not as young as every new node is for a moment. */
  readonly late: number;
}

/** A new node is parked in the round after it is seen. */
const youth = asDuration(30 * second);

/** Absent where nothing is parked. */
export function reportParking(situation: Situation, commands: readonly Command[]): readonly PoolParking[] | undefined {
  const { cluster, settings, tallies, now } = situation;
  if (settings.role !== 'guide') return undefined;
  const commanded = new Set(
    commands.flatMap(({ hands, nodes }) => (hands === 'karpenter' ? nodes.map(({ name }) => name) : [])),
  );
  return [...tallies.keys()].sort(compareText).map((pool) => {
    const { parked, loose } = sorted(cluster.nodesOf(pool));
    const unparked = loose.filter(({ node }) => !commanded.has(node.name));
    return { pool, parked, unparked: unparked.length, late: unparked.filter((view) => !isYoung(view, now)).length };
  });
}

const isYoung = ({ node }: NodeView, now: Instant): boolean => now < after(node.createdAt, youth);

interface Sorted {
  readonly parked: number;
  readonly loose: readonly NodeView[];
}

const remembered = openSlot<Sorted>();

function sorted(group: NodeGroup): Sorted {
  const known = remembered.recall(group);
  if (known) return known;
  const staying = group.nodes.filter((view) => !isTaken(view));
  const parked = staying.filter(({ node }) => isParked(node)).length;
  const loose = staying.filter(({ node }) => !isParked(node) && !isUsersOwn(node));
  return remembered.keep(group, { parked, loose });
}
