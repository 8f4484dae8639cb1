// Volumes for placement (F6): claims, the volumes bound to them, storage classes, and attach limits of nodes.
import { label } from './names.ts';
import { compareText } from './nodeView.ts';
import type { NodeTerm, Requirement, TextMap } from './selector.ts';

export interface VolumeClaim {
  readonly namespace: string;
  readonly name: string;
  /** The volume it is bound to. */
  readonly volume?: string;
  readonly storageClass?: string;
  /** ReadWriteOncePod: one pod at a time. */
  readonly isForOnePod: boolean;
  /** Of a generic ephemeral volume: it is deleted with its pod, and the successor gets a new, unbound claim. */
  readonly isEphemeral?: true;
  readonly isDeleting: boolean;
}

export interface Volume {
  readonly name: string;
  /** Alternatives. Absent = any node. */
  readonly nodeTerms?: readonly NodeTerm[];
  /** Only zone and region, which restrict it too. A value may name several zones, as `a__b`. */
  readonly labels: TextMap;
  /** The CSI driver; for an in-tree volume, the driver it is migrated to. Absent = none. */
  readonly driver?: string;
  /** Claims with the same handle are one attachment. */
  readonly handle?: string;
}

export interface StorageClass {
  readonly name: string;
  /** The CSI driver; for an in-tree provisioner, the driver it is migrated to. */
  readonly provisioner: string;
  /** WaitForFirstConsumer: an unbound claim is bound where its pod is scheduled. */
  readonly isLate: boolean;
  /** allowedTopologies, of which one must hold. Absent = anywhere. */
  readonly topologies?: readonly (readonly Requirement[])[];
}

/** How many volumes a node can attach, from its CSINode. */
export interface AttachLimits {
  /** The node's name. */
  readonly name: string;
  /** By driver. A driver that is missing or has no number has no limit. */
  readonly drivers: Readonly<Record<string, number | undefined>>;
}

/** Read access for placement. */
export interface Volumes {
  /** By `namespace/name`. */
  claim(key: string): VolumeClaim | undefined;
  volume(name: string): Volume | undefined;
  storageClass(name: string): StorageClass | undefined;
  attachLimits(node: string): AttachLimits | undefined;
  /** Changes whenever any of these objects changes. */
  readonly revision: number;
}

/** The record type of each kind. */
export interface VolumeRecords {
  PersistentVolumeClaim: VolumeClaim;
  PersistentVolume: Volume;
  StorageClass: StorageClass;
  CSINode: AttachLimits;
}

/** The zones of the running pods that mount a claim; '' = unknown node or no zone label. Undefined = no running pod mounts it. */
export type ZonesOfClaim = (claim: string) => readonly string[] | undefined;

/** Prefix of assumed volumes. Kubernetes object names contain no slash, so it cannot clash. */
const assumed = 'assumed/';

/**
 * If pods mount claims but no PersistentVolume is known (old recordings, partial files, missing permissions), volumes are assumed: the
 * volume of a running pod is available in the pod's zone, and nothing else is known about it.
 */
export class VolumeIndex implements Volumes {
  readonly #zonesOf: ZonesOfClaim;
  readonly #maps: { readonly [Kind in keyof VolumeRecords]: Map<string, VolumeRecords[Kind]> } = {
    PersistentVolumeClaim: new Map(),
    PersistentVolume: new Map(),
    StorageClass: new Map(),
    CSINode: new Map(),
  };
  #revision = 0;

  constructor(zonesOf: ZonesOfClaim) {
    this.#zonesOf = zonesOf;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Undefined removes it. An equal record changes nothing: the status of a claim is not part of it. */
  put<Kind extends keyof VolumeRecords>(kind: Kind, key: string, record: VolumeRecords[Kind] | undefined): void {
    const map: Map<string, VolumeRecords[Kind]> = this.#maps[kind];
    if (JSON.stringify(map.get(key)) === JSON.stringify(record)) return;
    if (record === undefined) map.delete(key);
    else map.set(key, record);
    this.#revision++;
  }

  /** Called when a pod that mounts a claim was added, removed or moved, or a node's zone changed. */
  noteMove(): void {
    if (this.#lacksVolumes || this.#lacksClaims) this.#revision++;
  }

  claim(key: string): VolumeClaim | undefined {
    const known = this.#maps.PersistentVolumeClaim.get(key);
    if (known && (known.volume === undefined || !this.#lacksVolumes)) return known;
    if (known) return { ...known, volume: assumed + key };
    if (!this.#lacksClaims || !this.#zonesOf(key)) return undefined;
    const slash = key.indexOf('/');
    return {
      namespace: key.slice(0, slash),
      name: key.slice(slash + 1),
      volume: assumed + key,
      isForOnePod: false,
      isDeleting: false,
    };
  }

  volume(name: string): Volume | undefined {
    if (!name.startsWith(assumed)) return this.#maps.PersistentVolume.get(name);
    const zones = [...new Set(this.#zonesOf(name.slice(assumed.length)))].sort(compareText);
    const isBound = zones.length > 0 && !zones.includes('');
    const term = { labels: [{ key: label.zone, operator: 'In' as const, values: zones }], names: [] };
    return { name, labels: {}, ...(isBound && { nodeTerms: [term] }) };
  }

  storageClass(name: string): StorageClass | undefined {
    return this.#maps.StorageClass.get(name);
  }

  attachLimits(node: string): AttachLimits | undefined {
    return this.#maps.CSINode.get(node);
  }

  get #lacksVolumes(): boolean {
    return this.#maps.PersistentVolume.size === 0;
  }

  get #lacksClaims(): boolean {
    return this.#maps.PersistentVolumeClaim.size === 0;
  }
}
