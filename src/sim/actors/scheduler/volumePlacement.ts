// Where a pod's volumes allow it to run: bound volumes restrict its nodes, unbound ones are found or provisioned.
import { parseResources } from '../../../cluster/quantity.ts';
import { isDeleting, type Json, labelsOf, namespaceOf, selects } from '../../kubeObject.ts';
import type { RawNode, RawPod } from '../rawObjects.ts';
import { labelAt, type NodeCheck, type SchedulingView, selects as selectsNode } from './schedulingView.ts';
import {
  claimNamed,
  claimsOf,
  classOf,
  isBound,
  isUnboundUntilScheduled,
  type MountedClaim,
  type RawStorageClass,
  type RawVolume,
  type RawVolumeClaim,
  selectedNode,
  volumeNamed,
} from './volumeClaims.ts';

export function volumeRule(pod: RawPod, around: SchedulingView): NodeCheck | undefined {
  const claimed = claimsOf(pod);
  if (claimed.length === 0) return undefined;
  const nowhere = claimed.map((each) => brokenClaim(each, pod, around)).find((why) => why !== undefined);
  if (nowhere !== undefined) return () => nowhere;
  const claims = claimed.flatMap(({ name, isEphemeral }) => {
    const claim = claimNamed(pod, name, around);
    return claim ? [{ claim, isEphemeral }] : [];
  });
  const bound = claims.flatMap(({ claim, isEphemeral }) => {
    const volume = isBound(claim) ? volumeNamed(claim.spec?.volumeName, around) : undefined;
    return volume ? [{ volume, isEphemeral }] : [];
  });
  const late = claims.map(({ claim }) => claim).filter((claim) => !isBound(claim));
  return (node) => {
    for (const { volume, isEphemeral } of bound) {
      if (!isReachable(volume, node)) return `volumes: ${volume.metadata.name} is not reachable from the node`;
      if (!isEphemeral && !isInZone(volume, node)) return `volumes: ${volume.metadata.name} is in another zone`;
    }
    return lateRule(late, around)(node);
  };
}

/** Why the claim prevents the pod from running on any node. */
function brokenClaim({ name, isEphemeral }: MountedClaim, pod: RawPod, around: SchedulingView): string | undefined {
  const claim = claimNamed(pod, name, around);
  if (!claim) return `volumes: there is no claim ${name}`;
  if (isDeleting(claim)) return `volumes: the claim ${name} is being deleted`;
  if (claim.status?.phase === 'Lost') return `volumes: the claim ${name} has lost its volume`;
  if (isEphemeral && !claim.metadata.ownerReferences?.some(({ uid }) => uid === pod.metadata.uid))
    return `volumes: the claim ${name} belongs to another pod`;
  if (isBound(claim))
    return volumeNamed(claim.spec?.volumeName, around) ? undefined : `volumes: the volume of ${name} does not exist`;
  return isUnboundUntilScheduled(claim, around) ? undefined : `volumes: the claim ${name} is not bound yet`;
}

function isReachable({ spec }: RawVolume, node: RawNode): boolean {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
  // A volume's affinity refers to labels only, not to names.
  return !terms || selectsNode({ selector: {}, terms }, { name: '', labels: labelsOf(node) });
}

const currentLabels: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
};
const locationLabels = [...Object.keys(currentLabels), ...Object.values(currentLabels)];

/** A node without location labels is accepted. */
function isInZone(volume: RawVolume, node: RawNode): boolean {
  if (locationLabels.every((key) => labelAt(node, key) === undefined)) return true;
  return locationLabels.every((key) => {
    const allowed = labelAt(volume, key)?.split('__');
    const value = labelAt(node, key) ?? labelAt(node, currentLabels[key] ?? key);
    return !allowed || (value !== undefined && allowed.includes(value));
  });
}

/** For a claim that is bound when its pod is scheduled: an unused volume, or one that can be provisioned there. */
const lateRule =
  (claims: readonly RawVolumeClaim[], around: SchedulingView): NodeCheck =>
  (node) => {
    const chosen = new Set<RawVolume>();
    for (const claim of [...claims].sort(
      (a, b) => sizeOf(a.spec?.resources?.requests) - sizeOf(b.spec?.resources?.requests),
    )) {
      const on = selectedNode(claim);
      if (on !== undefined && on !== node.metadata.name)
        return `volumes: ${claim.metadata.name} is being provisioned for ${on}`;
      const found = on === undefined ? findUnused(claim, node, { chosen, around }) : undefined;
      if (found) chosen.add(found);
      else if (!canProvision(classOf(claim, around), node))
        return `volumes: ${claim.metadata.name} cannot be provisioned there`;
    }
    return undefined;
  };

function canProvision({ provisioner, allowedTopologies = [] }: Partial<RawStorageClass> = {}, node: RawNode): boolean {
  if (!provisioner || provisioner === 'kubernetes.io/no-provisioner') return false;
  if (allowedTopologies.length === 0) return true;
  return allowedTopologies.some(
    ({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.length > 0 &&
      matchLabelExpressions.every(({ key, values = [] }) => values.includes(labelAt(node, key) ?? '')),
  );
}

interface VolumeSearch {
  readonly chosen: ReadonlySet<RawVolume>;
  readonly around: SchedulingView;
}

/** The smallest sufficient volume; one reserved for this claim takes precedence. */
function findUnused(claim: RawVolumeClaim, node: RawNode, { chosen, around }: VolumeSearch): RawVolume | undefined {
  const volumes: Iterable<RawVolume> = around.list('PersistentVolume');
  const all = [...volumes].filter((it) => !chosen.has(it) && isCompatible(it, claim, around));
  const own = all.find(({ spec }) => isFor(spec?.claimRef, claim));
  if (own) return isReachable(own, node) ? own : undefined;
  return all
    .filter((it) => !it.spec?.claimRef && it.status?.phase === 'Available' && isReachable(it, node))
    .filter(({ metadata }) => !claim.spec?.selector || selects(claim.spec.selector, metadata.labels))
    .filter(({ spec }) => (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode)))
    .sort((a, b) => sizeOf(a.spec?.capacity) - sizeOf(b.spec?.capacity))[0];
}

const isFor = (reference: { namespace?: string; name?: string } | undefined, claim: RawVolumeClaim): boolean =>
  reference?.name === claim.metadata.name && reference.namespace === namespaceOf(claim);

function isCompatible(volume: RawVolume, claim: RawVolumeClaim, around: SchedulingView): boolean {
  const { spec } = volume;
  return (
    spec?.storageClassName === classOf(claim, around)?.metadata.name &&
    (spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem') &&
    sizeOf(spec?.capacity) >= sizeOf(claim.spec?.resources?.requests) &&
    !isDeleting(volume)
  );
}

const sizeOf = (amounts: Json | undefined): number => parseResources(amounts).storage ?? 0;
