// What does a node look like when it registers? Labels and taints from its claim, room from its machine.
import { label } from '../../../cluster/names.ts';
import { parseResources } from '../../../cluster/quantity.ts';
import { formatInstant, type Instant } from '../../../time/instant.ts';
import type { World } from '../../world.ts';
import { type Claim, type Node, poolOf } from '../manifest.ts';
import { withConditions } from '../status.ts';
import { taintKey } from '../taints.ts';
import { terminationFinalizer } from './claimObject.ts';
import { cheapestOf, holds, type Offering, offeringsOf } from './offerings.ts';
import { leastUsed, zonesUsed } from './zones.ts';

/** What the cloud would give for a claim; undefined where nothing it has will do. */
export function chooseOffering(claim: Claim, world: World): Offering | undefined {
  const requests = parseResources(claim.spec?.resources?.requests);
  const fitting = offeringsOf(claim.spec?.requirements ?? [], world).filter(({ room }) => holds(room, requests));
  return leastUsed(cheapestOf(fitting), zonesUsed(poolOf(claim) ?? '', world));
}

/** The claim once the cloud has said yes. */
export function launched(claim: Claim, { labels, allocatable, price }: Offering, at: Instant): Claim {
  const { metadata } = claim;
  const named: Claim = {
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

/** As its kubelet announces it: not Ready yet, so that nothing is put on it. */
export function nodeOf(claim: Claim, name: string, at: Instant): Node {
  const { metadata, spec, status } = claim;
  const node: Node = {
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
