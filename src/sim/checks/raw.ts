// Raw objects as the checks read them, and `Host`: a node together with its NodeClaim.

import { parseDuration } from '../../time/duration.ts';
import { after, earliest, type Instant } from '../../time/instant.ts';
import { isTerminal, isTolerated, isTrue, type RawPod, type RawTaint, taintsOf } from '../actors/rawObjects.ts';
import type { KubeObject, Texts } from '../kubeObject.ts';
import { annotationsOf, instantOf, labelsOf, textAt } from '../kubeObject.ts';

export const ourTaint = 'lull.dev/disrupted';

/** The command whose taint is on the node. */
export const taintedBy = (node: KubeObject): string | undefined => {
  const taint = taintsOf(node).find(({ key }) => key === ourTaint);
  return taint && (taint.value ?? '');
};

const phaseOf = (pod: KubeObject): string => textAt(pod.status, 'phase') ?? '';

/** Neither terminating nor terminal (E11). */
export const isActive = (pod: KubeObject): boolean => pod.metadata.deletionTimestamp === undefined && !isTerminal(pod);

/** The controller among its owners. */
const ownerOf = (object: KubeObject) => {
  const owners = object.metadata.ownerReferences ?? [];
  return owners.find(({ controller }) => controller) ?? owners[0];
};

/** Whether the pod needs a new place (E11). A StatefulSet's pod does even while it terminates, because its successor has its name. */
export function isReschedulable(pod: KubeObject): boolean {
  const kind = ownerOf(pod)?.kind ?? '';
  if (kind === 'DaemonSet' || kind === 'Node') return false;
  return isActive(pod) || (kind === 'StatefulSet' && pod.metadata.deletionTimestamp !== undefined);
}

const disruptionTaints: readonly RawTaint[] = [
  { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' },
  { key: ourTaint, effect: 'NoSchedule' },
];

/** Whether a drain evicts the pod: not mirror pods, and not pods that tolerate the disruption taint (G6). */
export const isDrained = (pod: RawPod): boolean =>
  !isTerminal(pod) &&
  ownerOf(pod)?.kind !== 'Node' &&
  !disruptionTaints.some((taint) => isTolerated(taint, pod.spec?.tolerations));

export const graceOf = (pod: KubeObject): number => {
  const seconds = pod.spec?.terminationGracePeriodSeconds;
  return 1000 * (typeof seconds === 'number' ? seconds : 30);
};

/** Running and Ready. */
export const isServing = (pod: KubeObject): boolean =>
  isActive(pod) && phaseOf(pod) === 'Running' && isTrue(pod, 'Ready');

/** The pod's workload; undefined for Jobs and for pods without a controller. */
export function workloadOf(pod: KubeObject): string | undefined {
  const owner = ownerOf(pod);
  if (!owner || owner.kind === 'Job' || owner.kind === 'Node') return undefined;
  const hash = labelsOf(pod)['pod-template-hash'];
  const isDeployment = owner.kind === 'ReplicaSet' && hash !== undefined && owner.name.endsWith(`-${hash}`);
  const name = isDeployment ? `Deployment/${owner.name.slice(0, -hash.length - 1)}` : `${owner.kind}/${owner.name}`;
  return `${pod.metadata.namespace ?? 'default'}/${name}`;
}

/** The drain tier: normal, DaemonSet, critical, critical DaemonSet (G6). */
export function tierOf(pod: KubeObject): number {
  const isCritical = /^system-(node|cluster)-critical$/.test(textAt(pod.spec, 'priorityClassName') ?? '');
  return (isCritical ? 2 : 0) + (ownerOf(pod)?.kind === 'DaemonSet' ? 1 : 0);
}

/** A minute after its deadline a pod will not terminate any more: its node is dead. */
export function isOverdue(pod: KubeObject, at: Instant): boolean {
  const endsAt = instantOf(pod.metadata.deletionTimestamp);
  return endsAt !== undefined && at >= endsAt + 60_000;
}

export const deadlineAnnotation = 'karpenter.sh/nodeclaim-termination-timestamp';

/** The earlier of the claim's annotation and the start of the drain plus the grace period; undefined without a deadline. */
export function deadlineOf(claim: KubeObject | undefined, drainsFrom: Instant): Instant | undefined {
  if (!claim) return undefined;
  const grace = parseDuration(textAt(claim.spec, 'terminationGracePeriod') ?? '');
  const written = instantOf(annotationsOf(claim)[deadlineAnnotation]);
  return earliest(written, grace === undefined ? undefined : after(drainsFrom, grace));
}

export interface Host {
  readonly name: string;
  readonly node: KubeObject;
  readonly claim: KubeObject | undefined;
  readonly labels: Texts;
  readonly pool: string | undefined;
  readonly isReady: boolean;
  readonly isRebooting: boolean;
  /** Whether the node counts for percentages and limits, unless its machine is ending (C3). */
  readonly isCounted: boolean;
  /** Its machine is being ended; the setting endingMachines decides whether it counts (C3). */
  readonly isEnding: boolean;
  /** Being disrupted by any actor, apart from the ledger. */
  readonly isLeaving: boolean;
  /** Whether the node or its claim is being deleted; a node may outlive its claim. */
  readonly isDeleting: boolean;
}

const known = new WeakMap<KubeObject, Host>();

/** The simulator has no Provisioners: every node with a claim is managed. */
export function hostOf(node: KubeObject, claim: KubeObject | undefined): Host {
  const last = known.get(node);
  if (last && last.claim === claim) return last;
  const host = readHost(node, claim);
  known.set(node, host);
  return host;
}

function readHost(node: KubeObject, claim: KubeObject | undefined): Host {
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
    isCounted: claim !== undefined && (labels['karpenter.sh/initialized'] === 'true' || isRebooting),
    isEnding: isTerminating,
    isLeaving: claim !== undefined && (isDeleting || isTerminating || isTrue(claim, 'DisruptionReason')),
  };
}

/** The labels of the node once it has registered, before that of the claim. */
function poolOf(labels: Texts, claim: KubeObject | undefined): string | undefined {
  const own = labels['karpenter.sh/nodepool'];
  if (!claim || labels['karpenter.sh/registered'] === 'true') return own;
  return labelsOf(claim)['karpenter.sh/nodepool'] ?? own;
}

export const domainOf = ({ labels }: Host, topologyKey: string): string | undefined => labels[topologyKey];

export const domainName = (domain: string | undefined): string => domain ?? 'no domain';
