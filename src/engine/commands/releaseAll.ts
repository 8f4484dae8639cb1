// N10: what must be asked for so that Karpenter is alone again? Everything that Lull wrote is taken off; nothing of a user's is touched.
import type { Claim } from '../../cluster/model.ts';
import { annotation } from '../../cluster/names.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { Action } from './action.ts';
import { annotate } from './annotate.ts';
import { markOf, removeTaint } from './disruptedTaint.ts';
import { isNudged, unnudge } from './nudge.ts';
import { isMarked, unpark } from './parking.ts';
import { parkedPods, unparkPod } from './podParking.ts';

/** Claims first: once its node is free, what still seems drifted would go. Empty = no trace is left on nodes, claims and pods. */
export function releaseAll(cluster: Cluster): readonly Action[] {
  const claims = [...cluster.claims].sort((a, b) => compareText(a.name, b.name));
  return [...claims.flatMap(ofClaim), ...cluster.nodes.flatMap(ofNode)];
}

/** A claim's deadline is Karpenter's as soon as it is deleted; before that it can only be Lull's. */
function ofClaim(claim: Claim): readonly Action[] {
  const { annotations, deletingSince, name } = claim;
  const ours = [annotation.command, ...(deletingSince === undefined ? [annotation.terminateAt] : [])];
  const seen = Object.fromEntries(
    ours.flatMap((key) => (annotations[key] === undefined ? [] : [[key, annotations[key]]])),
  );
  const wanted = Object.fromEntries(Object.keys(seen).map((key) => [key, undefined]));
  const patch = annotate(seen, wanted, false);
  return [
    ...(isNudged(claim) && deletingSince === undefined ? [unnudge(claim)] : []),
    ...(patch.length > 0 ? [{ verb: 'patch', kind: 'NodeClaim', name, patch } as const] : []),
  ];
}

function ofNode(view: NodeView): readonly Action[] {
  const { node } = view;
  return [
    ...parkedPods(view).map(unparkPod),
    ...(markOf(node) ? [removeTaint(node)] : []),
    ...(isMarked(node) ? [unpark(node)] : []),
  ];
}
