// When the pods of a node may be moved: opt-outs and schedules (E1, E3–E7), PodDisruptionBudgets (E10), and all pods together (E12).
import { memo, memoUntil } from '../../cluster/memo.ts';
import type { Pdb, Pod, PodSchedule } from '../../cluster/model.ts';
import type { Guarded, NodeView, PodView } from '../../cluster/nodeView.ts';
import { describeUnevaluated, freeSchedules } from '../../cluster/pod.ts';
import { kindOf, type Reason, reasons } from '../../cluster/reason.ts';
import { not } from '../../time/combine.ts';
import { describeSchedules } from '../../time/describeSchedules.ts';
import { earliest, type Instant, latest } from '../../time/instant.ts';
import { firstMeeting, type Permit } from '../../time/meet.ts';
import { never, opensAt, type Window } from '../../time/window.ts';
import { type Refusal, type RuleOwner, refuse } from '../refusal.ts';
import type { Wish } from '../wish.ts';

/** An eventual reason does not wait for blocked pods if the claim has a terminationGracePeriod (A2). */
export const blockedPodsAreWaived = ({ kind, view }: Wish): boolean =>
  kind === 'eventual' && view.claim?.spec.terminationGracePeriod !== undefined;

/** The refusal of a pod's do-not-disrupt annotation, which may have reasons and an end (E1, E3). */
export function podOptedOut(pod: Pod, reason: Reason, now: Instant): Refusal | undefined {
  const optOut = pod.rules?.optOut;
  if (!optOut || (optOut.until !== undefined && now >= optOut.until)) return undefined;
  if (optOut.reasons && !optOut.reasons.has(reason)) return undefined;
  const details = { owner: podOwner(pod), liftsAt: optOut.until };
  return refuse('PodOptedOut', `pod ${pod.namespace}/${pod.name} is annotated do-not-disrupt`, details);
}

/** A rule over a pod that depends on time: it permits moving the pod while its window is open. */
export interface PodTimeRule {
  readonly code: 'PodScheduleClosed' | 'PodBlocked';
  /** The rule as a sentence that is true at any time, not only now. */
  readonly message: string;
  /** What happens when it stops permitting: `the window of pod a/b closes`. */
  readonly closing: string;
  readonly owner: RuleOwner;
  readonly window: Window;
}

/** The pod's own windows, or those of the schedules that select it. All that apply must permit (E4, E5, E7). */
export const podTimeRules = memo((view: PodView): readonly PodTimeRule[] => [...findPodTimeRules(view)]);

function* findPodTimeRules({ pod, schedules }: PodView): Generator<PodTimeRule> {
  const who = `pod ${pod.namespace}/${pod.name}`;
  const owner = podOwner(pod);
  const { allow, block } = pod.rules ?? {};
  if (allow) {
    const message = `${who} may be moved only in its window (${describeHours(allow)})`;
    yield { code: 'PodScheduleClosed', message, closing: `the window of ${who} closes`, owner, window: allow };
  }
  if (block) {
    const message = `${who} may not be moved in its window (${describeHours(block)})`;
    yield { code: 'PodBlocked', message, closing: `the blocked hours of ${who} start`, owner, window: not(block) };
  }
  for (const schedule of schedules) {
    const { name, mode, fault } = schedule;
    const how = mode === 'Allow' ? 'be moved only' : 'not be moved';
    const which = `PodDisruptionSchedule ${name}`;
    yield {
      code: fault || mode === 'Allow' ? 'PodScheduleClosed' : 'PodBlocked',
      message: fault
        ? `${who} is selected by ${which}, which cannot be read: ${fault.message}`
        : `${who} may ${how} in the window of ${which} (${describeHours(schedule.window)})`,
      closing: `${which} ${mode === 'Allow' ? 'closes' : 'starts'} for ${who}`,
      owner: { kind: 'PodDisruptionSchedule', name },
      window: windowOf(schedule),
    };
  }
}

export function podScheduleRefusals(timed: PodView, now: Instant): Refusal[] {
  const { pod, unevaluated } = timed;
  // The hours were not evaluated (E13), so there is no instant.
  if (unevaluated) {
    const details = { owner: podOwner(pod), help: useFewer };
    const message = `pod ${pod.namespace}/${pod.name} is not moved: ${describeUnevaluated(pod)}`;
    return [refuse('PodScheduleClosed', message, details)];
  }
  // Most pods may be moved: build the messages only for rules that refuse.
  if (scheduleWindows(timed).every((window) => window.isOpen(now))) return [];
  const refusals: Refusal[] = [];
  for (const { code, message, owner, window } of podTimeRules(timed))
    if (!window.isOpen(now)) refusals.push(refuse(code, message, { owner, liftsAt: opensAt(window, now) }));
  return refusals;
}

const useFewer = `Ask the pod's owner to use at most ${freeSchedules} schedules per pod, or the same text on all pods.`;

/** A pod's hours as its refusals show them: in words where they are few, else the cron texts. */
export const describeHours = (window: Window): string => describeSchedules(window) ?? cutText(window);

/** A tenant may write fifty schedules of 500 characters, and every refusal repeats them. */
const longestText = 500;

/** The cron texts of a window, cut after a whole schedule. */
function cutText({ text }: Window): string {
  if (text.length <= longestText) return text;
  const parts = text.split(' or ');
  let kept = 1;
  for (let length = parts[0]?.length ?? 0; length <= longestText && kept < parts.length; kept++)
    length += (parts[kept]?.length ?? 0) + ' or '.length;
  return kept === parts.length ? text : `${parts.slice(0, kept).join(' or ')} or ${parts.length - kept} more`;
}

/** Whether a pod's schedules hold a wish without having been worked out (E13): then the end is unknown. */
export const isUnworked = (wish: Wish): boolean =>
  wish.reason !== 'Unhealthy' && wish.view.timed.some(({ unevaluated }) => unevaluated) && !blockedPodsAreWaived(wish);

const podOwner = ({ namespace, name }: PodView['pod']): RuleOwner => ({ kind: 'Pod', namespace, name });

/** The windows in which the pod's schedules permit moving it. */
export function scheduleWindows({ pod, schedules, unevaluated }: PodView): Window[] {
  if (unevaluated) return [never];
  const { allow, block } = pod.rules ?? {};
  const windows = schedules.map(windowOf);
  if (allow) windows.push(allow);
  if (block) windows.push(not(block));
  return windows;
}

/** Open while the schedule permits. A schedule that cannot be read never does. */
const windowOf = ({ mode, window, fault }: PodSchedule): Window =>
  fault ? never : mode === 'Allow' ? window : not(window);

/** When a pod may be moved for a reason, without PDBs: while all windows are open, and not before its opt-out ends. */
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

/** The hours of several pods, or of one pod for several reasons. */
export interface MovableTogether {
  readonly permits: readonly Permit[];
  readonly from?: Instant;
}

export function together(hours: readonly MovableHours[]): MovableTogether {
  const windows = new Set(hours.flatMap((it) => it.windows));
  const from = hours.map((it) => it.from).reduce(latest, undefined);
  return { permits: [...windows].map((window) => ({ window })), ...(from !== undefined && { from }) };
}

/** The first instant at which all of them permit; undefined if there is none within 400 days, or the search was given up. */
export function movableTogetherAt({ permits, from }: MovableTogether, now: Instant): Instant | undefined {
  const found = firstMeeting(permits, from === undefined || from < now ? now : from);
  return typeof found === 'number' ? found : undefined;
}

/** `movable` refers to graceful reasons: a pod that is protected from any of them is not movable (L2). */
export const gracefulReasons: readonly Reason[] = reasons.filter((reason) => kindOf[reason] === 'graceful');

/** The next instant at which time alone changes whether a pod of this node may be moved. */
export const nextPodChange = (view: NodeView, now: Instant): Instant | undefined =>
  view.timed.length === 0 ? undefined : findNextChange(view, now);

/** The earliest instant at which all pods of a node may be moved together; undefined = never, or not determined (E12). */
export const podsAgreeAt = memoUntil((view: NodeView, now, reason: Reason) => {
  const found = movableTogetherAt(hoursTogether(view, reason), now);
  // Whether there is none depends on the day, so it is not cached.
  return { value: found, until: found ?? now };
}, reasons.length);

const hoursTogether = memo(
  ({ timed }: NodeView, reason: Reason) => together(timed.map((pod) => movableHours(pod, reason))),
  reasons.length,
);

const findNextChange = memoUntil(({ timed }: NodeView, now) => {
  let next: Instant | undefined;
  for (const { pod, schedules, unevaluated } of timed) {
    const { optOut, allow, block } = pod.rules ?? {};
    if (optOut?.until !== undefined && optOut.until > now) next = earliest(next, optOut.until);
    if (unevaluated) continue;
    next = earliest(next, allow?.nextChange(now));
    next = earliest(next, block?.nextChange(now));
    for (const { window } of schedules) next = earliest(next, window.nextChange(now));
  }
  return { value: next, until: next };
});

/** PDBs do not refuse repair, nor an eventual reason if the claim has a terminationGracePeriod (A2). */
export const pdbsAreWaived = (wish: Wish): boolean => wish.reason === 'Unhealthy' || blockedPodsAreWaived(wish);

/** A pod that opts out is not evicted, so its PDB does not count (E11). */
export function podsToEvict({ pods, mayOptOut }: Guarded, reason: Reason, now: Instant): number {
  if (!mayOptOut) return pods.length;
  let count = 0;
  for (const pod of pods) if (!podOptedOut(pod, reason, now)) count++;
  return count;
}

export function pdbOverlap({ pod, pdbs: boxes }: Pick<PodView, 'pod' | 'pdbs'>): Refusal {
  const names = boxes.map(({ pdb }) => pdb.name).join(' and ');
  const owner = { kind: 'Pod', namespace: pod.namespace, name: pod.name };
  return refuse(
    'PdbOverlap',
    `pod ${pod.namespace}/${pod.name} is selected by PodDisruptionBudgets ${names}, so it cannot be evicted`,
    { owner },
  );
}

/** `why` completes the sentence: `allows no eviction now`. */
export function pdbSpent(pdb: Pdb, why: string, help?: string): Refusal {
  const owner = { kind: 'PodDisruptionBudget', namespace: pdb.namespace, name: pdb.name };
  const fault = pdb.fault ? ` (its selector cannot be read: ${pdb.fault.message})` : '';
  return refuse('PdbSpent', `PodDisruptionBudget ${pdb.namespace}/${pdb.name} ${why}${fault}`, {
    owner,
    ...(help !== undefined && { help }),
  });
}
