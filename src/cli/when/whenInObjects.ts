// The schedules in objects, and when each opens: one answer per schedule in JSON, one block per distinct schedule in text.
import { templateLocations } from '../../kinds/podTemplate.ts';
import { readBudget } from '../../kinds/read/budget.ts';
import { Findings, nowhere } from '../../kinds/read/findings.ts';
import { steering } from '../../kinds/read/knownKeys.ts';
import { readMaintenanceWindow } from '../../kinds/read/maintenanceWindow.ts';
import { nameOfObject } from '../../kinds/read/metadata.ts';
import { compileWindow } from '../../kinds/read/podAnnotations.ts';
import { readPodDisruptionSchedule } from '../../kinds/read/podDisruptionSchedule.ts';
import { isMap, Reader } from '../../kinds/read/reader.ts';
import { readWindowSchedule } from '../../kinds/read/scheduleFields.ts';
import { type Document, parseText } from '../../kinds/text/documents.ts';
import { describeCalendar } from '../../time/calendar.ts';
import { all } from '../../time/combine.ts';
import { parseCron } from '../../time/cron.ts';
import type { Instant } from '../../time/instant.ts';
import { scheduleWindow } from '../../time/scheduleWindow.ts';
import { always, type Window } from '../../time/window.ts';
import { findZone, type Zone } from '../../time/zone.ts';
import type { ObjectFlags } from '../flags.ts';
import { documentsIn } from '../input.ts';
import type { Io } from '../io.ts';
import { loadTexts, reportOrigin } from '../loadInput.ts';
import { type OutputFormat, printAnswer } from '../output.ts';
import { alignColumns, bold, dim, emptyLine, type Line, plain, styled } from '../span.ts';
import { openingsFrom, openShare, outlookAsJson, renderOutlook } from './renderWhen.ts';

interface WhenRange {
  readonly from: Instant;
  readonly now: Instant;
  readonly count: number;
  /** To print times in; undefined = each schedule's own zone. */
  readonly zone: Zone | undefined;
}

export async function whenInObjects(
  flags: ObjectFlags & { readonly output: OutputFormat },
  look: WhenRange,
  io: Io,
): Promise<void> {
  const { sources, origin } = await loadTexts(flags, io);
  const found = schedulesIn(documentsIn(sources));
  reportOrigin(origin, flags.output, io);
  await printAnswer(io, flags.output, {
    value: () =>
      found.map(({ window, ...rest }) => ({
        ...rest,
        ...(window && outlookAsJson(openingsFrom(window, look.from, look.count))),
      })),
    lines: () => renderFound(found, look, io),
  });
}

function renderFound(found: readonly FoundSchedule[], look: WhenRange, io: Io): Line[] {
  if (found.length === 0) return [[plain('These objects have no schedules.')]];
  const alike = Map.groupBy(found, ({ schedule, duration, zone, fault, notBefore, notAfter }) =>
    JSON.stringify([schedule, duration, zone, fault, notBefore, notAfter]),
  );
  return [...alike.values()].flatMap((its) => [...renderBlock(its, look, io), emptyLine]);
}

/** Owners of one schedule that are named; the others are counted. */
const ownersNamed = 4;

function renderBlock(its: readonly FoundSchedule[], look: WhenRange, io: Io): Line[] {
  const [first] = its;
  if (!first) return [];
  const owners = its.slice(0, ownersNamed).map(({ object, path }): Line[] => [[dim(object)], [dim(path)]]);
  if (its.length > ownersNamed) owners.push([[dim(`and ${its.length - ownersNamed} more`)]]);
  const named = alignColumns(owners, { indent: 2, width: io.width });
  const title = titleOf(first);
  const { window } = first;
  if (!window)
    return [
      [bold(title)],
      ...alignColumns([[[styled('red', 'error')], [plain(first.fault ?? '')]]], { indent: 2, width: io.width }),
      ...named,
    ];
  const zone = look.zone ?? zoneOf(first);
  const view = {
    zone,
    from: look.from,
    now: look.now,
    localZone: io.localZone,
    localOffset: io.localOffset,
    width: io.width,
  };
  const share = (start: Instant, end: Instant): number => openShare(window, start, end);
  const [head = [], ...rest] = renderOutlook(title, openingsFrom(window, look.from, look.count), view, share);
  return [head, ...named, ...rest];
}

function titleOf({ schedule, duration, zone, calendar = '', notBefore, notAfter }: FoundSchedule): string {
  const hours = schedule === undefined ? 'always' : `${schedule}${duration === undefined ? '' : ` for ${duration}`}`;
  const dates = [notBefore && ` from ${notBefore}`, notAfter && ` until ${notAfter}`].filter(Boolean).join('');
  return `${hours}${dates} (${zone || 'UTC'})${calendar && `, ${calendar}`}`;
}

/** The zone of its first expression. */
function zoneOf({ schedule, zone }: FoundSchedule): Zone {
  const parsed = parseCron(schedule?.split(';')[0] ?? '', zone);
  return 'cron' in parsed ? parsed.cron.zone : (findZone('') as Zone);
}

interface FoundSchedule {
  readonly object: string;
  readonly path: string;
  /** Absent where a window is always open between its dates. */
  readonly schedule?: string;
  /** As written. */
  readonly duration?: string;
  readonly zone?: string;
  /** The weeks and exceptions of a MaintenanceWindow's schedule, in words (R2). */
  readonly calendar?: string;
  /** The dates of a MaintenanceWindow, as written: outside them it is never open (D4). */
  readonly notBefore?: string;
  readonly notAfter?: string;
  /** The window it compiles to; otherwise `fault` says what is wrong. */
  readonly window?: Window;
  readonly fault?: string;
}

const schedulesIn = (documents: readonly Document[]): FoundSchedule[] =>
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

/** hasOwn: a kind named `constructor` would find an inherited property. */
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
    [...templateLocations].map(([kind, { within }]): [string, Finder] => [
      kind,
      (reader, object) =>
        inPod(
          within.split('.').reduce((inner, key) => inner.map(key), reader),
          object,
        ),
    ]),
  ),
};

/** A pod, or a workload's pod template. */
const inPod: Finder = (reader, object) => {
  const annotations = reader.map('metadata').map('annotations');
  return [inAnnotations(annotations, object, 'allow'), inAnnotations(annotations, object, 'block')].flat();
};

const inBudget =
  (object: Document['object']) =>
  (entry: Reader, index: number): FoundSchedule[] => {
    const schedule = entry.has('schedule') ? 'schedule' : 'crontab';
    // A budget every minute without a duration is always active (C2).
    const window = (): Window | undefined =>
      readBudget(entry, index).window ?? (entry.has('duration') ? undefined : always);
    return found(entry, object, { keys: { schedule }, window });
  };

const inMaintenanceWindow = (object: Document['object']) => {
  const { life, dates } = lifeOf(object);
  const mode = isMap(object.spec) ? object.spec.mode : undefined;
  return (entry: Reader): FoundSchedule[] => {
    const its = found(entry, object, {
      keys: { schedule: 'cron' },
      window: () => {
        const schedule = readWindowSchedule(entry, mode);
        if (!schedule) return undefined;
        const window = scheduleWindow([schedule]);
        return life === always ? window : all([window, life]);
      },
    });
    const calendar = calendarText(entry, mode);
    return its.map((it) => ({ ...it, ...dates, ...(calendar && { calendar }) }));
  };
};

function calendarText(entry: Reader, mode: unknown): string | undefined {
  const { calendar } = readWindowSchedule(entry, mode)?.cron ?? {};
  return calendar && describeCalendar(calendar);
}

/** A MaintenanceWindow with dates alone has no schedule (D4). */
function betweenDates(spec: Reader, object: Document['object']): FoundSchedule[] {
  const { life, dates } = lifeOf(object);
  const key = ['notBefore', 'notAfter'].find((each) => spec.has(each));
  return key === undefined ? [] : [{ object: nameOfObject(object), path: spec.path(key), ...dates, window: life }];
}

/** The dates between which a MaintenanceWindow applies. Its faults are reported by other commands. */
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

/** The value as text. Not String(): a map may have a key toString. */
const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');

/** Empty where there is no schedule; with its first fault where it cannot be compiled. */
function found(
  entry: Reader,
  object: Document['object'],
  { keys, window: make }: { keys: Keys; window: () => Window | undefined },
): FoundSchedule[] {
  if (!entry.has(keys.schedule)) return [];
  const said = entry.findings.faults.length;
  const window = make();
  const parts = [keys.schedule, keys.duration ?? 'duration', keys.zone ?? 'timeZone'];
  const paths = [...parts, 'every', 'anchor'].map((key) => entry.path(key));
  const isAbout = (path: string): boolean => paths.includes(path) || path.startsWith(entry.path('exceptDates'));
  const errors = entry.findings.faults
    .slice(said)
    .filter(({ path, severity }) => severity === 'error' && isAbout(path));
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
        : { fault: errors[0]?.message ?? 'A schedule without a duration. Add the duration.' }),
    },
  ];
}
