// Reads any Kubernetes object into a record with its faults, or ignores it. Nothing here throws.
import type { Fault } from '../cluster/fault.ts';
import type { Ledger } from '../cluster/ledger.ts';
import type { Namespace } from '../cluster/model.ts';
import type { ClusterStore, Records } from '../cluster/store.ts';
import { readPoolDefinition } from './read/addedFields.ts';
import { readDisruptionLedger } from './read/disruptionLedger.ts';
import { readEvent } from './read/event.ts';
import { Findings, nowhere, type Severity, type Where } from './read/findings.ts';
import { readHealthGate } from './read/healthGate.ts';
import { readMaintenanceWindow } from './read/maintenanceWindow.ts';
import { nameOfObject, readMetadata } from './read/metadata.ts';
import { nearMisses } from './read/nearMiss.ts';
import { readNode, readNodeClaim } from './read/node.ts';
import { readNodePool } from './read/nodePool.ts';
import { readPodDisruptionBudget } from './read/podDisruptionBudget.ts';
import { readPodDisruptionSchedule } from './read/podDisruptionSchedule.ts';
import { readProvisioner } from './read/provisioner.ts';
import { isMap, Reader } from './read/reader.ts';
import { readDaemonSet, readPod } from './read/readPod.ts';
import { readAttachLimits, readStorageClass, readVolume, readVolumeClaim } from './read/storage.ts';

type KnownRecords = Records & { DisruptionLedger: Ledger };

/** A Provisioner is read as a NodePool. */
export type ReadResult =
  | {
      [Kind in keyof KnownRecords]: {
        readonly kind: Kind;
        readonly record: KnownRecords[Kind];
        readonly faults: readonly Fault[];
      };
    }[keyof KnownRecords]
  | { readonly kind: 'ignored' };

export type KnownResult = Exclude<ReadResult, { kind: 'ignored' }>;

interface KindReader {
  readonly kind: keyof KnownRecords;
  /** The apiVersions of the kind, the current one first. */
  readonly versions: readonly string[];
  readonly severity: Severity;
  /** Undefined for an object that Lull does not need, such as the CRD of another kind. */
  readonly read: (object: Reader) => KnownRecords[keyof KnownRecords] | undefined;
}

type RecordReader<Kind extends keyof KnownRecords> = (object: Reader) => KnownRecords[Kind] | undefined;

const form =
  (severity: Severity) =>
  <Kind extends keyof KnownRecords>(
    kind: Kind,
    read: RecordReader<Kind>,
    ...versions: readonly string[]
  ): KindReader => ({
    kind,
    versions,
    severity,
    read,
  });

/** Objects that rules apply to: an invalid value is a warning, and the rules still hold. */
const thing = form('warning');
/** Rules: an invalid value is an error, since it is unknown what the rule was meant to hold. */
const rule = form('error');

const forms: ReadonlyMap<string, KindReader> = new Map([
  ['Pod', thing('Pod', readPod, 'v1')],
  ['Node', thing('Node', readNode, 'v1')],
  ['Namespace', thing('Namespace', readNamespaceObject, 'v1')],
  ['PersistentVolume', thing('PersistentVolume', readVolume, 'v1')],
  ['PersistentVolumeClaim', thing('PersistentVolumeClaim', readVolumeClaim, 'v1')],
  ['StorageClass', thing('StorageClass', readStorageClass, 'storage.k8s.io/v1')],
  ['CSINode', thing('CSINode', readAttachLimits, 'storage.k8s.io/v1')],
  ['DaemonSet', thing('DaemonSet', readDaemonSet, 'apps/v1')],
  ['PodDisruptionBudget', rule('PodDisruptionBudget', readPodDisruptionBudget, 'policy/v1', 'policy/v1beta1')],
  ['NodePool', rule('NodePool', readNodePool, 'karpenter.sh/v1', 'karpenter.sh/v1beta1')],
  ['NodeClaim', thing('NodeClaim', readNodeClaim, 'karpenter.sh/v1', 'karpenter.sh/v1beta1')],
  ['Provisioner', rule('NodePool', readProvisioner, 'karpenter.sh/v1alpha5', 'karpenter.sh/v1beta1')],
  ['MaintenanceWindow', rule('MaintenanceWindow', readMaintenanceWindow, 'karpenter.sh/v1alpha1')],
  ['PodDisruptionSchedule', rule('PodDisruptionSchedule', readPodDisruptionSchedule, 'karpenter.sh/v1alpha1')],
  ['HealthGate', rule('HealthGate', readHealthGate, 'lull.dev/v1alpha1')],
  ['DisruptionLedger', rule('DisruptionLedger', readDisruptionLedger, 'lull.dev/v1alpha1')],
  ['Event', thing('Event', readEvent, 'v1')],
  ['CustomResourceDefinition', thing('CustomResourceDefinition', readPoolDefinition, 'apiextensions.k8s.io/v1')],
]);

export function readObject(object: unknown, where: Where = nowhere): ReadResult {
  if (!isMap(object)) return { kind: 'ignored' };
  const form = typeof object.kind === 'string' ? forms.get(object.kind) : undefined;
  if (!form || !isOfGroup(object.apiVersion, groupOf(form.versions[0] ?? ''))) return { kind: 'ignored' };
  const findings = new Findings(() => nameOfObject(object), form.severity, where);
  const reader = new Reader(object, findings);
  reader.text('apiVersion');
  const record = form.read(reader);
  if (record === undefined) return { kind: 'ignored' };
  return { kind: form.kind, record, faults: findings.faults } as KnownResult;
}

/** Applies a read object to a cluster. The ledger is not part of the cluster. */
export function applyRead(cluster: ClusterStore, read: ReadResult): void {
  if (read.kind === 'ignored' || read.kind === 'DisruptionLedger') return;
  cluster.put(read);
}

/** Removes an object, by `name` or `namespace/name`. */
export const applyGone = (cluster: ClusterStore, kind: string, key: string): void => cluster.remove(kind, key);

/** Other API groups have a Node or NodePool too. Without an apiVersion, the kind alone decides. */
function isOfGroup(apiVersion: unknown, group: string): boolean {
  if (typeof apiVersion !== 'string') return true;
  return groupOf(apiVersion) === group;
}

function readNamespaceObject(object: Reader): Namespace {
  const { name, labels } = readMetadata(object);
  return { name, labels };
}

/** The kinds users write: those Lull reads, and workloads whose pod templates it reads. */
const versions: ReadonlyMap<string, readonly string[]> = new Map([
  ...[...forms]
    .filter(([kind]) => kind !== 'Event' && kind !== 'CustomResourceDefinition')
    .map(([kind, { versions }]) => [kind, versions] as const),
  ['Deployment', ['apps/v1']],
  ['StatefulSet', ['apps/v1']],
  ['Job', ['batch/v1']],
  ['CronJob', ['batch/v1']],
]);

const groups: ReadonlySet<string> = new Set([...versions.values()].flat().map(groupOf));

export interface UnknownKind {
  readonly field: 'kind' | 'apiVersion';
  /** The known values it is close to. */
  readonly meant: readonly string[];
}

/** Undefined if the kind is known in this version, or belongs to another API group. */
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
  // Other API groups have a Node or NodePool too.
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
