// What does a pod ask of the nodes and pods around it, beyond room, selector and taints (F6)? Most pods ask nothing.
import type { NodeTerm, Selector } from './selector.ts';

export interface Scheduling {
  readonly spread: readonly Spread[];
  /** Required affinity: each term wants a pod like that in the same domain. */
  readonly near: readonly PodTerm[];
  /** Required anti-affinity: no pod like that in the same domain, whoever came first. */
  readonly apart: readonly PodTerm[];
  /** Preferences never hold a pod back. */
  readonly likes: readonly Preference[];
  readonly hostPorts: readonly HostPort[];
  /** The volume claims it mounts, `namespace/name`, those of generic ephemeral volumes among them. */
  readonly volumeClaims: readonly string[];
}

export interface Spread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  /** Absent = 1. */
  readonly minDomains?: number;
  /** DoNotSchedule; else ScheduleAnyway, which is a preference. */
  readonly isHard: boolean;
  /** matchLabelKeys are in it, with the pod's own values. Pods of its own namespace alone are counted. */
  readonly selector: Selector;
  /** nodeAffinityPolicy Honor (the default): nodes that its selector and affinity leave out are no domains. */
  readonly honoursAffinity: boolean;
  /** nodeTaintsPolicy Honor (not the default): nodes whose taints it does not tolerate are no domains. */
  readonly honoursTaints: boolean;
}

export interface PodTerm {
  readonly topologyKey: string;
  /** matchLabelKeys and mismatchLabelKeys are in it. */
  readonly selector: Selector;
  /** By name. The pod's own where the term says nothing of namespaces at all. */
  readonly namespaces: readonly string[];
  /** By labels, besides those named. Without requirements = every namespace. */
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
