// How many volumes can a node still take, and does somebody else hold one for himself alone? CSINode's limits; ReadWriteOncePod.
import type { KubeObject } from '../../kubeObject.ts';
import type { Pod } from '../manifest.ts';
import { type Around, type Judge, namespaceOf } from './around.ts';
import { claimNamed, claimsOf, classOf, volumeNamed } from './volumeClaims.ts';

interface CsiNode extends KubeObject {
  readonly spec?: {
    readonly drivers?: readonly { readonly name: string; readonly allocatable?: { readonly count?: number } }[];
  };
}

interface Attachment extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly attacher?: string;
    readonly source?: { readonly persistentVolumeName?: string };
  };
}

export function attachRule(pod: Pod, around: Around): Judge | undefined {
  const wanted = attachments(pod, around);
  if (wanted.size === 0) return undefined;
  return ({ metadata: { name } }) => {
    const drivers = (around.get('CSINode', name) as CsiNode | undefined)?.spec?.drivers ?? [];
    const there = attachedTo(name, around);
    for (const { name: driver, allocatable } of drivers) {
      const most = allocatable?.count;
      const more = [...wanted].filter(([id, of]) => of === driver && !there.pods.has(id)).length;
      const taken = [...there.all.values()].filter((of) => of === driver).length;
      if (most !== undefined && more > 0 && taken + more > most)
        return `volumes: ${driver} can attach ${most} there, and ${taken} are`;
    }
    return undefined;
  };
}

/** What the node's pods need, and whatever is still attached besides. */
function attachedTo(node: string, around: Around): { pods: Map<string, string>; all: Map<string, string> } {
  const pods = new Map<string, string>();
  for (const other of around.podsOn(node)) for (const [id, driver] of attachments(other, around)) pods.set(id, driver);
  const all = new Map(pods);
  for (const { spec } of around.list('VolumeAttachment') as Iterable<Attachment>) {
    if (spec?.nodeName !== node || !spec.attacher) continue;
    const csi = volumeNamed(spec.source?.persistentVolumeName, around)?.spec?.csi;
    if (csi) all.set(idOf(csi.driver, csi.volumeHandle), spec.attacher);
  }
  return { pods, all };
}

const idOf = (driver: string, handle: string): string => `${driver}/${handle}`;

/** Each volume once, with its driver. A claim without a volume will have one of its class. */
function attachments(pod: Pod, around: Around): Map<string, string> {
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

export function onePodRule(pod: Pod, around: Around): Judge | undefined {
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
      if (shared) return () => `volumes: ${other.metadata.name} has ${shared.name} for itself alone`;
    }
  return undefined;
}
