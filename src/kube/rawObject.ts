// What did the server send? An object of a kind, as far as it must be one for us to keep it apart from others; anything else is garbage.
import { isMap, type Json } from '../kinds/reader.ts';
import type { ApiKind } from './apiKind.ts';

export interface RawObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: RawMeta;
  readonly [field: string]: unknown;
}

export interface RawMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly [field: string]: unknown;
}

/** `name`, or `namespace/name`. */
export type Key = string;

export const keyAt = (namespace: string | undefined, name: string): Key =>
  namespace === undefined ? name : `${namespace}/${name}`;

export const keyOf = ({ metadata }: RawObject): Key => keyAt(metadata.namespace, metadata.name);

/** Kubernetes lets them be compared as numbers since 1.35; with etcd it has always held. */
export const versionOf = ({ metadata }: RawObject): number => Number(metadata.resourceVersion);

export const isVersion = (value: unknown): value is string => typeof value === 'string' && /^\d{1,15}$/.test(value);

/** Items of a list do not say what they are: the list does. */
export function asRawObject(value: unknown, { kind, apiVersion, isNamespaced }: ApiKind): RawObject | undefined {
  if (!isMap(value) || !isMap(value.metadata)) return undefined;
  if (value.kind !== undefined && value.kind !== kind) return undefined;
  const { name, namespace, uid, resourceVersion } = value.metadata;
  const isWhole = isName(name) && isName(uid) && isVersion(resourceVersion) && isName(namespace) === isNamespaced;
  if (!isWhole) return undefined;
  return (value.kind === undefined ? { apiVersion, kind, ...value } : value) as RawObject;
}

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Of an object in an answer: nothing keeps it any longer, so that it is no longer there. A pod is kept by its grace. */
export function isGone({ metadata }: RawObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = metadata as Json;
  const isKept = Array.isArray(finalizers) && finalizers.length > 0;
  return deletionTimestamp !== undefined && !isKept && !(Number(deletionGracePeriodSeconds ?? 0) > 0);
}
