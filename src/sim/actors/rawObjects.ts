// Types of raw Kubernetes objects as the actors read and write them, and helpers for conditions and taints.
// Past 300 lines: mostly type declarations of Kubernetes' kinds.

import { label } from '../../cluster/names.ts';
import type { Requirement } from '../../cluster/selector.ts';
import { formatInstant, type Instant } from '../../time/instant.ts';
import type { Json, KubeObject, StoredObject, Texts } from '../kubeObject.ts';
import { textAt } from '../kubeObject.ts';

export interface RawPod extends KubeObject {
  readonly spec?: RawPodSpec;
  readonly status?: RawPodStatus;
}

export type RawPodSpec = {
  readonly nodeName?: string;
  readonly containers?: readonly RawContainer[];
  readonly initContainers?: readonly RawContainer[];
  readonly overhead?: Json;
  readonly resources?: { readonly requests?: Json };
  readonly nodeSelector?: Texts;
  readonly affinity?: RawAffinity;
  readonly tolerations?: readonly RawToleration[];
  readonly topologySpreadConstraints?: readonly RawSpreadConstraint[];
  readonly volumes?: readonly RawPodVolume[];
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly restartPolicy?: string;
};

export type RawContainer = {
  readonly name?: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: Json };
  readonly ports?: readonly RawContainerPort[];
};

export type RawContainerPort = {
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
};

export type RawAffinity = {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms?: readonly RawNodeTerm[] };
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
      readonly weight: number;
      readonly preference: RawNodeTerm;
    }[];
  };
  readonly podAffinity?: RawPodAffinity;
  readonly podAntiAffinity?: RawPodAffinity;
};

export type RawPodAffinity = {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly RawPodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number;
    readonly podAffinityTerm: RawPodAffinityTerm;
  }[];
};

export type RawPodAffinityTerm = {
  readonly topologyKey: string;
  readonly labelSelector?: Json;
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: Json;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
};

export type RawSpreadConstraint = {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains?: number;
  readonly whenUnsatisfiable?: string;
  readonly labelSelector?: Json;
  readonly matchLabelKeys?: readonly string[];
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
};

type RawPodVolume = {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly ephemeral?: Json;
  readonly [source: string]: unknown;
};

export type RawNodeTerm = {
  readonly matchExpressions?: readonly RawRequirement[];
  readonly matchFields?: readonly RawRequirement[];
};

export type RawRequirement = Omit<Requirement, 'values'> & { readonly values?: readonly string[] };

export type RawToleration = {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
};

type RawPodStatus = {
  readonly phase?: string;
  readonly startTime?: string;
  readonly conditions?: readonly StatusCondition[];
};

export type StatusCondition = {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
};

export type RawTaint = {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
};

export interface RawNode extends KubeObject {
  readonly spec?: {
    readonly taints?: readonly RawTaint[];
    readonly unschedulable?: boolean;
    readonly providerID?: string;
  };
  readonly status?: {
    readonly capacity?: Json;
    readonly allocatable?: Json;
    readonly conditions?: readonly StatusCondition[];
  };
}

export interface RawClaim extends KubeObject {
  readonly spec?: RawClaimSpec;
  readonly status?: RawClaimStatus;
}

type RawClaimSpec = {
  readonly nodeClassRef?: Json;
  readonly requirements?: readonly RawRequirement[];
  readonly taints?: readonly RawTaint[];
  readonly startupTaints?: readonly RawTaint[];
  readonly resources?: { readonly requests?: Json };
  readonly expireAfter?: string;
  readonly terminationGracePeriod?: string;
};

type RawClaimStatus = {
  readonly nodeName?: string;
  readonly providerID?: string;
  readonly capacity?: Json;
  readonly allocatable?: Json;
  readonly lastPodEventTime?: string;
  readonly conditions?: readonly StatusCondition[];
};

export interface RawPool extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly weight?: number;
    readonly limits?: Json;
    readonly template?: {
      readonly metadata?: { readonly labels?: Texts; readonly annotations?: Texts };
      readonly spec?: RawClaimSpec;
    };
  };
}

/** The kinds with typed fields. */
interface KnownKinds {
  readonly Pod: RawPod;
  readonly Node: RawNode;
  readonly NodeClaim: RawClaim;
  readonly NodePool: RawPool;
  readonly Deployment: RawWorkload;
  readonly ReplicaSet: RawWorkload;
  readonly StatefulSet: RawWorkload;
  readonly DaemonSet: RawWorkload;
  readonly Job: RawWorkload;
}

/** An object of a kind, as the API server stores it. */
export type Stored<Kind extends string> = StoredObject &
  (Kind extends keyof KnownKinds ? KnownKinds[Kind] : KubeObject);

/** A kind that creates pods. */
export interface RawWorkload extends KubeObject {
  readonly spec?: RawWorkloadSpec;
}

type RawWorkloadSpec = {
  readonly replicas?: number;
  readonly parallelism?: number;
  readonly completions?: number;
  readonly backoffLimit?: number;
  readonly podManagementPolicy?: string;
  readonly strategy?: { readonly type?: string; readonly rollingUpdate?: RawRollingUpdate };
  readonly selector?: Json;
  readonly template?: RawPodTemplate;
};

export type RawRollingUpdate = { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string };

export type RawPodTemplate = {
  readonly metadata?: { readonly labels?: Texts; readonly annotations?: Texts };
  readonly spec?: RawPodSpec;
};

/** A pod's node, or a NodeClaim's. */
export function nodeNameOf({ spec, status }: KubeObject): string | undefined {
  return (textAt(spec, 'nodeName') ?? textAt(status, 'nodeName')) || undefined;
}

export const poolOf = ({ metadata }: KubeObject): string | undefined => metadata.labels?.[label.pool];

export const controllerReference = ({ metadata }: KubeObject) =>
  metadata.ownerReferences?.find(({ controller }) => controller);

/** The uid of the object's controller. */
export const controllerOf = (object: KubeObject): string | undefined => controllerReference(object)?.uid;

export const isDaemonPod = (pod: KubeObject): boolean => controllerReference(pod)?.kind === 'DaemonSet';

/** Succeeded or failed: it uses no resources and never runs again. */
export const isTerminal = ({ status }: RawPod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

export function conditionOf(object: Pick<RawNode, 'status'> | undefined, type: string): StatusCondition | undefined {
  const conditions = object?.status?.conditions;
  if (conditions) for (const condition of conditions) if (condition.type === type) return condition;
  return undefined;
}

export const isTrue = (object: KubeObject | undefined, type: string): boolean =>
  conditionOf(object, type)?.status === 'True';

/** The object with these conditions, and with these status fields. */
export function withConditions<T extends KubeObject>(
  object: T,
  at: Instant,
  changes: readonly StatusCondition[],
  status: Readonly<Record<string, unknown>> = {},
): T {
  const { status: before }: Pick<RawNode, 'status'> = object;
  const conditions = [...(before?.conditions ?? [])];
  for (const change of changes) {
    const index = conditions.findIndex(({ type }) => type === change.type);
    const was = conditions[index];
    const since = was?.status === change.status ? was.lastTransitionTime : undefined;
    const next = { ...change, lastTransitionTime: since ?? formatInstant(at) };
    if (was) conditions[index] = next;
    else conditions.push(next);
  }
  return { ...object, status: { ...object.status, ...status, conditions } };
}

export const taintKey = {
  notReady: 'node.kubernetes.io/not-ready',
  unreachable: 'node.kubernetes.io/unreachable',
} as const;

export function tolerates({ key, operator = 'Equal', value = '', effect }: RawToleration, taint: RawTaint): boolean {
  if (effect && effect !== taint.effect) return false;
  // Without a key, the operator must be Exists, which matches every taint.
  if (!key) return operator === 'Exists';
  return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
}

export const isTolerated = (taint: RawTaint, tolerations: readonly RawToleration[] = []): boolean =>
  tolerations.some((toleration) => tolerates(toleration, taint));

/** PreferNoSchedule repels no pod. */
export const repelsPods = ({ effect }: RawTaint): boolean => effect === 'NoSchedule' || effect === 'NoExecute';

export const taintsOf = ({ spec }: Pick<RawNode, 'spec'>): readonly RawTaint[] => spec?.taints ?? [];

export const isTaint = (a: RawTaint, b: RawTaint): boolean => a.key === b.key && a.effect === b.effect;

/** Omits an empty list, because patches test whether the list exists. */
function withTaints(node: RawNode, taints: readonly RawTaint[]): RawNode {
  const { taints: _, ...spec } = node.spec ?? {};
  return { ...node, spec: taints.length > 0 ? { ...spec, taints } : spec };
}

export const addTaints = (node: RawNode, added: readonly RawTaint[]): RawNode =>
  withTaints(node, [...taintsOf(node), ...added.filter((taint) => !taintsOf(node).some((own) => isTaint(own, taint)))]);

export const dropTaints = (node: RawNode, isDropped: (taint: RawTaint) => boolean): RawNode =>
  taintsOf(node).some(isDropped)
    ? withTaints(
        node,
        taintsOf(node).filter((taint) => !isDropped(taint)),
      )
    : node;

/** Undefined if the value is neither a number nor a percentage. */
export function amountOf(value: unknown, total: number, round: 'up' | 'down'): number | undefined {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' && /^\d+%$/.test(value) ? Number(value.slice(0, -1)) : undefined;
  if (percent === undefined) return undefined;
  // Multiply first, so that exact results stay exact.
  return round === 'up' ? Math.ceil((percent * total) / 100) : Math.floor((percent * total) / 100);
}
