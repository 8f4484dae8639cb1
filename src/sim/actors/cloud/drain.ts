// Which pods of a node are still to go, and which of them now? Karpenter's terminator: four tiers, PDBs kept, until the deadline forces them.

import { annotation, taint } from '../../../cluster/names.ts';
import { parseDuration } from '../../../time/duration.ts';
import { after, asDuration, type Instant, parseInstant, second } from '../../../time/instant.ts';
import { isDeleting, type KubeObject, keyOf } from '../../kubeObject.ts';
import { controllerReference, isDaemonPod, isTerminal, type Pod } from '../manifest.ts';
import { isTolerated } from '../taints.ts';
import { remove, type Write } from '../write.ts';

const disrupted = { key: taint.karpenterDisrupted, effect: 'NoSchedule' };
const defaultGraceSeconds = 30;
/** A pod that should have ended a minute ago is waited for no longer. */
const stuckAfter = asDuration(60 * second);

/** The pods that a drain waits for. */
export const waitedFor = (pods: Iterable<KubeObject>, now: Instant): Pod[] =>
  [...(pods as Iterable<Pod>)].filter(
    (pod) =>
      !isTerminal(pod) &&
      !isTolerated(disrupted, pod.spec?.tolerations) &&
      controllerReference(pod)?.kind !== 'Node' &&
      !isStuck(pod, now),
  );

function isStuck({ metadata }: Pod, now: Instant): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  const endsAt = parseInstant(metadata.deletionTimestamp);
  return endsAt !== undefined && now > after(endsAt, stuckAfter);
}

/** What is to be asked for now. The next tier waits until the one before it is gone. */
export function drainWrites(waiting: readonly Pod[], now: Instant, deadline: Instant | undefined): Write[] {
  const forced = deadline === undefined ? [] : waiting.filter((pod) => isForced(pod, now, deadline));
  const rest = waiting.filter((pod) => !forced.includes(pod));
  const first = Math.min(...rest.map(tierOf));
  const evicted = rest.filter((pod) => tierOf(pod) === first && !isDeleting(pod) && !optsOut(pod, now));
  return [
    ...forced.map((pod) => forcedOut(pod, now, deadline ?? now)),
    ...evicted.map((pod): Write => ({ verb: 'evict', key: keyOf(pod), ...uidOf(pod) })),
  ];
}

function forcedOut(pod: Pod, now: Instant, deadline: Instant): Write {
  const graceSeconds = Math.max(1, Math.floor((deadline - now) / second));
  return remove('Pod', keyOf(pod), { ...uidOf(pod), graceSeconds });
}

const uidOf = ({ metadata: { uid } }: Pod) => (uid === undefined ? {} : { uid });

/** A pod needs its own grace before the deadline; one that would end after it is cut short. */
function isForced({ metadata, spec }: Pod, now: Instant, deadline: Instant): boolean {
  const endsAt = parseInstant(metadata.deletionTimestamp ?? '');
  if (endsAt !== undefined) return endsAt > deadline;
  const grace = spec?.terminationGracePeriodSeconds ?? defaultGraceSeconds;
  return now > after(deadline, asDuration(-grace * second));
}

const critical = ['system-cluster-critical', 'system-node-critical'];

const tierOf = (pod: Pod): number =>
  (critical.includes(pod.spec?.priorityClassName ?? '') ? 2 : 0) + (isDaemonPod(pod) ? 1 : 0);

export function optsOut({ metadata, status }: Pod, now: Instant): boolean {
  const text = metadata.annotations?.[annotation.doNotDisrupt];
  if (text === undefined || text === 'true') return text === 'true';
  const length = parseDuration(text);
  if (length === undefined || length <= 0) return false;
  const startedAt = parseInstant(status?.startTime ?? '');
  return startedAt === undefined || now < after(startedAt, length);
}
