// What does this object say to Lull? The one way in: any plain object to a record and its faults, or ignored. Nothing here throws.
import type { Fault } from '../cluster/fault.ts';
import type { Ledger } from '../cluster/ledger.ts';
import type { Records } from '../cluster/store.ts';
import { readAttachLimits } from './attachLimits.ts';
import { readDaemonSet } from './daemonSet.ts';
import { readDisruptionLedger } from './disruptionLedger.ts';
import { readEvent } from './event.ts';
import { Findings, nowhere, type Severity, type Where } from './findings.ts';
import { readMaintenanceWindow } from './maintenanceWindow.ts';
import { nameOfObject } from './metadata.ts';
import { readNamespaceObject } from './namespace.ts';
import { readNode } from './node.ts';
import { readNodeClaim } from './nodeClaim.ts';
import { readNodePool } from './nodePool.ts';
import { readPod } from './pod.ts';
import { readPodDisruptionBudget } from './podDisruptionBudget.ts';
import { readPodDisruptionSchedule } from './podDisruptionSchedule.ts';
import { readPoolDefinition } from './poolDefinition.ts';
import { readProvisioner } from './provisioner.ts';
import { isMap, Reader } from './reader.ts';
import { readStorageClass } from './storageClass.ts';
import { readVolume } from './volume.ts';
import { readVolumeClaim } from './volumeClaim.ts';

type Known = Records & { DisruptionLedger: Ledger };

/** A Provisioner reads as a NodePool. */
export type ReadResult =
  | {
      [Kind in keyof Known]: { readonly kind: Kind; readonly record: Known[Kind]; readonly faults: readonly Fault[] };
    }[keyof Known]
  | { readonly kind: 'ignored' };

type Result = Exclude<ReadResult, { kind: 'ignored' }>;

interface Form {
  readonly kind: keyof Known;
  readonly group: string;
  readonly severity: Severity;
  /** Undefined = none of the kind that is meant. */
  readonly read: (object: Reader) => Known[keyof Known] | undefined;
}

type Read<Kind extends keyof Known> = (object: Reader) => Known[Kind] | undefined;

/** What rules are applied to: where it is wrong, that is a warning, and the rules still hold. */
const thing = <Kind extends keyof Known>(kind: Kind, group: string, read: Read<Kind>): Form => ({
  kind,
  group,
  severity: 'warning',
  read,
});

/** Where a rule is wrong, nobody knows what was meant: that is an error. */
const rule = <Kind extends keyof Known>(kind: Kind, group: string, read: Read<Kind>): Form => ({
  kind,
  group,
  severity: 'error',
  read,
});

const forms: ReadonlyMap<unknown, Form> = new Map([
  ['Pod', thing('Pod', '', readPod)],
  ['Node', thing('Node', '', readNode)],
  ['Namespace', thing('Namespace', '', readNamespaceObject)],
  ['PersistentVolumeClaim', thing('PersistentVolumeClaim', '', readVolumeClaim)],
  ['PersistentVolume', thing('PersistentVolume', '', readVolume)],
  ['StorageClass', thing('StorageClass', 'storage.k8s.io', readStorageClass)],
  ['CSINode', thing('CSINode', 'storage.k8s.io', readAttachLimits)],
  ['DaemonSet', thing('DaemonSet', 'apps', readDaemonSet)],
  ['NodeClaim', thing('NodeClaim', 'karpenter.sh', readNodeClaim)],
  ['NodePool', rule('NodePool', 'karpenter.sh', readNodePool)],
  ['Provisioner', rule('NodePool', 'karpenter.sh', readProvisioner)],
  ['PodDisruptionBudget', rule('PodDisruptionBudget', 'policy', readPodDisruptionBudget)],
  ['MaintenanceWindow', rule('MaintenanceWindow', 'karpenter.sh', readMaintenanceWindow)],
  ['PodDisruptionSchedule', rule('PodDisruptionSchedule', 'karpenter.sh', readPodDisruptionSchedule)],
  ['Event', thing('Event', '', readEvent)],
  ['CustomResourceDefinition', thing('CustomResourceDefinition', 'apiextensions.k8s.io', readPoolDefinition)],
  ['DisruptionLedger', rule('DisruptionLedger', 'lull.dev', readDisruptionLedger)],
]);

export function readObject(object: unknown, where: Where = nowhere): ReadResult {
  if (!isMap(object)) return { kind: 'ignored' };
  const form = forms.get(object.kind);
  if (!form || !isOfGroup(object.apiVersion, form.group)) return { kind: 'ignored' };
  const findings = new Findings(() => nameOfObject(object), form.severity, where);
  const reader = new Reader(object, findings);
  reader.text('apiVersion');
  const record = form.read(reader);
  if (record === undefined) return { kind: 'ignored' };
  return { kind: form.kind, record, faults: findings.faults } as Result;
}

/** Other makers have a Node and a NodePool too. Where the version is not given, the kind is taken at its word. */
function isOfGroup(apiVersion: unknown, group: string): boolean {
  if (typeof apiVersion !== 'string') return true;
  return apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0)) === group;
}
