// Which marks of guide are left where Lull does not guide? In drive pods and claims are freed of them, while parked nodes stay parked:
// Karpenter would take what Lull holds, and Lull's own hands take them all the same. In observe, which writes nothing, they are told.
import type { Fault } from '../../cluster/fault.ts';
import type { Command } from '../../cluster/ledger.ts';
import { openSlot } from '../../cluster/memory.ts';
import { annotation } from '../../cluster/names.ts';
import type { NodeGroup } from '../../cluster/nodeGroups.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { Situation } from '../situation.ts';
import type { Action } from './action.ts';
import { markOf } from './disruptedTaint.ts';
import { isNudged, unnudge } from './nudge.ts';
import { isMarked } from './parking.ts';
import { isTaken } from './place.ts';
import { guardedInVain, parkedPods, unparkPod } from './podParking.ts';

/** What Karpenter has begun keeps its pods until their windows open (N5). */
export function takeMarksOff({ cluster, now }: Situation, commands: readonly Command[]): readonly Action[] {
  const touched = cluster.groups.flatMap(touchedIn);
  if (touched.length === 0) return [];
  const underway = new Set(
    commands.flatMap(({ hands, nodes }) => (hands === 'karpenter' ? nodes : [])).map(({ name }) => name),
  );
  return touched.flatMap((view) => {
    const { claim, node } = view;
    const begun = isTaken(view);
    const pods = begun ? guardedInVain(view, 'Drifted', now) : parkedPods(view);
    const isFree = !begun && !underway.has(node.name);
    return [...(isFree && claim && isNudged(claim) ? [unnudge(claim)] : []), ...pods.map(unparkPod)];
  });
}

const remembered = openSlot<readonly NodeView[]>();

const touchedIn = (group: NodeGroup): readonly NodeView[] =>
  remembered.recall(group) ?? remembered.keep(group, group.nodes.filter(isTouched));

const isTouched = (view: NodeView): boolean =>
  (view.claim !== undefined && isNudged(view.claim)) || parkedPods(view).length > 0;

export function leftMarks({ groups }: Cluster): readonly Fault[] {
  const views = groups.flatMap(({ nodes }) => nodes);
  const parked = views.filter(({ node }) => isMarked(node));
  const tainted = views.filter(({ node }) => markOf(node));
  const [first] = [...parked, ...tainted];
  if (!first) return [];
  const what = [
    ...(parked.length > 0 ? [`parked: ${parked.length}`] : []),
    ...(tainted.length > 0 ? [`tainted: ${tainted.length}`] : []),
  ].join(', ');
  const message = `Nodes carry marks of a Lull that acts (${what}). In the role observe nothing is changed, so that they stay as they are. Unless another Lull guides or drives this cluster, run \`lull release\`.`;
  const path = `metadata.annotations[${annotation.parked}]`;
  return [{ object: `Node/${first.node.name}`, path, value: parked.length, message, severity: 'info' }];
}
