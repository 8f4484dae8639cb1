// Builds NodeClaims from a pool's template, and nodes from a launched NodeClaim.
import { annotation, label } from '../../../cluster/names.ts';
import { parseResources } from '../../../cluster/quantity.ts';
import { formatInstant, type Instant } from '../../../time/instant.ts';
import type { Json } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { hashesOf } from '../karpenter/rows.ts';
import {
  poolOf,
  type RawClaim,
  type RawNode,
  type RawPool,
  type RawRequirement,
  taintKey,
  withConditions,
} from '../rawObjects.ts';
import { cheapestOf, holds, leastUsed, offeringsOf, type SimOffering, zonesUsed } from './offerings.ts';

interface ClaimOptions {
  readonly name: string;
  /** Replace the pool's requirements on the same label. */
  readonly requirements?: readonly RawRequirement[];
  readonly requests?: Json;
}

const claimVersion = 'karpenter.sh/v1';
export const terminationFinalizer = 'karpenter.sh/termination';

export function claimOf(pool: RawPool, { name, requirements = [], requests }: ClaimOptions): RawClaim {
  const { metadata, spec } = pool.spec?.template ?? {};
  // If the pool carries Karpenter's hashes, its claims carry them too.
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

/** The offering the cloud chooses for a claim; undefined if none fits. */
export function chooseOffering(claim: RawClaim, world: World): SimOffering | undefined {
  const requests = parseResources(claim.spec?.resources?.requests);
  const fitting = offeringsOf(claim.spec?.requirements ?? [], world).filter(({ room }) => holds(room, requests));
  return leastUsed(cheapestOf(fitting), zonesUsed(poolOf(claim) ?? '', world));
}

/** The claim after a successful launch. */
export function launched(claim: RawClaim, { labels, allocatable, price }: SimOffering, at: Instant): RawClaim {
  const { metadata } = claim;
  const named: RawClaim = {
    ...claim,
    metadata: {
      ...metadata,
      finalizers: [...new Set([...(metadata.finalizers ?? []), terminationFinalizer])],
      labels: { ...metadata.labels, ...labels, [label.price]: String(price) },
    },
  };
  const providerID = `box://${metadata.name}`;
  const imageID = metadata.labels?.image;
  return withConditions(named, at, [yes('Launched')], {
    providerID,
    ...(imageID !== undefined && { imageID }),
    capacity: allocatable,
    allocatable,
  });
}

export const yes = (type: string) => ({ type, status: 'True', reason: type, message: '' });

/** The node as its kubelet registers it: not Ready yet. */
export function nodeOf(claim: RawClaim, name: string, at: Instant): RawNode {
  const { metadata, spec, status } = claim;
  const node: RawNode = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { ...metadata.labels, [label.hostname]: name, [label.registered]: 'true' },
      ...(metadata.annotations && { annotations: metadata.annotations }),
      finalizers: [terminationFinalizer],
      ownerReferences: [
        {
          apiVersion: claim.apiVersion,
          kind: 'NodeClaim',
          name: metadata.name,
          uid: metadata.uid ?? '',
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      ...(status?.providerID !== undefined && { providerID: status.providerID }),
      taints: [
        ...(spec?.taints ?? []),
        ...(spec?.startupTaints ?? []),
        { key: taintKey.notReady, effect: 'NoSchedule', timeAdded: formatInstant(at) },
      ],
    },
    status: {
      ...(status?.capacity && { capacity: status.capacity }),
      ...(status?.allocatable && { allocatable: status.allocatable }),
    },
  };
  return withConditions(node, at, [notReady]);
}

export const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'KubeletReady',
  message: 'kubelet is posting ready status',
};
const notReady = {
  type: 'Ready',
  status: 'False',
  reason: 'KubeletNotReady',
  message: 'container runtime network not ready',
};
