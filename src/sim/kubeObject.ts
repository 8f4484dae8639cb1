// What is a Kubernetes object in the simulator? Raw JSON, just as kubectl prints it. It is never changed: a write makes another.

export type Json = Readonly<Record<string, unknown>>;
export type Texts = Readonly<Record<string, string>>;

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Meta;
  readonly spec?: Json;
  readonly status?: Json;
  readonly [field: string]: unknown;
}

export interface Meta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Texts;
  readonly annotations?: Texts;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly [field: string]: unknown;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** `name`, or `namespace/name`. */
export type Key = string;

export const keyAt = (namespace: string | undefined, name: string): Key =>
  namespace === undefined ? name : `${namespace}/${name}`;

export const keyOf = ({ metadata }: KubeObject): Key => keyAt(metadata.namespace, metadata.name);

const namespaced = new Set([
  'Pod',
  'PodDisruptionBudget',
  'PersistentVolumeClaim',
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'ConfigMap',
  'Service',
]);

/** As kubectl sends it: what belongs to a namespace and names none goes to `default`. */
export const inNamespace = (object: KubeObject): KubeObject =>
  object.metadata.namespace === undefined && namespaced.has(object.kind)
    ? { ...object, metadata: { ...object.metadata, namespace: 'default' } }
    : object;

/** What it was when it was last written. */
export const versionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion ?? 0);

export const isDeleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

/** Whether two pieces of JSON say the same. What is shared between versions costs nothing to compare. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  if (Array.isArray(b)) return false;
  const [left, right] = [a as Json, b as Json];
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
  );
}
