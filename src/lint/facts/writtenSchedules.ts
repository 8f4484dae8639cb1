// All schedules in the input and where each is written: budgets, maintenance windows, pod schedules and pods.
import { memo } from '../../cluster/memo.ts';
import type { MaintenanceWindow } from '../../cluster/model.ts';
import { Findings, nowhere } from '../../kinds/read/findings.ts';
import { steering } from '../../kinds/read/knownKeys.ts';
import { Reader } from '../../kinds/read/reader.ts';
import { readWindowSchedule } from '../../kinds/read/scheduleFields.ts';
import { schedulesOf } from '../../time/describeCron.ts';
import type { Schedule } from '../../time/schedule.ts';
import { scheduleWindow } from '../../time/scheduleWindow.ts';
import { staysForEver, type Window } from '../../time/window.ts';
import type { LintPolicy } from '../rule.ts';
import { soundWindows, windowObject } from './windows.ts';
import { writtenAt } from './writtenObjects.ts';
import { annotationOf, annotationPath, podFacts, type WrittenPod } from './writtenPods.ts';
import { type WrittenBudget, writtenBudgets } from './writtenPools.ts';

export interface WrittenSchedule extends Schedule {
  readonly object: string;
  /** The path of its cron, and the name of the field. */
  readonly path: string;
  readonly key: string;
  readonly durationKey: string;
  readonly zoneKey: string;
  readonly window: Window;
  /** A time zone is given. */
  readonly zoned: boolean;
  /** Present only for budgets. */
  readonly budget?: WrittenBudget;
}

/** The names of these fields everywhere but on pods. */
const fields = { durationKey: 'duration', zoneKey: 'timeZone' };

/** The valid schedules. Pods with the same text share one. */
export const writtenSchedules = memo((policy: LintPolicy): readonly WrittenSchedule[] => [
  ...writtenBudgets(policy).flatMap(ofBudget),
  ...soundWindows(policy).flatMap((window) => ofWindow(window, policy)),
  ...ofPodSchedules(policy),
  ...ofPods(policy),
]);

function ofBudget(budget: WrittenBudget): WrittenSchedule[] {
  const { object, schedule, schedulePath: path, scheduleKey: key = '', entry } = budget;
  if (!schedule || !budget.sound) return [];
  return [complete(schedule, { object, path, key, zoned: 'timeZone' in entry, ...fields, budget })];
}

function complete(schedule: Schedule, rest: Omit<WrittenSchedule, keyof Schedule | 'window'>): WrittenSchedule {
  const zoned = rest.zoned || schedule.cron.prefix !== undefined;
  return { ...schedule, ...rest, zoned, window: scheduleWindow([schedule]) };
}

function ofWindow(window: MaintenanceWindow, policy: LintPolicy): WrittenSchedule[] {
  const object = windowObject(window);
  const spec = writtenAt(policy, object, 'spec');
  const entries = new Reader({ spec }, new Findings(() => '', 'error', nowhere)).map('spec').maps('schedules');
  return entries.flatMap((entry) => {
    const schedule = readWindowSchedule(entry, window.mode);
    if (!schedule) return [];
    const rest = { object, path: entry.path('cron'), key: 'cron', zoned: entry.has('timeZone'), ...fields };
    return [complete(schedule, rest)];
  });
}

const ofPodSchedules = (policy: LintPolicy): WrittenSchedule[] =>
  policy.cluster.podSchedules
    .filter(({ fault }) => fault === undefined)
    .flatMap(({ name, window }) => {
      const object = `PodDisruptionSchedule/${name}`;
      const zoned = writtenAt(policy, object, 'spec', 'timeZone') !== undefined;
      const rest = { object, path: 'spec.schedule', key: 'schedule', zoned, ...fields };
      return (schedulesOf(window) ?? []).map((schedule) => complete(schedule, rest));
    });

function ofPods(policy: LintPolicy): WrittenSchedule[] {
  const pods = podFacts(policy).pods.filter(
    ({ pod, unevaluated }) => !unevaluated && (pod.rules?.allow || pod.rules?.block),
  );
  const alike = Map.groupBy(pods, ({ pod }) => `${pod.rules?.allow?.text}\n${pod.rules?.block?.text}`);
  return [...alike.values()].flatMap(([first]) => (first ? ofPod(first, policy) : []));
}

function ofPod(written: WrittenPod, policy: LintPolicy): WrittenSchedule[] {
  const { pod, object, within } = written;
  const zoneKey = steering.timeZone;
  const zoned = Boolean(annotationOf(written, zoneKey, policy));
  const windows = [
    { key: steering.schedule, durationKey: steering.scheduleDuration, window: pod.rules?.allow },
    { key: steering.blockSchedule, durationKey: steering.blockDuration, window: pod.rules?.block },
  ];
  return windows.flatMap(({ key, durationKey, window }) =>
    (window ? (schedulesOf(window) ?? []) : []).map((schedule) =>
      complete(schedule, { object, path: annotationPath(key, within), key, durationKey, zoneKey, zoned }),
    ),
  );
}

/** Whether a window has always been open and never closes. */
export const isAlwaysOpen = (window: Window, { now }: LintPolicy): boolean =>
  window.isOpen(now) && staysForEver(window, now) && window.lastChange(now) === undefined;
