// Which schedules does the input hold, and where is each written? Of budgets, maintenance windows, pod schedules and pods.
import type { MaintenanceWindow } from '../../cluster/model.ts';
import { steering } from '../../kinds/annotationName.ts';
import { Findings, nowhere } from '../../kinds/findings.ts';
import { Reader } from '../../kinds/reader.ts';
import { readCron, readMinutes } from '../../kinds/schedule.ts';
import type { Schedule } from '../../time/schedule.ts';
import { scheduleWindow } from '../../time/scheduleWindow.ts';
import { staysForEver, type Window } from '../../time/window.ts';
import type { Policy } from '../rule.ts';
import { schedulesOf } from '../words/schedulesOf.ts';
import { annotationPath, annotationsOf, podFacts, type WrittenPod } from './pods.ts';
import { soundWindows, windowObject } from './windows.ts';
import { valueAt, writtenAs } from './written.ts';
import { type WrittenBudget, type WrittenPool, writtenPools } from './writtenPools.ts';

export interface WrittenSchedule extends Schedule {
  readonly object: string;
  /** Where its cron stands, and what the field is called. */
  readonly path: string;
  readonly key: string;
  readonly durationKey: string;
  readonly zoneKey: string;
  readonly window: Window;
  /** Somebody said on which clock. */
  readonly zoned: boolean;
  /** Present for budgets alone. */
  readonly budget?: WrittenBudget;
  readonly pool?: WrittenPool;
}

/** What these are called everywhere but on pods. */
const fields = { durationKey: 'duration', zoneKey: 'timeZone' };

/** Those that could be read. Pods with the same text have one between them. Worked out once for all rules that ask. */
export function writtenSchedules(policy: Policy): readonly WrittenSchedule[] {
  const known = schedules.get(policy) ?? gather(policy);
  schedules.set(policy, known);
  return known;
}

const schedules = new WeakMap<Policy, readonly WrittenSchedule[]>();

const gather = (policy: Policy): WrittenSchedule[] => [
  ...writtenPools(policy).flatMap(ofPool),
  ...soundWindows(policy).flatMap((window) => ofWindow(window, policy)),
  ...ofPodSchedules(policy),
  ...ofPods(policy),
];

const ofPool = (pool: WrittenPool): WrittenSchedule[] =>
  pool.budgets.flatMap((budget) => {
    const { schedule, scheduleKey: key = '', path, entry } = budget;
    if (!schedule || !budget.sound) return [];
    return [
      complete(schedule, {
        object: pool.object,
        path: `${path}.${key}`,
        key,
        zoned: 'timeZone' in entry,
        ...fields,
        budget,
        pool,
      }),
    ];
  });

function complete(schedule: Schedule, rest: Omit<WrittenSchedule, keyof Schedule | 'window'>): WrittenSchedule {
  const zoned = rest.zoned || schedule.cron.prefix !== undefined;
  return { ...schedule, ...rest, zoned, window: scheduleWindow([schedule]) };
}

function ofWindow(window: MaintenanceWindow, policy: Policy): WrittenSchedule[] {
  const object = windowObject(window);
  const spec = valueAt(writtenAs(policy, object)?.object, 'spec');
  const entries = new Reader({ spec }, new Findings(() => '', 'error', nowhere)).map('spec').maps('schedules');
  return entries.flatMap((entry) => {
    const [cron, duration] = [readCron(entry, 'cron'), readMinutes(entry, 'duration')];
    if (!cron || duration === undefined) return [];
    return [
      complete(
        { cron, duration },
        { object, path: entry.path('cron'), key: 'cron', zoned: entry.has('timeZone'), ...fields },
      ),
    ];
  });
}

const ofPodSchedules = (policy: Policy): WrittenSchedule[] =>
  policy.cluster.podSchedules
    .filter(({ fault }) => fault === undefined)
    .flatMap(({ name, window }) => {
      const object = `PodDisruptionSchedule/${name}`;
      const zoned = valueAt(writtenAs(policy, object)?.object, 'spec', 'timeZone') !== undefined;
      const rest = { object, path: 'spec.schedule', key: 'schedule', zoned, ...fields };
      return (schedulesOf(window) ?? []).map((schedule) => complete(schedule, rest));
    });

function ofPods(policy: Policy): WrittenSchedule[] {
  const pods = podFacts(policy).pods.filter(({ pod, unworked }) => !unworked && (pod.rules?.allow || pod.rules?.block));
  const alike = Map.groupBy(pods, ({ pod }) => `${pod.rules?.allow?.text}\n${pod.rules?.block?.text}`);
  return [...alike.values()].flatMap(([first]) => (first ? ofPod(first, policy) : []));
}

function ofPod(written: WrittenPod, policy: Policy): WrittenSchedule[] {
  const { pod, object, within } = written;
  const zoneKey = steering.timeZone;
  const zoned = Boolean(valueAt(annotationsOf(written, policy), zoneKey));
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

/** Open now, always so far and for ever. */
export const isAlwaysOpen = (window: Window, { now }: Policy): boolean =>
  window.isOpen(now) && staysForEver(window, now) && window.lastChange(now) === undefined;
