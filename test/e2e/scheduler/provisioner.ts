// Provisions the volumes of claims that wait for their first pod, as a CSI provisioner does: in the zone of the chosen node.
import type { Api } from '../../cluster/api.ts';
import type { KubeObject } from '../story/hand.ts';
import { keyOf, type Watched } from './watched.ts';

const selected = 'volume.kubernetes.io/selected-node';
const zone = 'topology.kubernetes.io/zone';

interface Around {
  readonly api: Api;
  readonly claims: Watched;
  find(kind: string, key: string): KubeObject | undefined;
  put(object: KubeObject): void;
}

export interface Provisioner {
  /** The claims of its generic ephemeral volumes, as their controller creates them. */
  makeClaims(pod: KubeObject): Promise<readonly KubeObject[]>;
}

export function openProvisioner({ api, claims, find, put }: Around): Provisioner {
  const begun = new Set<string>();

  const bind = async (claim: KubeObject, node: string): Promise<void> => {
    const volume = (await api.must({
      method: 'POST',
      path: '/api/v1/persistentvolumes',
      body: volumeFor(claim, {
        driver: find('StorageClass', claim.spec.storageClassName)?.provisioner,
        where: find('Node', node)?.metadata.labels?.[zone],
      }),
    })) as unknown as KubeObject;
    put({ ...volume, kind: 'PersistentVolume' });
    await api.must({
      method: 'PATCH',
      path: `/api/v1/namespaces/${claim.metadata.namespace}/persistentvolumeclaims/${claim.metadata.name}`,
      body: {
        metadata: {
          annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' },
        },
        spec: { volumeName: volume.metadata.name },
      },
      contentType: 'application/merge-patch+json',
    });
  };

  claims.onChange((claim) => {
    const node = claim.metadata.annotations?.[selected];
    const { uid = '' } = claim.metadata;
    if (!node || claim.spec.volumeName || begun.has(uid) || !claims.objects.has(keyOf(claim))) return;
    begun.add(uid);
    // If the claim is deleted meanwhile, nothing waits for it; otherwise the pod is never bound, and the test reports it.
    bind(claim, node).catch(() => undefined);
  });

  return {
    makeClaims: async (pod) => {
      const made: KubeObject[] = [];
      for (const { name, template } of templatesIn(pod)) {
        const { namespace } = pod.metadata;
        const owner = {
          apiVersion: 'v1',
          kind: 'Pod',
          name: pod.metadata.name,
          uid: pod.metadata.uid,
          controller: true,
        };
        const body = {
          ...template,
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { ...template.metadata, name: `${pod.metadata.name}-${name}`, ownerReferences: [owner] },
        };
        const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
        made.push((await api.must({ method: 'POST', path, body })) as unknown as KubeObject);
      }
      return made;
    },
  };
}

const templatesIn = ({ spec }: KubeObject): readonly { readonly name: string; readonly template: KubeObject }[] =>
  ((spec.volumes ?? []) as KubeObject[]).flatMap(({ name, ephemeral }) =>
    ephemeral?.volumeClaimTemplate ? [{ name: String(name), template: ephemeral.volumeClaimTemplate }] : [],
  );

export const hasOwnClaims = (pod: KubeObject): boolean => templatesIn(pod).length > 0;

/** No garbage collector runs here. */
export const ownClaims = (pod: string, claims: Watched): string[] =>
  [...claims.objects.values()]
    .filter(({ metadata }) => {
      const owners = (metadata.ownerReferences ?? []) as { kind: string; name: string }[];
      return owners.some(({ kind, name }) => kind === 'Pod' && `${metadata.namespace}/${name}` === pod);
    })
    .map(keyOf);

interface Where {
  readonly driver: string | undefined;
  readonly where: string | undefined;
}

function volumeFor({ metadata, spec }: KubeObject, { driver, where }: Where): object {
  const name = `pvc-${metadata.uid}`;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: spec.resources.requests,
      accessModes: spec.accessModes,
      storageClassName: spec.storageClassName,
      claimRef: {
        kind: 'PersistentVolumeClaim',
        namespace: metadata.namespace,
        name: metadata.name,
        uid: metadata.uid,
      },
      csi: { driver, volumeHandle: name },
      ...(where && {
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: 'In', values: [where] }] }] },
        },
      }),
    },
  };
}
