// The kinds that Lull reads and the apiVersions they are served under; how a kind is misspelled (K4).
import { nearMisses } from './nearMiss.ts';

/** By kind, today's version first. */
const versions: ReadonlyMap<string, readonly string[]> = new Map([
  ['Pod', ['v1']],
  ['Node', ['v1']],
  ['Namespace', ['v1']],
  ['PersistentVolume', ['v1']],
  ['PersistentVolumeClaim', ['v1']],
  ['StorageClass', ['storage.k8s.io/v1']],
  ['CSINode', ['storage.k8s.io/v1']],
  ['Deployment', ['apps/v1']],
  ['StatefulSet', ['apps/v1']],
  ['DaemonSet', ['apps/v1']],
  ['Job', ['batch/v1']],
  ['CronJob', ['batch/v1']],
  ['PodDisruptionBudget', ['policy/v1', 'policy/v1beta1']],
  ['NodePool', ['karpenter.sh/v1', 'karpenter.sh/v1beta1']],
  ['NodeClaim', ['karpenter.sh/v1', 'karpenter.sh/v1beta1']],
  ['Provisioner', ['karpenter.sh/v1alpha5', 'karpenter.sh/v1beta1']],
  ['MaintenanceWindow', ['karpenter.sh/v1alpha1']],
  ['PodDisruptionSchedule', ['karpenter.sh/v1alpha1']],
  ['DisruptionLedger', ['lull.dev/v1alpha1']],
]);

const groups: ReadonlySet<string> = new Set([...versions.values()].flat().map(groupOf));

export interface UnknownKind {
  readonly field: 'kind' | 'apiVersion';
  /** What it may have been meant as. */
  readonly meant: readonly string[];
}

/** Undefined where the kind is known under this version, or is another maker's. */
export function unknownKind(kind: string, apiVersion: string): UnknownKind | undefined {
  const known = versions.get(kind);
  const group = groupOf(apiVersion);
  if (!known) {
    const meant = nearMisses(
      kind,
      [...versions.keys()].filter((each) => isGroupMeant(group, each)),
    );
    return meant.length > 0 ? { field: 'kind', meant } : undefined;
  }
  // Other makers have a Node and a NodePool too.
  if (known.includes(apiVersion) || !(groups.has(group) || isGroupMeant(group, kind))) return undefined;
  const near = nearMisses(apiVersion, known);
  return { field: 'apiVersion', meant: near.length > 0 ? near : known.slice(0, 1) };
}

function isGroupMeant(group: string, kind: string): boolean {
  const own = groupOf(versions.get(kind)?.[0] ?? '');
  return group === own || nearMisses(group, [own]).length > 0 || (own === 'karpenter.sh' && /^karpenter\b/.test(group));
}

function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0));
}
