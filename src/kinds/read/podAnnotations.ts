// A pod's annotations that restrict when it may be moved (E1, E3–E6). Invalid ones fail open, with a warning.

import { defined } from '../../cluster/defined.ts';
import type { OptOut, PodRules } from '../../cluster/model.ts';
import { freeSchedules } from '../../cluster/pod.ts';
import { budgetReasons } from '../../cluster/reason.ts';
import type { TextMap } from '../../cluster/selector.ts';
import type { Cron } from '../../time/cron.ts';
import { parseDuration } from '../../time/duration.ts';
import { after, asDuration, type Duration, hour, type Instant, minute } from '../../time/instant.ts';
import { lazily } from '../../time/remembered.ts';
import type { Schedule } from '../../time/schedule.ts';
import { scheduleText, scheduleWindow } from '../../time/scheduleWindow.ts';
import { never, type Window } from '../../time/window.ts';
import { findZone } from '../../time/zone.ts';
import { reasonNamed } from './budget.ts';
import { show } from './findings.ts';
import { steering } from './knownKeys.ts';
import type { Metadata } from './metadata.ts';
import { orList, type Reader } from './reader.ts';
import { maxSchedules, neverFires, parseSchedule, useCron, useZone } from './scheduleFields.ts';

export function readPodRules({ reader, annotations }: Metadata, status: Reader): PodRules | undefined {
  // Most of the many pods have none.
  if (!reader.has('annotations')) return undefined;
  const at = reader.at('annotations');
  const optOut = readProtection(at, annotations, status);
  const [allow, block] = [readWindow(at, annotations, 'allow'), readWindow(at, annotations, 'block')];
  const sizes = { allow: allow?.size ?? 0, block: block?.size ?? 0 };
  const rules = defined<PodRules>({
    optOut,
    allow: allow?.window,
    block: block?.window,
    sizes: sizes.allow + sizes.block > freeSchedules ? sizes : undefined,
  });
  return Object.keys(rules).length > 0 ? rules : undefined;
}

function readProtection(at: Reader, annotations: Metadata['annotations'], status: Reader): OptOut | undefined {
  const text = doNotDisruptOfUser(annotations);
  const start: Instant | undefined = text === undefined ? undefined : status.instant('startTime');
  const optOut =
    (text === undefined ? undefined : readOptOut(at, text, start)) ??
    (annotations[steering.doNotEvict] === 'true' ? ({ unread: true } as const) : undefined);
  const names = annotations[steering.doNotDisruptReasons];
  return optOut && names !== undefined ? limitTo(at, names, optOut) : optOut;
}

/** How many unknown names a message lists. */
const maxListed = 10;

/** Limits the opt-out to reasons (E3). Unknown names are ignored; if none is left, it applies to every reason. */
function limitTo(at: Reader, names: string, optOut: OptOut): OptOut {
  const parts = names.split(',').filter((name) => name.trim() !== '');
  const known = parts.map(reasonNamed).filter((reason) => reason !== undefined);
  if (known.length < parts.length || known.length === 0) {
    const bad = parts.filter((name) => reasonNamed(name) === undefined);
    const named = bad.slice(0, maxListed).map((name) => show(name.trim()));
    const more = bad.length > maxListed ? ` and ${bad.length - maxListed} more` : '';
    const verb = bad.length > 1 ? 'are not disruption reasons and are' : 'is not a disruption reason and is';
    const what = bad.length > 0 ? `${named.join(', ')}${more} ${verb} ignored.` : 'This annotation names no reason.';
    at.fault(steering.doNotDisruptReasons, `${what} Use ${orList(budgetReasons)}, separated by commas.`);
  }
  return known.length > 0 ? { ...optOut, reasons: new Set(known) } : optOut;
}

const forms: Record<'allow' | 'block', WindowForm & { readonly schedule: string; readonly duration: string }> = {
  allow: { schedule: steering.schedule, duration: steering.scheduleDuration, cutLong: false },
  // Cut a block that is too long instead of dropping it: it was meant to be long.
  block: { schedule: steering.blockSchedule, duration: steering.blockDuration, cutLong: true },
};

function readWindow(
  at: Reader,
  annotations: Metadata['annotations'],
  mode: 'allow' | 'block',
): CompiledWindow | undefined {
  const form = forms[mode];
  const schedule = annotations[form.schedule];
  if (schedule === undefined || schedule === '') return undefined;
  const compiled = compileWindow(
    { schedule, duration: annotations[form.duration] ?? '', timeZone: annotations[steering.timeZone] ?? '' },
    form,
  );
  const keys = { schedule: form.schedule, duration: form.duration, timeZone: steering.timeZone };
  for (const { field, message } of compiled.notes) at.fault(keys[field], message);
  return compiled;
}

/**
 * The user's own do-not-disrupt. On a parked node or pod, "true" is Lull's, and the user's value is in the annotation
 * in which Lull saved it (N2, N5).
 */
export function doNotDisruptOfUser(annotations: TextMap): string | undefined {
  const text = annotations[steering.doNotDisrupt];
  return text === 'true' && annotations[steering.parked] !== undefined ? annotations[steering.keptBefore] : text;
}

/** `true`, or a duration from the start; without a start it never ends. Any other value is ignored, with a fault. */
export function readOptOut(annotations: Reader, text: string, start: Instant | undefined): OptOut | undefined {
  if (text === 'true') return {};
  const duration = parseDuration(text);
  if (duration !== undefined && duration > 0) return start === undefined ? {} : { until: after(start, duration) };
  annotations.fault(steering.doNotDisrupt, ignoredOptOut(text, 'Use "true", or a Go duration such as 8h.'));
  return undefined;
}

export const ignoredOptOut = (value: string, remedy: string): string =>
  `${show(value)} is not a valid value and is ignored. ${remedy}`;

/** The annotations as written; empty if absent. */
export interface WindowTexts {
  readonly schedule: string;
  readonly duration: string;
  readonly timeZone: string;
}

export interface WindowForm {
  /** Whether a duration over the limit is cut to it instead of being invalid. */
  readonly cutLong: boolean;
}

export interface CompiledWindow {
  /** Absent if none of it is valid: the pod then has no schedule. */
  readonly window?: Window;
  readonly notes: readonly WindowNote[];
  /** How many schedules the window has. */
  readonly size: number;
}

interface WindowNote {
  readonly field: keyof WindowTexts;
  readonly message: string;
}

/** The default and the maximum of an annotation's duration (E6). */
const defaultDuration = hour;
const longest = asDuration(168 * hour);

interface Interned {
  readonly window: WeakRef<Window>;
  readonly notes: readonly WindowNote[];
  readonly size: number;
}

/** Pods with equal annotations share one window, as long as one of them exists. */
const interned = new Map<string, Interned>();
const forgotten = new FinalizationRegistry<string>((key) => {
  if (interned.get(key)?.window.deref() === undefined) interned.delete(key);
});

export function compileWindow(texts: WindowTexts, form: WindowForm): CompiledWindow {
  const key = JSON.stringify([texts.schedule, texts.duration, texts.timeZone, form.cutLong]);
  const known = interned.get(key);
  const window = known?.window.deref();
  if (known && window) return { window, notes: known.notes, size: known.size };
  const compiled = compile(texts, form);
  if (!compiled.window || compiled.window === never) return compiled;
  interned.set(key, { window: new WeakRef(compiled.window), notes: compiled.notes, size: compiled.size });
  forgotten.register(compiled.window, key);
  return compiled;
}

/** Notes every fault, also those of a schedule that an invalid time zone disables. */
function compile(texts: WindowTexts, { cutLong }: WindowForm): CompiledWindow {
  const notes: WindowNote[] = [];
  const hasZone = findZone(texts.timeZone) !== undefined;
  if (!hasZone) {
    const message = `${show(texts.timeZone)} is not a valid time zone, so the schedule is ignored. ${useZone}`;
    notes.push({ field: 'timeZone', message });
  }
  const written = split(texts.schedule);
  const expressions = written.slice(0, maxSchedules);
  if (written.length > maxSchedules) {
    const message = `There are ${written.length} schedules; only the first ${maxSchedules} count. Use fewer.`;
    notes.push({ field: 'schedule', message });
  }
  const durations = readDurations(texts.duration, expressions.length, cutLong, notes);
  const schedules: Schedule[] = [];
  let read = 0;
  expressions.forEach((expression, i) => {
    const cron = readExpression(expression, hasZone ? texts.timeZone : '', notes);
    if (cron) read++;
    if (cron?.fires) schedules.push({ cron, duration: durations[i] ?? defaultDuration });
  });
  if (hasZone && schedules.length > 0)
    return { window: windowOf(schedules, texts.timeZone), notes, size: schedules.length };
  if (expressions.length === 0)
    notes.push({ field: 'schedule', message: `This schedule is empty and ignored. ${useCron}` });
  return { ...(hasZone && read > 0 && { window: never }), notes, size: 0 };
}

/** Compiles many schedules only when the window is used: a pod with too many is held without using it (E13). */
function windowOf(schedules: readonly Schedule[], timeZone: string): Window {
  if (schedules.length <= freeSchedules) return scheduleWindow(schedules);
  const texts = schedules.map(({ cron, duration }) => ({ text: cron.text, duration }));
  return lazily(scheduleText(schedules), () =>
    scheduleWindow(
      texts.flatMap(({ text, duration }) => {
        const parsed = parseSchedule(text, timeZone);
        return 'fault' in parsed ? [] : [{ cron: parsed.cron, duration }];
      }),
    ),
  );
}

const split = (text: string): string[] =>
  text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function readExpression(text: string, zone: string, notes: WindowNote[]): Cron | undefined {
  const parsed = parseSchedule(text, zone);
  if ('fault' in parsed) {
    notes.push({
      field: 'schedule',
      message: `${show(text)} is not a valid schedule and is ignored: ${parsed.fault}. ${useCron}`,
    });
    return undefined;
  }
  if (!parsed.cron.fires) notes.push({ field: 'schedule', message: `${show(text)} ${neverFires}` });
  return parsed.cron;
}

/** One duration for all schedules, or one for each; one hour for a schedule without one. */
function readDurations(text: string, count: number, cutLong: boolean, notes: WindowNote[]): Duration[] {
  const written = split(text);
  const texts = written.slice(0, maxSchedules);
  if (written.length > 1 && texts.length !== count) {
    const message = `There are ${written.length} durations for ${count} schedules; a schedule without one gets 1h. Write one duration for all, or one for each.`;
    notes.push({ field: 'duration', message });
  }
  const durations = texts.map((each) => readDuration(each, cutLong, notes));
  const [only] = durations;
  return durations.length === 1 && only !== undefined ? Array.from({ length: count }, () => only) : durations;
}

function readDuration(text: string, cutLong: boolean, notes: WindowNote[]): Duration {
  const duration = parseDuration(text);
  if (duration !== undefined && duration >= minute && duration <= longest) return duration;
  const cut = cutLong && duration !== undefined && duration > longest;
  const message = `${show(text)} is not a valid duration from 1m to 168h and counts as ${cut ? '168h' : '1h'}. Use a Go duration such as 4h.`;
  notes.push({ field: 'duration', message });
  return cut ? longest : defaultDuration;
}
