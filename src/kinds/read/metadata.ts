// The metadata of a Kubernetes object: name, creation time, labels and annotations; also its conditions.
import { defined } from '../../cluster/defined.ts';
import type { Condition, Conditions } from '../../cluster/model.ts';
import type { TextMap } from '../../cluster/selector.ts';
import { asDuration, asInstant, before, type Instant, second } from '../../time/instant.ts';
import { brief } from './findings.ts';
import { isMap, type Json, maxInt32, type Reader } from './reader.ts';

/** The maximum lengths in Kubernetes. Longer names are cut, since messages repeat them for each node and pod. */
export const longestName = 253;
const longestNamespace = 63;
export const longestLabel = 63;

/** The top-level fields of an object with a spec. */
export const objectFields: readonly string[] = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

export interface Metadata {
  readonly reader: Reader;
  readonly name: string;
  readonly uid: string;
  /** The Unix epoch if the object has no creationTimestamp. */
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
  if (value === undefined || value === '') metadata.fault('name', 'This object has no name. Set metadata.name.');
  return metadata.text('name') ?? (typeof value === 'number' ? String(value) : '');
}

export const readNamespace = (metadata: Reader): string =>
  metadata.shortText('namespace', longestNamespace) || 'default';

/** When deletion was requested: deletionTimestamp minus the grace period. */
export function readDeletingSince(metadata: Reader): Instant | undefined {
  const at = metadata.instant('deletionTimestamp');
  const grace = metadata.whole('deletionGracePeriodSeconds', 0, maxInt32) ?? 0;
  return at === undefined ? undefined : before(at, asDuration(grace * second));
}

const workloads = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'CronJob'];
const namespaced = new Set<unknown>(['Pod', 'PodDisruptionBudget', 'PersistentVolumeClaim', ...workloads]);

/** `Kind/name` or `Kind/namespace/name`, also for an invalid object. */
export function nameOfObject(object: Json): string {
  const metadata = isMap(object.metadata) ? object.metadata : {};
  const namespace = namespaced.has(object.kind) ? metadata.namespace || 'default' : undefined;
  return [object.kind, namespace, metadata.name]
    .filter((part) => typeof part === 'string')
    .filter((part) => part !== '')
    .map((part) => brief(part, longestName))
    .join('/');
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
  const reason = condition.text('reason') || undefined;
  const message = condition.text('message') || undefined;
  return defined({ status: condition.text('status') ?? 'Unknown', since, reason, message });
}
