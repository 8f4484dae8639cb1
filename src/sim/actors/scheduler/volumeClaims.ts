// Which volumes does a pod mount, and what is known of them? Claims by name, the volumes they are bound to, their classes.
import { type Json, type KubeObject, keyAt, type Texts } from '../../kubeObject.ts';
import type { NodeTerm, Pod } from '../manifest.ts';
import { type Around, namespaceOf } from './around.ts';

export interface Claimed {
  readonly name: string;
  /** Made for this pod alone, and gone with it. */
  readonly isEphemeral: boolean;
}

export interface VolumeClaim extends KubeObject {
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

export interface Volume extends KubeObject {
  readonly spec?: {
    readonly storageClassName?: string;
    readonly accessModes?: readonly string[];
    readonly volumeMode?: string;
    readonly capacity?: Json;
    readonly claimRef?: { readonly namespace?: string; readonly name?: string };
    readonly csi?: { readonly driver: string; readonly volumeHandle: string };
    readonly nodeAffinity?: { readonly required?: { readonly nodeSelectorTerms?: readonly NodeTerm[] } };
  };
  readonly status?: { readonly phase?: string };
}

export interface StorageClass extends KubeObject {
  readonly provisioner?: string;
  readonly volumeBindingMode?: string;
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly { readonly key: string; readonly values?: readonly string[] }[];
  }[];
}

export function claimsOf({ metadata, spec }: Pod): Claimed[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): Claimed[] => {
    if (persistentVolumeClaim) return [{ name: persistentVolumeClaim.claimName, isEphemeral: false }];
    return ephemeral ? [{ name: `${metadata.name}-${name}`, isEphemeral: true }] : [];
  });
}

export const claimNamed = (pod: Pod, name: string, around: Around): VolumeClaim | undefined =>
  around.get('PersistentVolumeClaim', keyAt(namespaceOf(pod), name)) as VolumeClaim | undefined;

export const volumeNamed = (name: string | undefined, around: Around): Volume | undefined =>
  name ? (around.get('PersistentVolume', name) as Volume | undefined) : undefined;

/** The annotation is older than the field, and still stands before it. */
export function classOf({ metadata, spec }: VolumeClaim, around: Around): StorageClass | undefined {
  const name = metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName;
  return name ? (around.get('StorageClass', name) as StorageClass | undefined) : undefined;
}

/** The controller has seen both sides of it. */
export const isBound = ({ metadata, spec }: VolumeClaim): boolean =>
  Boolean(spec?.volumeName) && Object.hasOwn(metadata.annotations ?? {}, 'pv.kubernetes.io/bind-completed');

export const isLate = (claim: VolumeClaim, around: Around): boolean =>
  !claim.spec?.volumeName && classOf(claim, around)?.volumeBindingMode === 'WaitForFirstConsumer';

export const selectedNode = ({ metadata }: VolumeClaim): string | undefined =>
  (metadata.annotations as Texts | undefined)?.['volume.kubernetes.io/selected-node'];
