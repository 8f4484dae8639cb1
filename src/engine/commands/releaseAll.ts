// N10: what must be asked for so that Karpenter is alone again? Everything that Lull wrote is taken off; nothing of a user's is touched.
import type { Ledger } from '../../cluster/ledger.ts';
import type { Claim, Pool } from '../../cluster/model.ts';
import { annotation, label } from '../../cluster/names.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import type { TextMap } from '../../cluster/selector.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { Action, PatchOperation } from './action.ts';
import { annotate } from './annotate.ts';
import { markOf, removeTaint } from './disruptedTaint.ts';
import { isNudged, unnudge } from './nudge.ts';
import { forgetBirth, isBornParked, isMarked, unpark } from './parking.ts';
import { parkedPods, unparkPod } from './podParking.ts';

/**
 * Claims first: once its node is free, what still seems drifted would go. Empty = no trace is left on pools, claims, nodes and pods, but
 * for the nodes of the pools in `keeps`, which stay parked.
 */
export function releaseAll(
  cluster: Cluster,
  ledger?: Ledger,
  keeps: ReadonlySet<string | undefined> = new Set(),
): readonly Action[] {
  const claims = [...cluster.claims].sort((a, b) => compareText(a.name, b.name));
  const pools = [...cluster.pools.values()].sort((a, b) => compareText(a.name, b.name));
  const underway = new Set(ledger?.commands.flatMap(({ replacements }) => replacements.map(({ name }) => name)));
  return [
    ...claims.flatMap((claim) => (isInVain(claim, underway, cluster) ? [remove(claim)] : ofClaim(claim, keeps))),
    ...cluster.nodes.flatMap((view) => ofNode(view, keeps)),
    ...pools.flatMap(ofPool),
  ];
}

/**
 * N6: a replacement that Lull made, that nobody uses, and that nobody will: its command is still under way, or it has not come up. One
 * that cannot come up would hold all of Karpenter's work.
 */
function isInVain(claim: Claim, underway: ReadonlySet<string>, cluster: Cluster): boolean {
  const { name, annotations, deletingSince, nodeName, conditions } = claim;
  if (annotations[annotation.command] === undefined || deletingSince !== undefined) return false;
  const isUp = conditions.Initialized?.status === 'True';
  const isUsed = nodeName !== undefined && (cluster.node(nodeName)?.reschedulable.length ?? 0) > 0;
  return !isUsed && (!isUp || underway.has(name));
}

const remove = ({ name, uid }: Claim): Action => ({
  verb: 'delete',
  kind: 'NodeClaim',
  name,
  preconditions: { uid },
});

/** N9: the mirror of what the spec said. The budgets and lifetimes beside it are a user's. */
const mirrors = [annotation.budgetsSeen, annotation.budgetsSeenUnder, annotation.budgetsGone];

function ofPool({ name, annotations }: Pool): readonly Action[] {
  const patch = removed(mirrors, annotations);
  return patch.length > 0 ? [{ verb: 'patch', kind: 'NodePool', name, patch }] : [];
}

/** A patch that takes off those that stand, as long as they say what was seen. */
function removed(keys: readonly string[], annotations: TextMap): readonly PatchOperation[] {
  const seen = Object.fromEntries(
    keys.flatMap((key) => (annotations[key] === undefined ? [] : [[key, annotations[key]]])),
  );
  return annotate(seen, Object.fromEntries(Object.keys(seen).map((key) => [key, undefined])), false);
}

/** A claim's deadline is Karpenter's as soon as it is deleted; before that it can only be Lull's. */
function ofClaim(claim: Claim, keeps: ReadonlySet<string | undefined>): readonly Action[] {
  const { annotations, deletingSince, name } = claim;
  const deadline = deletingSince === undefined ? [annotation.terminateAt] : [];
  const patch = removed([annotation.command, ...deadline], annotations);
  return [
    ...(isNudged(claim) && deletingSince === undefined ? [unnudge(claim)] : []),
    ...(isBornParked(claim) && !keeps.has(claim.labels[label.pool]) ? [forgetBirth(claim)] : []),
    ...(patch.length > 0 ? [{ verb: 'patch', kind: 'NodeClaim', name, patch } as const] : []),
  ];
}

/** Karpenter copies the annotations of a claim to its node. */
function ofNode(view: NodeView, keeps: ReadonlySet<string | undefined>): readonly Action[] {
  const { node } = view;
  const patch = removed([annotation.command], node.annotations);
  return [
    ...(patch.length > 0 ? [{ verb: 'patch', kind: 'Node', name: node.name, patch } as const] : []),
    ...parkedPods(view).map(unparkPod),
    ...(markOf(node) ? [removeTaint(node)] : []),
    ...(isMarked(node) && !keeps.has(view.poolName) ? [unpark(node)] : []),
  ];
}
