// The test's own reading of which pods may not be moved now (E1, E3–E7), and which PDBs match a pod (E10).
import type { PlainPdb, PlainPod, PlainPodSchedule, Texts } from '../plain.ts';
import { type Hours, isOpen, isZone, readHours } from './clock.ts';
import { isActive, ofKind, ownerKind, type Seen } from './cluster.ts';
import { isBadSelector, readDuration, readReason, selects } from './reading.ts';

const prefix = 'karpenter.sh/';
const hour = 3_600_000;

/** Whether annotations of the pod protect it from the reason now (E1, E3). */
export function isOptedOut({ metadata, status }: PlainPod, reason: string, now: number): boolean {
  const annotations = metadata.annotations ?? {};
  const text = annotations[`${prefix}do-not-disrupt`];
  const lasting = text === undefined ? undefined : readDuration(text);
  const until =
    lasting === undefined ? undefined : status.startTime ? Date.parse(status.startTime) + lasting : Infinity;
  const isProtected = text === 'true' || annotations[`${prefix}do-not-evict`] === 'true' || (until ?? 0) > now;
  const names = annotations[`${prefix}do-not-disrupt-reasons`]?.split(',').map(readReason).filter(Boolean) ?? [];
  return isProtected && (names.length === 0 || names.includes(reason));
}

/** Whether its own schedule, or else a PodDisruptionSchedule, forbids moving it now (E4–E7). */
export function isOffHours(pod: PlainPod, seen: Seen): boolean {
  const annotations = pod.metadata.annotations ?? {};
  const allow = ownHours(annotations, 'schedule', 'schedule-duration');
  const block = ownHours(annotations, 'block-schedule', 'block-duration');
  const open = (hours: readonly Hours[]): boolean => hours.some((one) => isOpen(one, seen.now));
  if (allow || block) return (allow !== undefined && !open(allow)) || (block !== undefined && open(block));
  const schedules = ofKind(seen.plain.objects, 'PodDisruptionSchedule');
  return schedules.some((schedule) => means(schedule, pod, seen) && forbids(schedule, seen.now));
}

/** Undefined = no schedule, or none that is valid (E6). Empty = a schedule that never opens. */
export function ownHours(annotations: Texts, key: string, durationKey: string): Hours[] | undefined {
  const text = annotations[`${prefix}disruption-${key}`];
  const zone = annotations[`${prefix}disruption-schedule-timezone`] ?? 'UTC';
  if (!text || !isZone(zone)) return undefined;
  const crons = text.split(';').map((cron) => cron.trim());
  const durations =
    annotations[`${prefix}disruption-${durationKey}`]?.split(';').map((each) => podDuration(each, key)) ?? [];
  const hours = crons.map((cron, index) =>
    readHours(cron, (durations.length === 1 ? durations[0] : durations[index]) ?? hour, zone),
  );
  const readable = hours.filter((each) => each !== undefined);
  return readable.length > 0 ? readable.filter((each) => each !== 'never') : undefined;
}

/** One hour if the duration is invalid, less than a minute or, unless it blocks, over a week; a block lasts a week at most (E6). */
function podDuration(text: string, key: string): number {
  const duration = readDuration(text);
  if (duration === undefined || duration < 60_000) return hour;
  if (duration <= 168 * hour) return duration;
  return key === 'block-schedule' ? 168 * hour : hour;
}

export function means({ spec }: PlainPodSchedule, { metadata }: PlainPod, { plain }: Seen): boolean {
  const { selector, namespaceSelector } = spec;
  if (selector && !isBadSelector(selector) && !selects(selector, metadata.labels ?? {})) return false;
  if (!namespaceSelector || isBadSelector(namespaceSelector)) return true;
  const name = metadata.namespace ?? 'default';
  const namespace = ofKind(plain.objects, 'Namespace').find((it) => it.metadata.name === name);
  return selects(namespaceSelector, { 'kubernetes.io/metadata.name': name, ...namespace?.metadata.labels });
}

function forbids(schedule: PlainPodSchedule, now: number): boolean {
  const hours = scheduleHours(schedule);
  // An invalid schedule fails closed (E7).
  return hours === undefined || isOpen(hours, now) === (schedule.spec.mode === 'Block');
}

/** Undefined = the schedule is invalid. */
export function scheduleHours({ spec }: PlainPodSchedule): Hours | undefined {
  const { selector, schedule = '', duration = '1h', timeZone = 'UTC' } = spec;
  const lasting = readDuration(duration);
  const hours = lasting !== undefined && lasting >= 60_000 ? readHours(schedule, lasting, timeZone) : undefined;
  return !selector || isBadSelector(selector) || hours === 'never' ? undefined : hours;
}

export const pdbsOver = ({ metadata }: PlainPod, { plain }: Seen): PlainPdb[] =>
  ofKind(plain.objects, 'PodDisruptionBudget').filter(
    (pdb) =>
      (pdb.metadata.namespace ?? 'default') === (metadata.namespace ?? 'default') &&
      pdb.spec.selector !== undefined &&
      selects(pdb.spec.selector, metadata.labels ?? {}),
  );

/** Mirror pods, and pods that tolerate the disruption taint, are not evicted (G6). */
export function isEvicted(pod: PlainPod): boolean {
  const stays = pod.spec.tolerations?.some(({ key }) => key === undefined || key === 'karpenter.sh/disrupted');
  return isActive(pod) && ownerKind(pod) !== 'Node' && !stays;
}
