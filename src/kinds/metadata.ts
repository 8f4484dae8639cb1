// Who is this object, and since when is it here? What every Kubernetes object says of itself.
import type { Condition, Conditions } from '../cluster/model.ts';
import type { TextMap } from '../cluster/selector.ts';
import { asDuration, asInstant, before, type Instant, second } from '../time/instant.ts';
import { brief } from './findings.ts';
import { isMap, type Json, type Reader } from './reader.ts';

/** As long as Kubernetes lets them be. Longer ones are cut: sentences repeat them for each node and pod. */
export const longestName = 253;
const longestNamespace = 63;
export const longestLabel = 63;

/** Of any object that has a spec. */
export const objectFields: readonly string[] = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

export interface Metadata {
  readonly reader: Reader;
  readonly name: string;
  readonly uid: string;
  /** The beginning of time where the object does not say. */
  readonly createdAt: Instant;
  readonly labels: TextMap;
  readonly annotations: TextMap;
}

export function readMetadata(object: Reader): Metadata {
  const reader = object.map('metadata');
  return {
    reader,
    name: readName(reader),
    uid: reader.text('uid') ?? '',
    createdAt: reader.instant('creationTimestamp') ?? asInstant(0),
    labels: reader.textMap('labels', longestLabel),
    annotations: reader.textMap('annotations'),
  };
}

function readName(metadata: Reader): string {
  const value = metadata.raw('name');
  if (typeof value === 'string' && value !== '') return metadata.shortText('name', longestName) ?? '';
  if (value === undefined || value === '')
    metadata.fault('name', 'This object has no name. Give it one in metadata.name.');
  return metadata.text('name') ?? (typeof value === 'number' ? String(value) : '');
}

export const readNamespace = (metadata: Reader): string =>
  metadata.shortText('namespace', longestNamespace) || 'default';

/** When deletion was asked for: the timestamp itself lies after the grace that was given. */
export function readDeletingSince(metadata: Reader): Instant | undefined {
  const at = metadata.instant('deletionTimestamp');
  const grace = metadata.whole('deletionGracePeriodSeconds', 0, maxGrace) ?? 0;
  return at === undefined ? undefined : before(at, asDuration(grace * second));
}

/** Kubernetes counts more; nobody waits for longer. */
const maxGrace = 2 ** 31 - 1;

const workloads = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'CronJob'];
const namespaced = new Set<unknown>(['Pod', 'PodDisruptionBudget', 'PersistentVolumeClaim', ...workloads]);

/** `Kind/name` or `Kind/namespace/name`, for any object however broken. */
export function nameOfObject(object: Json): string {
  const metadata = isMap(object.metadata) ? object.metadata : {};
  const namespace = namespaced.has(object.kind) ? metadata.namespace || 'default' : undefined;
  const parts = [object.kind, namespace, metadata.name].filter((part) => typeof part === 'string' && part !== '');
  return parts.map((part) => brief(part as string, longestName)).join('/');
}

export function readConditions(status: Reader): Conditions {
  const entries: [string, Condition][] = [];
  for (const condition of status.maps('conditions')) {
    const type = condition.text('type');
    if (type !== undefined) entries.push([type, readCondition(condition)]);
  }
  return Object.fromEntries(entries);
}

export function readCondition(condition: Reader): Condition {
  const since = condition.instant('lastTransitionTime');
  const reason = condition.text('reason');
  const message = condition.text('message');
  return {
    status: condition.text('status') ?? 'Unknown',
    ...(since !== undefined && { since }),
    ...(reason && { reason }),
    ...(message && { message }),
  };
}
