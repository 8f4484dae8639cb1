// What stands a node for in the count of its pool (C3, C4)? The raw node and its claim together.
import type { KubeObject, Texts } from '../kubeObject.ts';
import { isTrue, labelsOf } from './raw.ts';

export interface Host {
  readonly name: string;
  readonly node: KubeObject;
  readonly claim: KubeObject | undefined;
  readonly labels: Texts;
  readonly pool: string | undefined;
  readonly isReady: boolean;
  readonly isRebooting: boolean;
  /** C3. */
  readonly isCounted: boolean;
  /** On its way out, whoever sends it; the ledger apart. */
  readonly isLeaving: boolean;
  /** Whether anybody has deleted the node or its claim; a node may outlive its claim. */
  readonly isDeleting: boolean;
}

const known = new WeakMap<KubeObject, Host>();

/** The box has no Provisioners: what has a claim is managed. */
export function hostOf(node: KubeObject, claim: KubeObject | undefined): Host {
  const last = known.get(node);
  if (last && last.claim === claim) return last;
  const host = lookAt(node, claim);
  known.set(node, host);
  return host;
}

function lookAt(node: KubeObject, claim: KubeObject | undefined): Host {
  const labels = labelsOf(node);
  const isRebooting = isTrue(claim, 'Rebooting');
  const isTerminating = isTrue(claim, 'InstanceTerminating');
  const isDeleting = (node.metadata.deletionTimestamp ?? claim?.metadata.deletionTimestamp) !== undefined;
  return {
    name: node.metadata.name,
    node,
    claim,
    labels,
    pool: poolOf(labels, claim),
    isReady: isTrue(node, 'Ready'),
    isRebooting,
    isDeleting,
    isCounted: claim !== undefined && (labels['karpenter.sh/initialized'] === 'true' || isRebooting) && !isTerminating,
    isLeaving: claim !== undefined && (isDeleting || isTerminating || isTrue(claim, 'DisruptionReason')),
  };
}

/** Labels count from the node once it has registered, before that from the claim. */
function poolOf(labels: Texts, claim: KubeObject | undefined): string | undefined {
  const own = labels['karpenter.sh/nodepool'];
  if (!claim || labels['karpenter.sh/registered'] === 'true') return own;
  return labelsOf(claim)['karpenter.sh/nodepool'] ?? own;
}

export const domainOf = ({ labels }: Host, topologyKey: string): string | undefined => labels[topologyKey];

export const domainName = (domain: string | undefined): string => domain ?? 'no domain';
