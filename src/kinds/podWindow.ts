// When does a pod's schedule let it go (E4–E6)? Texts of annotations to a window, compiled once however many pods carry them.
import { keep } from '../time/bounded.ts';
import type { Cron } from '../time/cron.ts';
import { parseDuration } from '../time/duration.ts';
import { asDuration, type Duration, hour, minute } from '../time/instant.ts';
import type { Schedule } from '../time/schedule.ts';
import { scheduleWindow } from '../time/scheduleWindow.ts';
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
}

interface Note {
  readonly field: keyof WindowTexts;
  readonly message: string;
}

/** E6. */
const defaultDuration = hour;
const longest = asDuration(168 * hour);

const compiled = new Map<string, CompiledWindow>();
/** Ten thousand pods may share one text; a thousand texts is more than a cluster has teams. */
const compiledKept = 1000;
/** One as long as this is nobody else's. */
const longestKept = 2000;

export function compileWindow(texts: WindowTexts, form: WindowForm): CompiledWindow {
  const key = JSON.stringify([texts.schedule, texts.duration, texts.timeZone, form.cutLong]);
  if (key.length > longestKept) return compile(texts, form);
  return compiled.get(key) ?? keep(compiled, compiledKept, key, compile(texts, form));
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
  if (hasZone && hits.length > 0) return { window: scheduleWindow(hits), notes };
  if (expressions.length === 0)
    notes.push({ field: 'schedule', message: `This schedule is empty and is ignored. ${useCron}` });
  return hasZone && read > 0 ? { window: never, notes } : { notes };
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
