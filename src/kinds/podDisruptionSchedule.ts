// When may the pods that a PodDisruptionSchedule selects be moved (E7)? An invalid one fails closed: its pods stay.
import type { PodSchedule } from '../cluster/model.ts';
import type { Selector } from '../cluster/selector.ts';
import { asDuration, hour, minute } from '../time/instant.ts';
import { scheduleWindow } from '../time/scheduleWindow.ts';
import { never, type Window } from '../time/window.ts';
import { objectFields, readMetadata } from './metadata.ts';
import { faultUnknownFields } from './nearMiss.ts';
import { defined, type Reader } from './reader.ts';
import { faultUnknownInSelector, labelOperators, readSelectorParts } from './requirement.ts';
import { readCron, useCron } from './schedule.ts';

const fields = ['selector', 'namespaceSelector', 'schedule', 'duration', 'timeZone', 'mode'];
const defaultDuration = asDuration(hour);

export function readPodDisruptionSchedule(object: Reader): PodSchedule {
  const { name } = readMetadata(object);
  const spec = object.map('spec');
  faultUnknownFields(object, objectFields, 'warning');
  faultUnknownFields(spec, fields, 'warning');
  const window = readWindow(spec);
  const mode = spec.oneOf('mode', ['Allow', 'Block']) ?? 'Allow';
  const selector = readSelector(spec, 'selector') ?? everyPod;
  if (!spec.has('selector'))
    spec.fault('selector', 'There is no selector, so every pod is held. Name pods by matchLabels.');
  const namespaces = spec.has('namespaceSelector') ? readSelector(spec, 'namespaceSelector') : undefined;
  for (const key of ['selector', 'namespaceSelector']) faultUnknownInSelector(spec, key);
  const fault = object.findings.error;
  const when = fault ? { mode: 'Allow' as const, window: never } : { mode, window };
  return defined<PodSchedule>({ name, selector, namespaces, ...when, fault });
}

const everyPod: Selector = { requirements: [] };

/** Undefined where any part of it is wrong: it then means everything. */
function readSelector(spec: Reader, key: string): Selector | undefined {
  const { requirements, sound } = readSelectorParts(spec, key, labelOperators);
  return sound ? { requirements } : undefined;
}

function readWindow(spec: Reader): Window {
  if (!spec.has('schedule')) spec.fault('schedule', `There is no schedule. ${useCron}`);
  const cron = readCron(spec, 'schedule');
  const duration = spec.duration('duration');
  if (duration !== undefined && duration < minute)
    spec.wrong('duration', 'duration of a minute or more', 'Use at least 1m.');
  return cron ? scheduleWindow([{ cron, duration: duration ?? defaultDuration }]) : never;
}
