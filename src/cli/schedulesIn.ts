// Which schedules do these objects hold? Budgets, maintenance windows, pod schedules and the annotations of pods, read as the engine reads them.
import { steering } from '../kinds/annotationName.ts';
import { readBudget } from '../kinds/budget.ts';
import type { Document } from '../kinds/documents.ts';
import { Findings, nowhere } from '../kinds/findings.ts';
import { readMaintenanceWindow } from '../kinds/maintenanceWindow.ts';
import { nameOfObject } from '../kinds/metadata.ts';
import { readPodDisruptionSchedule } from '../kinds/podDisruptionSchedule.ts';
import { compileWindow } from '../kinds/podWindow.ts';
import { Reader } from '../kinds/reader.ts';
import { readCron, readMinutes } from '../kinds/schedule.ts';
import { parseText } from '../kinds/text.ts';
import { templateForms } from '../lint/facts/templates.ts';
import { all } from '../time/combine.ts';
import { scheduleWindow } from '../time/scheduleWindow.ts';
import { always, type Window } from '../time/window.ts';

export interface FoundSchedule {
  readonly object: string;
  readonly path: string;
  /** Absent where a window holds at all times between its dates. */
  readonly schedule?: string;
  /** As written. */
  readonly duration?: string;
  readonly zone?: string;
  /** The dates of a MaintenanceWindow, as written: outside them it is never open (D4). */
  readonly notBefore?: string;
  readonly notAfter?: string;
  /** The window it makes, or what is wrong with it. */
  readonly window?: Window;
  readonly fault?: string;
}

export const schedulesIn = (documents: readonly Document[]): FoundSchedule[] =>
  documents.flatMap(({ object }) => {
    const find = finderOf(object.kind);
    return find
      ? find(
          new Reader(
            object,
            new Findings(
              () => nameOfObject(object),
              'error',
              () => undefined,
            ),
          ),
          object,
        )
      : [];
  });

type Finder = (reader: Reader, object: Document['object']) => FoundSchedule[];

const inPool: Finder = (reader, object) => [
  ...reader.map('spec').map('disruption').maps('budgets').flatMap(inBudget(object)),
  ...annotatedBudgets(reader).flatMap(inBudget(object)),
];

/** Only a kind of our own list: `constructor` is in every object. */
const finderOf = (kind: unknown): Finder | undefined =>
  typeof kind === 'string' && Object.hasOwn(finders, kind) ? finders[kind] : undefined;

const finders: Readonly<Record<string, Finder>> = {
  NodePool: inPool,
  Provisioner: inPool,
  MaintenanceWindow: (reader, object) => {
    const spec = reader.map('spec');
    const entries = spec.maps('schedules');
    return entries.length > 0 ? entries.flatMap(inMaintenanceWindow(object)) : betweenDates(spec, object);
  },
  PodDisruptionSchedule: (reader, object) => {
    const spec = reader.map('spec');
    return found(spec, object, {
      keys: { schedule: 'schedule' },
      window: () => readPodDisruptionSchedule(reader).window,
    });
  },
  Pod: (reader, object) => inPod(reader, object),
  ...Object.fromEntries(
    [...templateForms].map(([kind, { within }]): [string, Finder] => [
      kind,
      (reader, object) =>
        inPod(
          within.split('.').reduce((inner, key) => inner.map(key), reader),
          object,
        ),
    ]),
  ),
};

/** A pod, or the template of a workload's pods. */
const inPod: Finder = (reader, object) => {
  const annotations = reader.map('metadata').map('annotations');
  return [inAnnotations(annotations, object, 'allow'), inAnnotations(annotations, object, 'block')].flat();
};

const inBudget =
  (object: Document['object']) =>
  (entry: Reader, index: number): FoundSchedule[] => {
    const schedule = entry.has('schedule') ? 'schedule' : 'crontab';
    // C2: every minute without a duration means always.
    const window = (): Window | undefined =>
      readBudget(entry, index).window ?? (entry.has('duration') ? undefined : always);
    return found(entry, object, { keys: { schedule }, window });
  };

const inMaintenanceWindow =
  (object: Document['object']) =>
  (entry: Reader): FoundSchedule[] => {
    const { life, dates } = lifeOf(object);
    const its = found(entry, object, {
      keys: { schedule: 'cron' },
      window: () => {
        const [cron, duration] = [readCron(entry, 'cron'), readMinutes(entry, 'duration')];
        if (!cron || duration === undefined) return undefined;
        const window = scheduleWindow([{ cron, duration }]);
        return life === always ? window : all([window, life]);
      },
    });
    return its.map((it) => ({ ...it, ...dates }));
  };

/** D4: a freeze by date has no schedule. */
function betweenDates(spec: Reader, object: Document['object']): FoundSchedule[] {
  const { life, dates } = lifeOf(object);
  const key = ['notBefore', 'notAfter'].find((each) => spec.has(each));
  return key === undefined ? [] : [{ object: nameOfObject(object), path: spec.path(key), ...dates, window: life }];
}

/** When a MaintenanceWindow counts. What is wrong with it is told elsewhere. */
function lifeOf(object: Document['object']): { life: Window; dates: Pick<FoundSchedule, 'notBefore' | 'notAfter'> } {
  const reader = new Reader(object, new Findings(() => '', 'error', nowhere));
  const spec = reader.map('spec');
  const given = ['notBefore', 'notAfter'].flatMap((key) => (spec.has(key) ? [[key, textOf(spec.raw(key))]] : []));
  return { life: readMaintenanceWindow(reader).life, dates: Object.fromEntries(given) };
}

function annotatedBudgets(reader: Reader): Reader[] {
  const annotations = reader.map('metadata').map('annotations');
  const text = annotations.raw(steering.budgets);
  const list = typeof text === 'string' ? parseText(text).values[0]?.value : undefined;
  return Array.isArray(list) ? annotations.replaced(steering.budgets, list).maps(steering.budgets) : [];
}

interface Keys {
  readonly schedule: string;
  readonly duration?: string;
  readonly zone?: string;
}

function inAnnotations(annotations: Reader, object: Document['object'], mode: 'allow' | 'block'): FoundSchedule[] {
  const isBlock = mode === 'block';
  const keys = {
    schedule: isBlock ? steering.blockSchedule : steering.schedule,
    duration: isBlock ? steering.blockDuration : steering.scheduleDuration,
    zone: steering.timeZone,
  };
  const text = (key: string): string => textOf(annotations.raw(key));
  const compile = (): Window | undefined => {
    const texts = { schedule: text(keys.schedule), duration: text(keys.duration), timeZone: text(keys.zone) };
    const { window, notes } = compileWindow(texts, { cutLong: isBlock });
    if (!window && notes[0]) annotations.fault(keys.schedule, notes[0].message);
    return window;
  };
  return found(annotations, object, { keys, window: compile });
}

/** What was given, as text. Not String(): a map may have a toString of its own. */
const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');

/** Nothing where there is no schedule; the first thing said against it where it makes no window. */
function found(
  entry: Reader,
  object: Document['object'],
  { keys, window: make }: { keys: Keys; window: () => Window | undefined },
): FoundSchedule[] {
  if (!entry.has(keys.schedule)) return [];
  const said = entry.findings.faults.length;
  const window = make();
  const parts = [keys.schedule, keys.duration ?? 'duration', keys.zone ?? 'timeZone'];
  const paths = parts.map((key) => entry.path(key));
  const errors = entry.findings.faults
    .slice(said)
    .filter(({ path, severity }) => severity === 'error' && paths.includes(path));
  const [schedule, duration, zone] = parts.map((key) => entry.raw(key));
  return [
    {
      object: nameOfObject(object),
      path: entry.path(keys.schedule),
      schedule: textOf(schedule),
      ...(duration !== undefined && { duration: textOf(duration) }),
      ...(zone !== undefined && { zone: textOf(zone) }),
      ...(window && errors.length === 0
        ? { window }
        : { fault: errors[0]?.message ?? 'There is a schedule but no duration. Give both.' }),
    },
  ];
}
