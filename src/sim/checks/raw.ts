// What do raw objects say? The fields that the checks read, as kubectl prints them; what is absent reads as nothing.
import { type Instant, parseInstant } from '../../time/instant.ts';
import type { Json, KubeObject, Texts } from '../kubeObject.ts';

interface RawCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly lastTransitionTime?: string;
}

export interface RawTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect?: string;
}

interface RawToleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

const list = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? (value as T[]) : []);

export const labelsOf = (object: KubeObject): Texts => object.metadata.labels ?? {};

export const annotationsOf = (object: KubeObject): Texts => object.metadata.annotations ?? {};

export const conditionOf = (object: KubeObject | undefined, type: string): RawCondition | undefined =>
  list<RawCondition>(object?.status?.conditions).find((condition) => condition.type === type);

export const isTrue = (object: KubeObject | undefined, type: string): boolean =>
  conditionOf(object, type)?.status === 'True';

export const taintsOf = (node: KubeObject): readonly RawTaint[] => list<RawTaint>(node.spec?.taints);

export const ourTaint = 'lull.dev/disrupted';

/** Which command has put Lull's taint on a node. */
export const taintedBy = (node: KubeObject): string | undefined => {
  const taint = taintsOf(node).find(({ key }) => key === ourTaint);
  return taint && (taint.value ?? '');
};

export const textAt = (json: Json | undefined, key: string): string | undefined => {
  const value = json?.[key];
  return typeof value === 'string' ? value : undefined;
};

export const instantOf = (text: unknown): Instant | undefined =>
  typeof text === 'string' ? parseInstant(text) : undefined;

const phaseOf = (pod: KubeObject): string => textAt(pod.status, 'phase') ?? '';

const isTerminal = (pod: KubeObject): boolean => phaseOf(pod) === 'Succeeded' || phaseOf(pod) === 'Failed';

/** It is there and neither ends nor has ended (E11). */
export const isActive = (pod: KubeObject): boolean => pod.metadata.deletionTimestamp === undefined && !isTerminal(pod);

/** Who made it: the controller among its owners. */
const ownerOf = (object: KubeObject) => {
  const owners = object.metadata.ownerReferences ?? [];
  return owners.find(({ controller }) => controller) ?? owners[0];
};

/** E11. A pod of a StatefulSet needs a place even while it ends: its successor has its name. */
export function isReschedulable(pod: KubeObject): boolean {
  const kind = ownerOf(pod)?.kind ?? '';
  if (kind === 'DaemonSet' || kind === 'Node') return false;
  return isActive(pod) || (kind === 'StatefulSet' && pod.metadata.deletionTimestamp !== undefined);
}

const disruptionTaints: readonly RawTaint[] = [
  { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' },
  { key: ourTaint, effect: 'NoSchedule' },
];

/** G6: mirror pods belong to their node, and who tolerates the taint of a node that leaves is left on it. */
export const isDrained = (pod: KubeObject): boolean =>
  !isTerminal(pod) && ownerOf(pod)?.kind !== 'Node' && !disruptionTaints.some((taint) => isTolerated(pod, taint));

function isTolerated(pod: KubeObject, taint: RawTaint): boolean {
  return list<RawToleration>(pod.spec?.tolerations).some(({ key, operator = 'Equal', value = '', effect }) => {
    if (effect && effect !== taint.effect) return false;
    if (key && key !== taint.key) return false;
    return operator === 'Exists' || (Boolean(key) && value === (taint.value ?? ''));
  });
}

export const graceOf = (pod: KubeObject): number => {
  const seconds = pod.spec?.terminationGracePeriodSeconds;
  return 1000 * (typeof seconds === 'number' ? seconds : 30);
};

/** It runs and serves. */
export const isServing = (pod: KubeObject): boolean =>
  isActive(pod) && phaseOf(pod) === 'Running' && isTrue(pod, 'Ready');

/** What a pod belongs to as its people see it; undefined for Jobs and for what nobody makes again. */
export function workloadOf(pod: KubeObject): string | undefined {
  const owner = ownerOf(pod);
  if (!owner || owner.kind === 'Job' || owner.kind === 'Node') return undefined;
  const hash = labelsOf(pod)['pod-template-hash'];
  const isDeployment = owner.kind === 'ReplicaSet' && hash !== undefined && owner.name.endsWith(`-${hash}`);
  const name = isDeployment ? `Deployment/${owner.name.slice(0, -hash.length - 1)}` : `${owner.kind}/${owner.name}`;
  return `${pod.metadata.namespace ?? 'default'}/${name}`;
}

/** G6: normal, DaemonSet, critical, critical DaemonSet. */
export function tierOf(pod: KubeObject): number {
  const isCritical = /^system-(node|cluster)-critical$/.test(textAt(pod.spec, 'priorityClassName') ?? '');
  return (isCritical ? 2 : 0) + (ownerOf(pod)?.kind === 'DaemonSet' ? 1 : 0);
}

/** A minute after its time a pod will not end by itself any more: its node is dead. */
export function isOverdue(pod: KubeObject, at: Instant): boolean {
  const endsAt = instantOf(pod.metadata.deletionTimestamp);
  return endsAt !== undefined && at >= endsAt + 60_000;
}
