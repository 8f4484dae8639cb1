// Kubernetes objects in the simulator: raw JSON as kubectl prints it, and label selectors. Objects are immutable: a write
// creates a new one.

import type { Json } from '../kinds/read/reader.ts';
import { type Instant, parseInstant } from '../time/instant.ts';

export type { Json } from '../kinds/read/reader.ts';
export { keyAt, keyOf, type ObjectKey, versionOf } from '../runtime/mirror.ts';

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

/** An object as the API server stores it. */
export interface StoredObject extends KubeObject {
  readonly metadata: Meta & { readonly uid: string; readonly resourceVersion: string };
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export const labelsOf = ({ metadata }: KubeObject): Texts => metadata.labels ?? {};

export const annotationsOf = ({ metadata }: KubeObject): Texts => metadata.annotations ?? {};

export const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? 'default';

/** Undefined if the field is missing or not a string. */
export const textAt = (json: Json | undefined, key: string): string | undefined => {
  const value = json?.[key];
  return typeof value === 'string' ? value : undefined;
};

export const instantOf = (text: unknown): Instant | undefined =>
  typeof text === 'string' ? parseInstant(text) : undefined;

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

/** Adds the namespace `default` to namespaced objects without one, as kubectl does. */
export const inNamespace = (object: KubeObject): KubeObject =>
  object.metadata.namespace === undefined && namespaced.has(object.kind)
    ? { ...object, metadata: { ...object.metadata, namespace: 'default' } }
    : object;

export const isDeleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

/** Deep equality of JSON values; parts shared between versions are compared by identity. */
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

interface SelectorExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

const none: Texts = {};

/** An absent or invalid selector matches nothing, an empty one everything. */
export function selects(selector: unknown, labels: Texts = none): boolean {
  if (typeof selector !== 'object' || selector === null) return false;
  const { matchLabels, matchExpressions } = selector as {
    matchLabels?: Json;
    matchExpressions?: readonly SelectorExpression[];
  };
  for (const key in matchLabels) if (labelOf(labels, key) !== matchLabels[key]) return false;
  return (matchExpressions ?? []).every((expression) => holds(expression, labelOf(labels, expression.key)));
}

const labelOf = (labels: Texts, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;

function holds({ operator, values = [] }: SelectorExpression, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
