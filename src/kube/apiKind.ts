// The kinds that Lull watches and writes, and their paths at the API server.
import { poolDefinitionName } from '../kinds/read/addedFields.ts';
import { ledgerKind, ledgerName } from '../runtime/mirror.ts';

export interface ApiKind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** Only these objects are watched. */
  readonly fieldSelector?: string;
  /** Only for explanations and warnings: decisions do not wait for it, and the ledger does not record how far it was seen. */
  readonly isAside?: true;
  /** An older installation grants no permission for it: if the server refuses, Lull decides without it, more carefully. */
  readonly mayBeRefused?: true;
  /** An older installation has no CRD for it, so that there are no such objects. */
  readonly mayBeUnknown?: true;
  /** Changes of it do not start a round. */
  readonly isQuiet?: true;
}

export { ledgerKind, ledgerName };

const cluster = (kind: string, apiVersion: string, plural: string): ApiKind => ({
  kind,
  apiVersion,
  plural,
  isNamespaced: false,
});
const namespaced = (kind: string, apiVersion: string, plural: string): ApiKind => ({
  ...cluster(kind, apiVersion, plural),
  isNamespaced: true,
});

/** The facts, in the order in which they are listed for users. */
export const factKinds: readonly ApiKind[] = [
  cluster('Namespace', 'v1', 'namespaces'),
  cluster('NodePool', 'karpenter.sh/v1', 'nodepools'),
  cluster('NodeClaim', 'karpenter.sh/v1', 'nodeclaims'),
  cluster('Node', 'v1', 'nodes'),
  namespaced('Pod', 'v1', 'pods'),
  namespaced('PodDisruptionBudget', 'policy/v1', 'poddisruptionbudgets'),
  cluster('PodDisruptionSchedule', 'karpenter.sh/v1alpha1', 'poddisruptionschedules'),
  cluster('MaintenanceWindow', 'karpenter.sh/v1alpha1', 'maintenancewindows'),
  { ...cluster('HealthGate', 'lull.dev/v1alpha1', 'healthgates'), mayBeRefused: true, mayBeUnknown: true },
  { ...namespaced('DaemonSet', 'apps/v1', 'daemonsets'), mayBeRefused: true },
  { ...namespaced('PersistentVolumeClaim', 'v1', 'persistentvolumeclaims'), mayBeRefused: true },
  { ...cluster('PersistentVolume', 'v1', 'persistentvolumes'), mayBeRefused: true },
  { ...cluster('StorageClass', 'storage.k8s.io/v1', 'storageclasses'), mayBeRefused: true },
  { ...cluster('CSINode', 'storage.k8s.io/v1', 'csinodes'), mayBeRefused: true },
];

const asideKinds: readonly ApiKind[] = [
  {
    ...cluster('CustomResourceDefinition', 'apiextensions.k8s.io/v1', 'customresourcedefinitions'),
    fieldSelector: `metadata.name=${poolDefinitionName}`,
    isAside: true,
  },
  // For every parked node, Karpenter emits an event every few minutes (N3).
  {
    ...namespaced('Event', 'v1', 'events'),
    fieldSelector: 'involvedObject.kind=Node,source=karpenter',
    isAside: true,
    isQuiet: true,
  },
];

export const watchedKinds: readonly ApiKind[] = [
  ...factKinds,
  ...asideKinds,
  cluster(ledgerKind, 'lull.dev/v1alpha1', 'disruptionledgers'),
];

const byName = new Map(watchedKinds.map((each) => [each.kind, each]));

export function apiKindOf(kind: string): ApiKind {
  const known = byName.get(kind);
  if (!known) throw new Error(`No API path is known for kind ${kind}`);
  return known;
}

/** Of all namespaces, or of one. */
export function collectionPath({ apiVersion, plural }: ApiKind, namespace?: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace === undefined
    ? `${root}/${plural}`
    : `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

export const selectorOf = ({ fieldSelector }: ApiKind): { readonly fieldSelector?: string } =>
  fieldSelector === undefined ? {} : { fieldSelector };

export const objectPath = (kind: ApiKind, name: string, namespace?: string): string =>
  `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
