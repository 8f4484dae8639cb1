// What does an object look like that `lull install` makes? The part that all of them have, and where the API server keeps each kind.
import { isMap } from '../../kinds/reader.ts';
import type { ApiKind } from '../../kube/apiKind.ts';
import type { PolicyVersion } from '../../kube/bornParked.ts';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly [field: string]: unknown;
}

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** All that install makes for one Lull, as far as it depends on anything. */
export interface Wanted {
  readonly role: 'observe' | 'guide' | 'drive';
  readonly namespace: string;
  /** The settings file, as YAML. */
  readonly settings: string;
  /** Absent = no Deployment: no image is published. */
  readonly image?: string;
  readonly version: string;
  /** Which MutatingAdmissionPolicy the server serves. Absent = the newest, where no server is asked. */
  readonly policies?: PolicyVersion | 'none';
}

export const appName = 'lull';
/** The job's: it may forget the ledger, which Lull itself may not. */
export const releaseName = 'lull-release';

/** Also the name under which the API server keeps account of what install wrote. */
export const installer = 'lull-install';
const maker = 'app.kubernetes.io/managed-by';

/** By these uninstall finds what install made. */
export const labelsOf = ({ version }: Pick<Wanted, 'version'>): Readonly<Record<string, string>> => ({
  'app.kubernetes.io/name': appName,
  'app.kubernetes.io/version': version.replace(/[^A-Za-z0-9._-]/g, '_'),
  [maker]: installer,
});

/** Whether install made it, by what stands on it. */
export function isInstallsOwn({ metadata }: { readonly metadata?: unknown }): boolean {
  const labels = isMap(metadata) && isMap(metadata.labels) ? metadata.labels : {};
  return labels['app.kubernetes.io/name'] === appName && labels[maker] === installer;
}

/** As the API server calls whoever speaks with the token of a ServiceAccount. */
export const userOf = (namespace: string, account: string): string => `system:serviceaccount:${namespace}:${account}`;

/** `Kind/name` or `Kind/namespace/name`, as everywhere (L2). */
export const titleOf = ({ kind, metadata: { namespace, name } }: Manifest): string =>
  [kind, ...(namespace === undefined ? [] : [namespace]), name].join('/');

/** kind → plural. Those with a namespace say so in their metadata. */
const plurals: Readonly<Record<string, string>> = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  ConfigMap: 'configmaps',
  CronJob: 'cronjobs',
  CustomResourceDefinition: 'customresourcedefinitions',
  Deployment: 'deployments',
  MutatingAdmissionPolicy: 'mutatingadmissionpolicies',
  MutatingAdmissionPolicyBinding: 'mutatingadmissionpolicybindings',
  Namespace: 'namespaces',
  PodDisruptionBudget: 'poddisruptionbudgets',
  Role: 'roles',
  RoleBinding: 'rolebindings',
  Secret: 'secrets',
  ServiceAccount: 'serviceaccounts',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
};

export function apiKindFor({ kind, apiVersion, metadata }: Manifest): ApiKind {
  const plural = plurals[kind];
  if (plural === undefined) throw new Error(`Nobody has said where the API server keeps ${kind}`);
  return { kind, apiVersion, plural, isNamespaced: metadata.namespace !== undefined };
}
