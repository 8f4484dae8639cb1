// A pod's volume claims with their volumes and classes, the attach limit of nodes, and ReadWriteOncePod.
import { type Json, type KubeObject, keyAt, namespaceOf } from '../../kubeObject.ts';
import type { RawNodeTerm, RawPod } from '../rawObjects.ts';
import type { NodeCheck, SchedulingView } from './schedulingView.ts';

export interface MountedClaim {
  readonly name: string;
  /** Created for this pod only, and deleted with it. */
  readonly isEphemeral: boolean;
}

export interface RawVolumeClaim extends KubeObject {
  readonly spec?: {
    readonly volumeName?: string;
    readonly storageClassName?: string;
    readonly accessModes?: readonly string[];
    readonly volumeMode?: string;
    readonly selector?: Json;
    readonly resources?: { readonly requests?: Json };
  };
  readonly status?: { readonly phase?: string };
}

export interface RawVolume extends KubeObject {
  readonly spec?: {
    readonly storageClassName?: string;
    readonly accessModes?: readonly string[];
    readonly volumeMode?: string;
    readonly capacity?: Json;
    readonly claimRef?: { readonly namespace?: string; readonly name?: string };
    readonly csi?: { readonly driver: string; readonly volumeHandle: string };
    readonly nodeAffinity?: { readonly required?: { readonly nodeSelectorTerms?: readonly RawNodeTerm[] } };
  };
  readonly status?: { readonly phase?: string };
}

export interface RawStorageClass extends KubeObject {
  readonly provisioner?: string;
  readonly volumeBindingMode?: string;
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly { readonly key: string; readonly values?: readonly string[] }[];
  }[];
}

export function claimsOf({ metadata, spec }: RawPod): MountedClaim[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): MountedClaim[] => {
    if (persistentVolumeClaim) return [{ name: persistentVolumeClaim.claimName, isEphemeral: false }];
    return ephemeral ? [{ name: `${metadata.name}-${name}`, isEphemeral: true }] : [];
  });
}

export const claimNamed = (pod: RawPod, name: string, around: SchedulingView): RawVolumeClaim | undefined =>
  around.get('PersistentVolumeClaim', keyAt(namespaceOf(pod), name));

export const volumeNamed = (name: string | undefined, around: SchedulingView): RawVolume | undefined =>
  name ? around.get('PersistentVolume', name) : undefined;

/** The annotation is older than the field and takes precedence. */
export function classOf({ metadata, spec }: RawVolumeClaim, around: SchedulingView): RawStorageClass | undefined {
  const name = metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName;
  return name ? around.get('StorageClass', name) : undefined;
}

/** The volume controller has completed the binding. */
export const isBound = ({ metadata, spec }: RawVolumeClaim): boolean =>
  Boolean(spec?.volumeName) && Object.hasOwn(metadata.annotations ?? {}, 'pv.kubernetes.io/bind-completed');

export const isUnboundUntilScheduled = (claim: RawVolumeClaim, around: SchedulingView): boolean =>
  !claim.spec?.volumeName && classOf(claim, around)?.volumeBindingMode === 'WaitForFirstConsumer';

export const selectedNode = ({ metadata }: RawVolumeClaim): string | undefined =>
  metadata.annotations?.['volume.kubernetes.io/selected-node'];

interface RawCsiNode extends KubeObject {
  readonly spec?: {
    readonly drivers?: readonly { readonly name: string; readonly allocatable?: { readonly count?: number } }[];
  };
}

interface RawVolumeAttachment extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly attacher?: string;
    readonly source?: { readonly persistentVolumeName?: string };
  };
}

export function attachRule(pod: RawPod, around: SchedulingView): NodeCheck | undefined {
  const wanted = attachments(pod, around);
  if (wanted.size === 0) return undefined;
  return ({ metadata: { name } }) => {
    const csiNode: RawCsiNode | undefined = around.get('CSINode', name);
    const there = attachedTo(name, around);
    for (const { name: driver, allocatable } of csiNode?.spec?.drivers ?? []) {
      const most = allocatable?.count;
      const more = [...wanted].filter(([id, of]) => of === driver && !there.pods.has(id)).length;
      const taken = [...there.all.values()].filter((of) => of === driver).length;
      if (most !== undefined && more > 0 && taken + more > most)
        return `volumes: ${driver} attaches at most ${most}, ${taken} are attached`;
    }
    return undefined;
  };
}

/** The volumes of the node's pods, and all attached volumes. */
function attachedTo(node: string, around: SchedulingView): { pods: Map<string, string>; all: Map<string, string> } {
  const pods = new Map<string, string>();
  for (const other of around.podsOn(node)) for (const [id, driver] of attachments(other, around)) pods.set(id, driver);
  const all = new Map(pods);
  const attached: Iterable<RawVolumeAttachment> = around.list('VolumeAttachment');
  for (const { spec } of attached) {
    if (spec?.nodeName !== node || !spec.attacher) continue;
    const csi = volumeNamed(spec.source?.persistentVolumeName, around)?.spec?.csi;
    if (csi) all.set(idOf(csi.driver, csi.volumeHandle), spec.attacher);
  }
  return { pods, all };
}

const idOf = (driver: string, handle: string): string => `${driver}/${handle}`;

/** Each volume once, with its driver. A claim without a volume gets one of its class. */
function attachments(pod: RawPod, around: SchedulingView): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name } of claimsOf(pod)) {
    const claim = claimNamed(pod, name, around);
    const volume = volumeNamed(claim?.spec?.volumeName, around);
    const driver = volume ? volume.spec?.csi?.driver : claim && classOf(claim, around)?.provisioner;
    const handle = volume ? volume.spec?.csi?.volumeHandle : `${namespaceOf(pod)}/${name}`;
    if (driver && handle) found.set(idOf(driver, handle), driver);
  }
  return found;
}

export function onePodRule(pod: RawPod, around: SchedulingView): NodeCheck | undefined {
  const own = claimsOf(pod).filter(
    ({ name, isEphemeral }) =>
      !isEphemeral && claimNamed(pod, name, around)?.spec?.accessModes?.includes('ReadWriteOncePod'),
  );
  if (own.length === 0) return undefined;
  for (const node of around.nodes())
    for (const other of around.podsOn(node.metadata.name)) {
      const shared =
        namespaceOf(other) === namespaceOf(pod) &&
        claimsOf(other).find(({ name }) => own.some((it) => it.name === name));
      if (shared) return () => `volumes: ${other.metadata.name} uses ${shared.name} exclusively`;
    }
  return undefined;
}
