// Pod affinity, spread constraints, host ports and volumes of a pod (F6).
import type { NodeTerm, Selector } from './selector.ts';

export interface Scheduling {
  readonly spread: readonly Spread[];
  /** Required affinity: each term requires a matching pod in the same domain. */
  readonly near: readonly PodTerm[];
  /** Required anti-affinity: no matching pod in the same domain, in either direction. */
  readonly apart: readonly PodTerm[];
  /** Preferences never keep a pod from being scheduled. */
  readonly likes: readonly Preference[];
  readonly hostPorts: readonly HostPort[];
  /** The volume claims it mounts, as `namespace/name`, including those of generic ephemeral volumes. */
  readonly volumeClaims: readonly string[];
}

export interface Spread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  /** Absent = 1. */
  readonly minDomains?: number;
  /** DoNotSchedule; otherwise ScheduleAnyway, which is a preference. */
  readonly isHard: boolean;
  /** Includes matchLabelKeys with the pod's own values. Only pods of the same namespace count. */
  readonly selector: Selector;
  /** nodeAffinityPolicy Honor (the default): nodes that the pod's node selector and affinity exclude do not count as domains. */
  readonly honoursAffinity: boolean;
  /** nodeTaintsPolicy Honor (not the default): nodes with taints the pod does not tolerate do not count as domains. */
  readonly honoursTaints: boolean;
}

export interface PodTerm {
  readonly topologyKey: string;
  /** Includes matchLabelKeys and mismatchLabelKeys. */
  readonly selector: Selector;
  /** The pod's own namespace if the term names none. */
  readonly namespaces: readonly string[];
  /** Selects more namespaces by label. Without requirements = every namespace. */
  readonly namespaceSelector?: Selector;
}

export type Preference =
  | { readonly weight: number; readonly node: NodeTerm }
  | { readonly weight: number; readonly near: PodTerm }
  | { readonly weight: number; readonly apart: PodTerm };

export interface HostPort {
  /** '' = every address. */
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}
