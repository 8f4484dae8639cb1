// What does a claim of a pool look like, as Karpenter makes it? The template of the pool, and what its pods need.
import { annotation, label } from '../../../cluster/names.ts';
import type { Json } from '../../kubeObject.ts';
import { hashesOf } from '../karpenter/poolHash.ts';
import type { Claim, Pool, RawRequirement } from '../manifest.ts';

export interface Wanted {
  readonly name: string;
  /** In place of those of the pool on the same label, within which they are. */
  readonly requirements?: readonly RawRequirement[];
  readonly requests?: Json;
}

const claimVersion = 'karpenter.sh/v1';
export const terminationFinalizer = 'karpenter.sh/termination';

export function claimOf(pool: Pool, { name, requirements = [], requests }: Wanted): Claim {
  const { metadata, spec } = pool.spec?.template ?? {};
  // Where Karpenter keeps hashes on its pools, it stamps their claims with them as well.
  const hashes = pool.metadata.annotations?.[annotation.poolHash] === undefined ? undefined : hashesOf(pool);
  const annotations = (metadata?.annotations ?? hashes) && { ...metadata?.annotations, ...hashes };
  const isOwn = (key: string): boolean => requirements.some((requirement) => requirement.key === key);
  return {
    apiVersion: claimVersion,
    kind: 'NodeClaim',
    metadata: {
      name,
      labels: { ...metadata?.labels, [label.pool]: pool.metadata.name },
      ...(annotations && { annotations }),
      ownerReferences: [
        {
          apiVersion: claimVersion,
          kind: 'NodePool',
          name: pool.metadata.name,
          uid: pool.metadata.uid ?? '',
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      ...spec,
      requirements: [...(spec?.requirements ?? []).filter(({ key }) => !isOwn(key)), ...requirements],
      ...(requests && { resources: { requests } }),
    },
  };
}
