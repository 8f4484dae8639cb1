// Where does a command stand with one of its nodes? The node and its claim, as far as they are still there.
import type { Command, CommandNode } from '../../cluster/ledger.ts';
import type { Claim } from '../../cluster/model.ts';
import { taint } from '../../cluster/names.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Cluster } from '../../cluster/store.ts';

export interface Place {
  readonly name: string;
  readonly view?: NodeView;
  readonly claim?: Claim;
}

export const placesOf = ({ nodes }: Command, cluster: Cluster): readonly Place[] =>
  nodes.map((node) => placeOf(node, cluster));

function placeOf({ name, claim: claimName }: CommandNode, cluster: Cluster): Place {
  const view = cluster.node(name);
  const claim = claimName === undefined ? undefined : cluster.claim(claimName);
  // Clouds give names again: a node with another claim is another node.
  const isOther = claimName !== undefined && view?.claim !== undefined && view.claim.name !== claimName;
  return { name, ...(view && !isOther && { view }), ...(claim && { claim }) };
}

export const isGone = ({ view, claim }: Place): boolean => !view && !claim;

/** N3: Karpenter has begun with it, or whoever deleted it; neither do-not-disrupt nor a budget stops that [l]. */
export const isTaken = (place: Pick<Place, 'view' | 'claim'> | NodeView): boolean => {
  const { node, claim } = 'node' in place ? place : { node: place.view?.node, claim: place.claim };
  return (
    claim?.deletingSince !== undefined ||
    node?.deletingSince !== undefined ||
    claim?.conditions.DisruptionReason?.status === 'True' ||
    (node?.taints.some(({ key }) => key === taint.karpenterDisrupted) ?? false)
  );
};

/** Deleted by someone: nothing brings it back. */
export const isLeaving = ({ view, claim }: Place): boolean =>
  claim?.deletingSince !== undefined || view?.node.deletingSince !== undefined;
