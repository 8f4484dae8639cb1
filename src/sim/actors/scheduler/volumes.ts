// Can a pod's volumes be had on a node? Those that are bound keep to their place; those that are not are made, or found, where the pod goes.
import { parseResources } from '../../../cluster/quantity.ts';
import { isDeleting, type Json } from '../../kubeObject.ts';
import { selects } from '../../labelSelector.ts';
import type { Node, Pod } from '../manifest.ts';
import { selects as selectsNode } from './admits.ts';
import { type Around, type Judge, labelAt, labelsOf, namespaceOf } from './around.ts';
import {
  type Claimed,
  claimNamed,
  claimsOf,
  classOf,
  isBound,
  isLate,
  type StorageClass,
  selectedNode,
  type Volume,
  type VolumeClaim,
  volumeNamed,
} from './volumeClaims.ts';

export function volumeRule(pod: Pod, around: Around): Judge | undefined {
  const claimed = claimsOf(pod);
  if (claimed.length === 0) return undefined;
  const nowhere = claimed.map((each) => brokenClaim(each, pod, around)).find((why) => why !== undefined);
  if (nowhere !== undefined) return () => nowhere;
  const claims = claimed.map(({ name, isEphemeral }) => ({
    claim: claimNamed(pod, name, around) as VolumeClaim,
    isEphemeral,
  }));
  const bound = claims.flatMap(({ claim, isEphemeral }) => {
    const volume = isBound(claim) ? volumeNamed(claim.spec?.volumeName, around) : undefined;
    return volume ? [{ volume, isEphemeral }] : [];
  });
  const late = claims.map(({ claim }) => claim).filter((claim) => !isBound(claim));
  return (node) => {
    for (const { volume, isEphemeral } of bound) {
      if (!isReachable(volume, node)) return `volumes: ${volume.metadata.name} cannot be had there`;
      if (!isEphemeral && !isInZone(volume, node)) return `volumes: ${volume.metadata.name} is in another zone`;
    }
    return lateRule(late, around)(node);
  };
}

/** What keeps the pod from every node. */
function brokenClaim({ name, isEphemeral }: Claimed, pod: Pod, around: Around): string | undefined {
  const claim = claimNamed(pod, name, around);
  if (!claim) return `volumes: there is no claim ${name}`;
  if (isDeleting(claim)) return `volumes: the claim ${name} is being deleted`;
  if (claim.status?.phase === 'Lost') return `volumes: the claim ${name} has lost its volume`;
  if (isEphemeral && !claim.metadata.ownerReferences?.some(({ uid }) => uid === pod.metadata.uid))
    return `volumes: the claim ${name} belongs to somebody else`;
  if (isBound(claim))
    return volumeNamed(claim.spec?.volumeName, around) ? undefined : `volumes: the volume of ${name} is not there`;
  return isLate(claim, around) ? undefined : `volumes: the claim ${name} is not bound yet`;
}

function isReachable({ spec }: Volume, node: Node): boolean {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
  // Volumes know labels alone, not names.
  return !terms || selectsNode({ selector: {}, terms }, { name: '', labels: labelsOf(node) });
}

const today: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
};
const placeLabels = [...Object.keys(today), ...Object.values(today)];

/** A node that says nothing of its place is taken to be near enough. */
function isInZone(volume: Volume, node: Node): boolean {
  if (placeLabels.every((key) => labelAt(node, key) === undefined)) return true;
  return placeLabels.every((key) => {
    const allowed = labelAt(volume, key)?.split('__');
    const value = labelAt(node, key) ?? labelAt(node, today[key] ?? key);
    return !allowed || (value !== undefined && allowed.includes(value));
  });
}

/** A claim that waits for its pod: an unused volume that will do, or one that can be made there. */
const lateRule =
  (claims: readonly VolumeClaim[], around: Around): Judge =>
  (node) => {
    const chosen = new Set<Volume>();
    for (const claim of [...claims].sort(
      (a, b) => sizeOf(a.spec?.resources?.requests) - sizeOf(b.spec?.resources?.requests),
    )) {
      const on = selectedNode(claim);
      if (on !== undefined && on !== node.metadata.name)
        return `volumes: ${claim.metadata.name} is being made for ${on}`;
      const found = on === undefined ? unused(claim, node, { chosen, around }) : undefined;
      if (found) chosen.add(found);
      else if (!canBeMade(classOf(claim, around), node)) return `volumes: ${claim.metadata.name} cannot be made there`;
    }
    return undefined;
  };

function canBeMade({ provisioner, allowedTopologies = [] }: Partial<StorageClass> = {}, node: Node): boolean {
  if (!provisioner || provisioner === 'kubernetes.io/no-provisioner') return false;
  if (allowedTopologies.length === 0) return true;
  return allowedTopologies.some(
    ({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.length > 0 &&
      matchLabelExpressions.every(({ key, values = [] }) => values.includes(labelAt(node, key) ?? '')),
  );
}

interface Left {
  readonly chosen: ReadonlySet<Volume>;
  readonly around: Around;
}

/** The smallest that is large enough. One that was kept for this claim comes before all. */
function unused(claim: VolumeClaim, node: Node, { chosen, around }: Left): Volume | undefined {
  const all = ([...around.list('PersistentVolume')] as Volume[]).filter(
    (it) => !chosen.has(it) && isLike(it, claim, around),
  );
  const own = all.find(({ spec }) => isFor(spec?.claimRef, claim));
  if (own) return isReachable(own, node) ? own : undefined;
  return all
    .filter((it) => !it.spec?.claimRef && it.status?.phase === 'Available' && isReachable(it, node))
    .filter(({ metadata }) => !claim.spec?.selector || selects(claim.spec.selector, metadata.labels))
    .filter(({ spec }) => (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode)))
    .sort((a, b) => sizeOf(a.spec?.capacity) - sizeOf(b.spec?.capacity))[0];
}

const isFor = (reference: { namespace?: string; name?: string } | undefined, claim: VolumeClaim): boolean =>
  reference?.name === claim.metadata.name && reference.namespace === namespaceOf(claim);

function isLike(volume: Volume, claim: VolumeClaim, around: Around): boolean {
  const { spec } = volume;
  return (
    spec?.storageClassName === classOf(claim, around)?.metadata.name &&
    (spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem') &&
    sizeOf(spec?.capacity) >= sizeOf(claim.spec?.resources?.requests) &&
    !isDeleting(volume)
  );
}

const sizeOf = (amounts: Json | undefined): number => parseResources(amounts).storage ?? 0;
