// What does a delete make of an object? Gone at once, or marked until its finalizers and its grace are over.
import { after, asDuration, formatInstant, type Instant, parseInstant, second } from '../time/instant.ts';
import { isDeleting, type KubeObject } from './kubeObject.ts';

/** Kubernetes' own default for pods. */
const defaultGraceSeconds = 30;

/** The object as it is then, the same one where nothing changes; undefined = it is gone. */
export function deleted(object: KubeObject, now: Instant, graceSeconds?: number): KubeObject | undefined {
  if (isDeleting(object)) return deletedAgain(object, graceSeconds);
  const grace = graceOf(object, graceSeconds);
  return grace === 0 && !hasFinalizers(object) ? undefined : marked(object, now, grace);
}

/** Only a shorter grace changes anything. A grace of 0 is how a kubelet says that a pod has ended. */
function deletedAgain(object: KubeObject, graceSeconds?: number): KubeObject | undefined {
  const { deletionTimestamp = '', deletionGracePeriodSeconds: known = 0 } = object.metadata;
  const wanted = known === 0 ? 0 : Math.max(0, graceSeconds ?? known);
  if (wanted === 0 && !hasFinalizers(object)) return undefined;
  if (wanted >= known) return object;
  const askedAt = after(parseInstant(deletionTimestamp) as Instant, asDuration(-known * second));
  return marked(object, askedAt, wanted);
}

function marked(object: KubeObject, askedAt: Instant, grace: number): KubeObject {
  const { metadata } = object;
  const isNew = !isDeleting(object);
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(isNew && metadata.generation !== undefined && { generation: metadata.generation + 1 }),
      deletionTimestamp: formatInstant(after(askedAt, asDuration(grace * second))),
      deletionGracePeriodSeconds: grace,
    },
  };
}

/** Nobody waits for a pod that runs nowhere, nor for anything but a pod. */
function graceOf({ kind, spec, status }: KubeObject, wanted?: number): number {
  if (kind !== 'Pod' || !spec?.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0;
  const grace = wanted ?? (spec.terminationGracePeriodSeconds as number | undefined) ?? defaultGraceSeconds;
  return grace < 0 ? 1 : grace;
}

const hasFinalizers = ({ metadata }: KubeObject): boolean => (metadata.finalizers?.length ?? 0) > 0;

/** Whether the last finalizer has just been taken off an object that waited for nothing else. */
export const isFinalized = (was: KubeObject, object: KubeObject): boolean =>
  isDeleting(object) &&
  hasFinalizers(was) &&
  !hasFinalizers(object) &&
  (object.metadata.deletionGracePeriodSeconds ?? 0) === 0;
