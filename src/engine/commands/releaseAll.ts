// `lull release`: the requests that remove everything Lull wrote, and nothing that a user wrote (N10).
import type { Ledger } from '../../cluster/ledger.ts';
import type { Claim, Pool } from '../../cluster/model.ts';
import { annotation, label } from '../../cluster/names.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import type { TextMap } from '../../cluster/selector.ts';
import type { Cluster } from '../../cluster/store.ts';
import { type Action, annotate, type PatchOperation } from './action.ts';
import {
  forgetBirth,
  isBornParked,
  isMarked,
  isNudged,
  markOf,
  parkedPods,
  removeTaint,
  unnudge,
  unpark,
  unparkPod,
} from './marks.ts';

/**
 * Claims come first: a nudged claim still looks drifted, and Karpenter would disrupt it once its node is unparked. Empty = nothing of
 * Lull is left on pools, claims, nodes and pods, except the nodes of the pools in `keeps`, which stay parked.
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
 * A replacement that Lull created and that runs no pods: its command is still under way, or it never became ready. A claim that cannot
 * launch would stall Karpenter (N6).
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

/** The copy of the spec's budgets (N9). The annotations with budgets and lifetimes belong to the user. */
const mirrors = [annotation.budgetsSeen, annotation.budgetsSeenUnder, annotation.budgetsGone];

function ofPool({ name, annotations }: Pool): readonly Action[] {
  const patch = removed(mirrors, annotations);
  return patch.length > 0 ? [{ verb: 'patch', kind: 'NodePool', name, patch }] : [];
}

/** A patch that removes those that are present, provided their values have not changed. */
function removed(keys: readonly string[], annotations: TextMap): readonly PatchOperation[] {
  const seen = Object.fromEntries(
    keys.flatMap((key) => (annotations[key] === undefined ? [] : [[key, annotations[key]]])),
  );
  return annotate(seen, Object.fromEntries(Object.keys(seen).map((key) => [key, undefined])), false);
}

/** The deadline of a deleted claim is Karpenter's; before the deletion it can only be Lull's. */
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

/** Karpenter copies a claim's annotations to its node, so they are removed there as well. */
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
