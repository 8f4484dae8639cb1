// Where can a pod's volumes be had (F6)? Claims, the volumes bound to them, and how many of a driver's a node can attach.
import type { NodeTerm, Requirement, TextMap } from './selector.ts';

export interface VolumeClaim {
  readonly namespace: string;
  readonly name: string;
  /** The volume it is bound to. */
  readonly volume?: string;
  readonly storageClass?: string;
  /** ReadWriteOncePod: one pod at a time. */
  readonly isForOnePod: boolean;
  /** Of a generic ephemeral volume: it goes with its pod, whose successor gets another, bound to nothing yet. */
  readonly isEphemeral?: true;
  readonly isDeleting: boolean;
}

export interface Volume {
  readonly name: string;
  /** OR-ed. Absent = any node. */
  readonly nodeTerms?: readonly NodeTerm[];
  /** Those of zone and region alone, which bind it too. One may name several zones, as `a__b`. */
  readonly labels: TextMap;
  /** The CSI driver, for an old in-tree volume the one that it was migrated to; absent = none. */
  readonly driver?: string;
  /** What makes two claims one attachment. */
  readonly handle?: string;
}

export interface StorageClass {
  readonly name: string;
  /** The CSI driver, for an old in-tree one the one that it was migrated to. */
  readonly provisioner: string;
  /** WaitForFirstConsumer: a claim that is not bound yet goes with its pod. */
  readonly isLate: boolean;
  /** allowedTopologies: one of them must hold. Absent = anywhere. */
  readonly topologies?: readonly (readonly Requirement[])[];
}

/** CSINode. */
export interface AttachLimits {
  /** The node's. */
  readonly name: string;
  /** By driver; one without a number, or that is not there, has no limit. */
  readonly drivers: Readonly<Record<string, number | undefined>>;
}

/** All of it, as placement reads it. */
export interface Volumes {
  /** By `namespace/name`. */
  claim(key: string): VolumeClaim | undefined;
  volume(name: string): Volume | undefined;
  storageClass(name: string): StorageClass | undefined;
  attachLimits(node: string): AttachLimits | undefined;
  /** Another number whenever any of it has changed. */
  readonly revision: number;
}
