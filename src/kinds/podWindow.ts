// A pod's schedule annotations as a window (E4–E6), one for all pods that carry the same texts.
import { freeSchedules } from '../cluster/scheduleShare.ts';
import type { Cron } from '../time/cron.ts';
import { parseDuration } from '../time/duration.ts';
import { asDuration, type Duration, hour, minute } from '../time/instant.ts';
import { lazily } from '../time/remembered.ts';
import type { Schedule } from '../time/schedule.ts';
import { scheduleText, scheduleWindow } from '../time/scheduleWindow.ts';
import { never, type Window } from '../time/window.ts';
import { findZone } from '../time/zone.ts';
import { show } from './findings.ts';
import { maxSchedules, neverFires, parseSchedule, useCron, useZone } from './schedule.ts';

/** As the annotations say them; empty = not given. */
export interface WindowTexts {
  readonly schedule: string;
  readonly duration: string;
  readonly timeZone: string;
}

export interface WindowForm {
  /** A duration over the limit is cut to it instead of counting as bad. */
  readonly cutLong: boolean;
}

export interface CompiledWindow {
  /** Absent = nothing of it could be read: the pod has no schedule. */
  readonly window?: Window;
  readonly notes: readonly Note[];
  /** How many schedules the window is made of. */
  readonly size: number;
}

interface Note {
  readonly field: keyof WindowTexts;
  readonly message: string;
}

/** E6. */
const defaultDuration = hour;
const longest = asDuration(168 * hour);

interface Interned {
  readonly window: WeakRef<Window>;
  readonly notes: readonly Note[];
  readonly size: number;
}

/** As long as a pod has a window, every pod with the same texts has the same one. */
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

/** Everything that is wrong is noted, also in a schedule that a wrong zone makes void. */
function compile(texts: WindowTexts, { cutLong }: WindowForm): CompiledWindow {
  const notes: Note[] = [];
  const hasZone = findZone(texts.timeZone) !== undefined;
  if (!hasZone) {
    const message = `${show(texts.timeZone)} is no time zone, so the schedule is ignored. ${useZone}`;
    notes.push({ field: 'timeZone', message });
  }
  const written = split(texts.schedule);
  const expressions = written.slice(0, maxSchedules);
  if (written.length > maxSchedules) {
    const message = `There are ${written.length} schedules, of which the first ${maxSchedules} count. Use fewer.`;
    notes.push({ field: 'schedule', message });
  }
  const durations = readDurations(texts.duration, expressions.length, cutLong, notes);
  const hits: Schedule[] = [];
  let read = 0;
  expressions.forEach((expression, i) => {
    const cron = readExpression(expression, hasZone ? texts.timeZone : '', notes);
    if (cron) read++;
    if (cron?.fires) hits.push({ cron, duration: durations[i] ?? defaultDuration });
  });
  if (hasZone && hits.length > 0) return { window: windowOf(hits, texts.timeZone), notes, size: hits.length };
  if (expressions.length === 0)
    notes.push({ field: 'schedule', message: `This schedule is empty and is ignored. ${useCron}` });
  return { ...(hasZone && read > 0 && { window: never }), notes, size: 0 };
}

/** Of many schedules only the texts are kept until the window is asked: where there are too many it never is (E13). */
function windowOf(hits: readonly Schedule[], timeZone: string): Window {
  if (hits.length <= freeSchedules) return scheduleWindow(hits);
  const texts = hits.map(({ cron, duration }) => ({ text: cron.text, duration }));
  return lazily(scheduleText(hits), () =>
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

function readExpression(text: string, zone: string, notes: Note[]): Cron | undefined {
  const parsed = parseSchedule(text, zone);
  if ('fault' in parsed) {
    notes.push({
      field: 'schedule',
      message: `${show(text)} is no schedule and is left out: ${parsed.fault}. ${useCron}`,
    });
    return undefined;
  }
  if (!parsed.cron.fires) notes.push({ field: 'schedule', message: `${show(text)} ${neverFires}` });
  return parsed.cron;
}

/** One for all, or one each; an hour where there are too few. */
function readDurations(text: string, count: number, cutLong: boolean, notes: Note[]): Duration[] {
  const written = split(text);
  const texts = written.slice(0, maxSchedules);
  if (written.length > 1 && texts.length !== count) {
    const message = `There are ${written.length} durations for ${count} schedules; those without count as 1h. Give one for all, or one each.`;
    notes.push({ field: 'duration', message });
  }
  const durations = texts.map((each) => readDuration(each, cutLong, notes));
  const [only] = durations;
  return durations.length === 1 && only !== undefined ? Array.from({ length: count }, () => only) : durations;
}

function readDuration(text: string, cutLong: boolean, notes: Note[]): Duration {
  const duration = parseDuration(text);
  if (duration !== undefined && duration >= minute && duration <= longest) return duration;
  const cut = cutLong && duration !== undefined && duration > longest;
  const message = `${show(text)} is no duration from 1m to 168h and counts as ${cut ? '168h' : '1h'}. Use a Go duration such as 4h.`;
  notes.push({ field: 'duration', message });
  return cut ? longest : defaultDuration;
}
