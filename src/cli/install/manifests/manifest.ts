// The common fields of the objects that `lull install` creates, the API path of each kind, and the settings as text.
import type { Settings } from '../../../cluster/settings.ts';
import { isMap, mapIn } from '../../../kinds/read/reader.ts';
import { readSettings, settingsGiven } from '../../../kinds/readSettings.ts';
import { parseText } from '../../../kinds/text/documents.ts';
import { writeYaml } from '../../../kinds/text/writeYaml.ts';
import { type ApiKind, objectPath } from '../../../kube/apiKind.ts';
import type { PolicyVersion } from '../../../kube/bornParked.ts';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ManifestMetadata;
  readonly [field: string]: unknown;
}

interface ManifestMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Everything that the manifests depend on. */
export interface InstallSpec {
  readonly role: 'observe' | 'guide' | 'drive';
  readonly namespace: string;
  /** The settings file, as YAML. */
  readonly settings: string;
  /** Absent = no Deployment: no image is published. */
  readonly image?: string;
  readonly version: string;
  /** Which version of MutatingAdmissionPolicy the server serves. Absent = the newest, if no server is asked. */
  readonly policies?: PolicyVersion | 'none';
}

export const appName = 'lull';
/** The release job's account: it may delete the ledger, which Lull itself may not. */
export const releaseName = 'lull-release';

/** Also the field manager of install's writes. */
export const installer = 'lull-install';
const maker = 'app.kubernetes.io/managed-by';

/** Uninstall finds the objects of install by these labels. */
export const labelsOf = ({ version }: Pick<InstallSpec, 'version'>): Readonly<Record<string, string>> => ({
  'app.kubernetes.io/name': appName,
  'app.kubernetes.io/version': version.replace(/[^A-Za-z0-9._-]/g, '_'),
  [maker]: installer,
});

/** Whether install created it, by its labels. */
export function isInstallsOwn({ metadata }: { readonly metadata?: unknown }): boolean {
  const labels = mapIn(mapIn(metadata).labels);
  return labels['app.kubernetes.io/name'] === appName && labels[maker] === installer;
}

/** The user name of a ServiceAccount at the API server. */
export const userOf = (namespace: string, account: string): string => `system:serviceaccount:${namespace}:${account}`;

/** `Kind/name` or `Kind/namespace/name`, as everywhere (L2). */
export const titleOf = ({ kind, metadata: { namespace, name } }: Manifest): string =>
  [kind, ...(namespace === undefined ? [] : [namespace]), name].join('/');

/** kind → plural. Namespaced objects have a namespace in their metadata. */
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
  if (plural === undefined) throw new Error(`No plural is known for kind ${kind}`);
  return { kind, apiVersion, plural, isNamespaced: metadata.namespace !== undefined };
}

export const pathOf = (manifest: Manifest): string =>
  objectPath(apiKindFor(manifest), manifest.metadata.name, manifest.metadata.namespace);

/** The role is always written: it is what people look for. */
export const writeSettings = (settings: Settings): string =>
  writeYaml({ role: settings.role, ...Object.fromEntries(settingsGiven(settings)) });

/** Undefined = it cannot be read, or has faults. */
export function readSettingsText(text: string, pairs: readonly string[]): Settings | undefined {
  const { values, errors } = parseText(text);
  const given = values[0]?.value ?? {};
  if (errors.length > 0 || !isMap(given)) return undefined;
  const { settings, faults } = readSettings(given, pairs);
  return faults.some(({ severity }) => severity === 'error') ? undefined : settings;
}
