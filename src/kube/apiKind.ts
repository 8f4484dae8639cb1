// Where does the API server keep the kinds that Lull watches and writes?
import { poolDefinitionName } from '../kinds/poolDefinition.ts';

export interface ApiKind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** Only these objects are followed. */
  readonly fieldSelector?: string;
  /** It explains, or warns: nobody waits until it is complete, and a ledger does not say how far it was seen. */
  readonly isAside?: true;
  /** An older install grants no right to it: where the server says so, Lull decides without, and more carefully. */
  readonly mayBeRefused?: true;
  /** What comes of it is no reason to look again. */
  readonly isQuiet?: true;
}

export const ledgerKind = 'DisruptionLedger';
/** There is one in a cluster. */
export const ledgerName = 'lull';

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

/** The facts, by the order in which they are named to people. */
export const factKinds: readonly ApiKind[] = [
  cluster('Namespace', 'v1', 'namespaces'),
  cluster('NodePool', 'karpenter.sh/v1', 'nodepools'),
  cluster('NodeClaim', 'karpenter.sh/v1', 'nodeclaims'),
  cluster('Node', 'v1', 'nodes'),
  namespaced('Pod', 'v1', 'pods'),
  namespaced('PodDisruptionBudget', 'policy/v1', 'poddisruptionbudgets'),
  cluster('PodDisruptionSchedule', 'karpenter.sh/v1alpha1', 'poddisruptionschedules'),
  cluster('MaintenanceWindow', 'karpenter.sh/v1alpha1', 'maintenancewindows'),
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
  // N3. Of every parked node Karpenter says every few minutes that it is.
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
  if (!known) throw new Error(`Nobody has said where the API server keeps ${kind}`);
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
