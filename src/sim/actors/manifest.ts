// What do raw objects look like, as far as the actors read them? Kubernetes' own fields, and how to get at them.
import { label } from '../../cluster/names.ts';
import type { Requirement } from '../../cluster/selector.ts';
import type { Json, KubeObject, Texts } from '../kubeObject.ts';

export interface Pod extends KubeObject {
  readonly spec?: PodSpec;
  readonly status?: PodStatus;
}

export type PodSpec = {
  readonly nodeName?: string;
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly overhead?: Json;
  readonly resources?: { readonly requests?: Json };
  readonly nodeSelector?: Texts;
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
  readonly topologySpreadConstraints?: readonly SpreadConstraint[];
  readonly volumes?: readonly PodVolume[];
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly restartPolicy?: string;
};

export type Container = {
  readonly name?: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: Json };
  readonly ports?: readonly ContainerPort[];
};

export type ContainerPort = {
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
};

export type Affinity = {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms?: readonly NodeTerm[] };
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
      readonly weight: number;
      readonly preference: NodeTerm;
    }[];
  };
  readonly podAffinity?: PodAffinity;
  readonly podAntiAffinity?: PodAffinity;
};

export type PodAffinity = {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number;
    readonly podAffinityTerm: PodAffinityTerm;
  }[];
};

export type PodAffinityTerm = {
  readonly topologyKey: string;
  readonly labelSelector?: Json;
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: Json;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
};

export type SpreadConstraint = {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains?: number;
  readonly whenUnsatisfiable?: string;
  readonly labelSelector?: Json;
  readonly matchLabelKeys?: readonly string[];
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
};

export type PodVolume = {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly ephemeral?: Json;
  readonly [source: string]: unknown;
};

export type NodeTerm = {
  readonly matchExpressions?: readonly RawRequirement[];
  readonly matchFields?: readonly RawRequirement[];
};

export type RawRequirement = Omit<Requirement, 'values'> & { readonly values?: readonly string[] };

export type Toleration = {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
};

export type PodStatus = {
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

export type Taint = {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
};

export interface Node extends KubeObject {
  readonly spec?: {
    readonly taints?: readonly Taint[];
    readonly unschedulable?: boolean;
    readonly providerID?: string;
  };
  readonly status?: {
    readonly capacity?: Json;
    readonly allocatable?: Json;
    readonly conditions?: readonly StatusCondition[];
  };
}

export interface Claim extends KubeObject {
  readonly spec?: ClaimSpec;
  readonly status?: ClaimStatus;
}

export type ClaimSpec = {
  readonly nodeClassRef?: Json;
  readonly requirements?: readonly RawRequirement[];
  readonly taints?: readonly Taint[];
  readonly startupTaints?: readonly Taint[];
  readonly resources?: { readonly requests?: Json };
  readonly expireAfter?: string;
  readonly terminationGracePeriod?: string;
};

export type ClaimStatus = {
  readonly nodeName?: string;
  readonly providerID?: string;
  readonly capacity?: Json;
  readonly allocatable?: Json;
  readonly lastPodEventTime?: string;
  readonly conditions?: readonly StatusCondition[];
};

export interface Pool extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly weight?: number;
    readonly limits?: Json;
    readonly template?: {
      readonly metadata?: { readonly labels?: Texts; readonly annotations?: Texts };
      readonly spec?: ClaimSpec;
    };
  };
}

/** Whoever makes pods. */
export interface Workload extends KubeObject {
  readonly spec?: WorkloadSpec;
}

export type WorkloadSpec = {
  readonly replicas?: number;
  readonly parallelism?: number;
  readonly completions?: number;
  readonly backoffLimit?: number;
  readonly podManagementPolicy?: string;
  readonly strategy?: { readonly type?: string; readonly rollingUpdate?: RollingUpdate };
  readonly selector?: Json;
  readonly template?: PodTemplate;
};

export type RollingUpdate = { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string };

export type PodTemplate = {
  readonly metadata?: { readonly labels?: Texts; readonly annotations?: Texts };
  readonly spec?: PodSpec;
};

/** Of a pod the node it is bound to, of a claim the one it became. */
export function nodeNameOf({ spec, status }: KubeObject): string | undefined {
  return ((spec as PodSpec | undefined)?.nodeName ?? (status as ClaimStatus | undefined)?.nodeName) || undefined;
}

export const poolOf = ({ metadata }: KubeObject): string | undefined => metadata.labels?.[label.pool];

export const controllerReference = ({ metadata }: KubeObject) =>
  metadata.ownerReferences?.find(({ controller }) => controller);

/** The uid of whoever made it and looks after it. */
export const controllerOf = (object: KubeObject): string | undefined => controllerReference(object)?.uid;

export const isDaemonPod = (pod: KubeObject): boolean => controllerReference(pod)?.kind === 'DaemonSet';

/** Its work is done, or has failed: it takes no room and is never run again. */
export const isTerminal = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';
