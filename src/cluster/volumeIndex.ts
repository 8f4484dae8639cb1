// Which volumes, claims and attach limits are there? By name; the revision says whether any of it is another than before.
import { label } from './names.ts';
import { compareText } from './nodeView.ts';
import type { AttachLimits, StorageClass, Volume, VolumeClaim, Volumes } from './volumes.ts';

/** The records, by the kind they are read from. */
export interface VolumeRecords {
  PersistentVolumeClaim: VolumeClaim;
  PersistentVolume: Volume;
  StorageClass: StorageClass;
  CSINode: AttachLimits;
}

/** The zones of the pods that mount a claim; '' = of a node without one, or that nobody has shown. Undefined = nobody runs with it. */
export type ZonesOfClaim = (claim: string) => readonly string[] | undefined;

/** No object of Kubernetes has a slash in its name. */
const assumed = 'assumed/';

/**
 * Where no PersistentVolume at all was shown (old recordings, a few files, missing rights), though pods run with claims, there must be
 * some: what a pod runs with can be had in the zone it runs in, and nothing is known beyond that.
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

  /** Undefined takes it away. What says the same as before changes nothing: a claim's status is none of ours. */
  put<Kind extends keyof VolumeRecords>(kind: Kind, key: string, record: VolumeRecords[Kind] | undefined): void {
    const map: Map<string, VolumeRecords[Kind]> = this.#maps[kind];
    if (JSON.stringify(map.get(key)) === JSON.stringify(record)) return;
    if (record === undefined) map.delete(key);
    else map.set(key, record);
    this.#revision++;
  }

  /** Somebody who mounts a claim has come, gone or moved, or a node is in another zone. */
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
