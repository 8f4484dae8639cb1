// E1, E3–E7: may the pods of a node be moved, each by its own rule?

import type { Pod, PodSchedule } from '../../cluster/model.ts';
import type { PodView } from '../../cluster/nodeView.ts';
import { kindOf, type Reason, reasons } from '../../cluster/reason.ts';
import { freeSchedules, notWorkedOut } from '../../cluster/scheduleShare.ts';
import { not } from '../../time/combine.ts';
import { type Instant, latest } from '../../time/instant.ts';
import { firstMeeting, type Permit } from '../../time/meet.ts';
import { closesAt, never, opensAt, type Window } from '../../time/window.ts';
import { none, type Refusal, type RuleOwner, refuse } from '../refusal.ts';
import type { Wish } from '../wish.ts';
import type { Gate } from './gate.ts';

export const podRules: Gate = (wish, { now }) => {
  if (wish.view.timed.length === 0 || blockedPodsAreWaived(wish)) return none;
  const refusals: Refusal[] = [];
  for (const pod of wish.view.timed) {
    const optedOut = podOptedOut(pod.pod, wish.reason, now);
    if (optedOut) refusals.push(optedOut);
    // A2: pods of a node that is not Ready serve nobody; their schedules would hold up their own repair.
    if (wish.reason !== 'Unhealthy') refusals.push(...podScheduleRefusals(pod, now));
  }
  return refusals;
};

/** A2: an eventual reason does not wait for blocked pods where a deadline stands behind it. */
export const blockedPodsAreWaived = ({ kind, view }: Wish): boolean =>
  kind === 'eventual' && view.claim?.spec.terminationGracePeriod !== undefined;

/** E1, E3. */
export function podOptedOut(pod: Pod, reason: Reason, now: Instant): Refusal | undefined {
  const optOut = pod.rules?.optOut;
  if (!optOut || (optOut.until !== undefined && now >= optOut.until)) return undefined;
  if (optOut.reasons && !optOut.reasons.has(reason)) return undefined;
  const details = { owner: podOwner(pod), liftsAt: optOut.until };
  return refuse('PodOptedOut', `pod ${pod.namespace}/${pod.name} is annotated do-not-disrupt`, details);
}

/** E4, E5, E7, E13. All that apply must permit. */
export function podScheduleRefusals({ pod, schedules, unworked }: PodView, now: Instant): Refusal[] {
  const refusals: Refusal[] = [];
  const name = `pod ${pod.namespace}/${pod.name}`;
  // E13: nothing is known of its hours, so no instant is given.
  if (unworked) {
    const details = { owner: podOwner(pod), help: useFewer };
    return [refuse('PodScheduleClosed', `${name} is not moved: ${notWorkedOut(pod)}`, details)];
  }
  const { allow, block } = pod.rules ?? {};
  if (allow && !allow.isOpen(now))
    refusals.push(
      closed(`${name} may be moved only in its window (${shortly(allow)})`, podOwner(pod), opensAt(allow, now)),
    );
  if (block?.isOpen(now))
    refusals.push(
      blocked(`${name} may not be moved in its window (${shortly(block)})`, podOwner(pod), closesAt(block, now)),
    );
  for (const schedule of schedules) {
    const refusal = scheduleRefusal(schedule, name, now);
    if (refusal) refusals.push(refusal);
  }
  return refusals;
}

const useFewer = `Ask the pod's owner to use at most ${freeSchedules} schedules a pod, or the same text on all pods.`;

function scheduleRefusal(schedule: PodSchedule, pod: string, now: Instant): Refusal | undefined {
  const owner = { kind: 'PodDisruptionSchedule', name: schedule.name };
  const { window } = schedule;
  if (schedule.fault)
    return closed(`${pod} is under a schedule that cannot be read: ${schedule.fault.message}`, owner, undefined);
  if (schedule.mode === 'Allow' && !window.isOpen(now)) {
    return closed(
      `${pod} may be moved only in the window of ${schedule.name} (${window.text})`,
      owner,
      opensAt(window, now),
    );
  }
  if (schedule.mode === 'Block' && window.isOpen(now)) {
    return blocked(
      `${pod} may not be moved in the window of ${schedule.name} (${window.text})`,
      owner,
      closesAt(window, now),
    );
  }
  return undefined;
}

/** A tenant may write fifty schedules of 500 characters, and every refusal repeats them. */
const longestText = 500;

/** What a pod's window says of itself, cut after a whole schedule. */
export function shortly({ text }: Window): string {
  if (text.length <= longestText) return text;
  const parts = text.split(' or ');
  let kept = 1;
  for (let length = parts[0]?.length ?? 0; length <= longestText && kept < parts.length; kept++)
    length += (parts[kept]?.length ?? 0) + ' or '.length;
  return kept === parts.length ? text : `${parts.slice(0, kept).join(' or ')} or ${parts.length - kept} more`;
}

/** Whether a pod's schedules hold a wish without having been worked out (E13): then nobody knows until when. */
export const isUnworked = (wish: Wish): boolean =>
  wish.reason !== 'Unhealthy' && wish.view.timed.some(({ unworked }) => unworked) && !blockedPodsAreWaived(wish);

const closed = (message: string, owner: RuleOwner, liftsAt: Instant | undefined): Refusal =>
  refuse('PodScheduleClosed', message, { owner, liftsAt });

const blocked = (message: string, owner: RuleOwner, liftsAt: Instant | undefined): Refusal =>
  refuse('PodBlocked', message, { owner, liftsAt });

const podOwner = ({ namespace, name }: PodView['pod']): RuleOwner => ({ kind: 'Pod', namespace, name });

/** The windows in which a pod's schedules permit moving it. */
export function scheduleWindows({ pod, schedules, unworked }: PodView): Window[] {
  if (unworked) return [never];
  const windows: Window[] = schedules.map(({ mode, window }) => (mode === 'Allow' ? window : not(window)));
  if (pod.rules?.allow) windows.push(pod.rules.allow);
  if (pod.rules?.block) windows.push(not(pod.rules.block));
  return windows;
}

/** When a pod may be moved for a reason, PDBs apart: while all windows are open, and not before its opt-out ends. */
export interface MovableHours {
  readonly windows: readonly Window[];
  readonly from?: Instant;
}

export function movableHours(view: PodView, reason: Reason): MovableHours {
  const optOut = view.pod.rules?.optOut;
  const windows = reason === 'Unhealthy' ? [] : scheduleWindows(view);
  if (!optOut || (optOut.reasons && !optOut.reasons.has(reason))) return { windows };
  return optOut.until === undefined ? { windows: [never] } : { windows, from: optOut.until };
}

/** The hours of several pods, or of one for several reasons: made once, asked often. */
export interface MovableTogether {
  readonly permits: readonly Permit[];
  readonly from?: Instant;
}

export function together(hours: readonly MovableHours[]): MovableTogether {
  const windows = new Set(hours.flatMap((it) => it.windows));
  const from = hours.map((it) => it.from).reduce(latest, undefined);
  return { permits: [...windows].map((window) => ({ window })), ...(from !== undefined && { from }) };
}

/** The first instant at which all of them permit; undefined where there is none within 400 days, or it could not be worked out. */
export function movableTogetherAt({ permits, from }: MovableTogether, now: Instant): Instant | undefined {
  const found = firstMeeting(permits, from === undefined || from < now ? now : from);
  return typeof found === 'number' ? found : undefined;
}

/** L2: `movable` speaks of graceful reasons; a pod protected from any of them is not. */
export const gracefulReasons: readonly Reason[] = reasons.filter((reason) => kindOf[reason] === 'graceful');
