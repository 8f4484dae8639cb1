// PodDisruptionSchedules: when the pods they select may be moved (E7). An invalid one fails closed: its pods are held.

import { defined } from '../../cluster/defined.ts';
import type { PodSchedule } from '../../cluster/model.ts';
import type { Selector } from '../../cluster/selector.ts';
import { formatDuration } from '../../time/duration.ts';
import { asDuration, hour, minute } from '../../time/instant.ts';
import { scheduleWindow } from '../../time/scheduleWindow.ts';
import { never, type Window } from '../../time/window.ts';
import {
  age,
  choice,
  column,
  cron,
  type Definition,
  openFor,
  record,
  selector,
  timeZone,
  wide,
  windowColumns,
  windowStatus,
  withDefault,
} from '../schema/schema.ts';
import { objectFields, readMetadata } from './metadata.ts';
import { faultUnknownFields, faultUnknownInside } from './nearMiss.ts';
import type { Reader } from './reader.ts';
import { readCron, useCron } from './scheduleFields.ts';
import { labelOperators, readSelectorParts } from './selectors.ts';

const modes = ['Allow', 'Block'] as const;
const defaultDuration = asDuration(hour);

export const podDisruptionSchedule: Definition = {
  kind: 'PodDisruptionSchedule',
  plural: 'poddisruptionschedules',
  group: 'karpenter.sh',
  version: 'v1alpha1',
  shortNames: ['pds'],
  categories: ['karpenter', 'lull'],
  description: 'A PodDisruptionSchedule defines when the pods it selects may be moved, or when they must not be.',
  columns: [
    column('Mode', 'string', '.spec.mode', 'Whether the schedule allows or blocks moving pods while it is open.'),
    column('Schedule', 'string', '.spec.schedule', 'When it opens.'),
    column('Duration', 'string', '.spec.duration', 'How long it stays open.'),
    wide(column('Time zone', 'string', '.spec.timeZone', 'The time zone of the schedule.')),
    ...windowColumns('pods'),
    age,
  ],
  spec: record(
    'Which pods the schedule covers and when.',
    {
      selector: selector('The pods the schedule covers. If empty, every pod.', labelOperators),
      namespaceSelector: selector('The namespaces of those pods. If absent, every namespace.', labelOperators),
      schedule: cron(
        'When the schedule opens: five cron fields (minute, hour, day of month, month, day of week), such as "0 9 * * mon-fri" or "0 9 * * sat#1", or a shorthand such as @daily.',
      ),
      duration: withDefault(
        openFor('How long the schedule stays open each time it fires, such as 4h.'),
        formatDuration(defaultDuration),
      ),
      timeZone,
      mode: choice(
        'Allow: the pods may be moved only while the schedule is open. Block: only while it is closed.',
        modes,
        { default: modes[0] },
      ),
    },
    { required: ['selector', 'schedule'] },
  ),
  status: windowStatus('pods'),
};

export function readPodDisruptionSchedule(object: Reader): PodSchedule {
  const { name } = readMetadata(object);
  const spec = object.map('spec');
  faultUnknownFields(object, objectFields, 'warning');
  faultUnknownInside(spec, podDisruptionSchedule.spec, 'warning');
  const window = readWindow(spec);
  const mode = spec.oneOf('mode', modes) ?? modes[0];
  const selector = readSelector(spec, 'selector') ?? everyPod;
  if (!spec.has('selector'))
    spec.fault('selector', 'selector is missing, so every pod is held. Select pods with matchLabels.');
  const namespaces = spec.has('namespaceSelector') ? readSelector(spec, 'namespaceSelector') : undefined;
  const fault = object.findings.error;
  const when = fault ? { mode: modes[0], window: never } : { mode, window };
  return defined<PodSchedule>({ name, selector, namespaces, ...when, fault });
}

const everyPod: Selector = { requirements: [] };

/** Undefined if any part is invalid: it then selects everything, so that the schedule fails closed. */
function readSelector(spec: Reader, key: string): Selector | undefined {
  const { requirements, sound } = readSelectorParts(spec, key, labelOperators);
  return sound ? { requirements } : undefined;
}

function readWindow(spec: Reader): Window {
  if (!spec.has('schedule')) spec.fault('schedule', `schedule is missing. ${useCron}`);
  const cron = readCron(spec, 'schedule');
  const duration = spec.duration('duration');
  if (duration !== undefined && duration < minute)
    spec.fault('duration', 'This duration is too short. Use at least 1m.');
  return cron ? scheduleWindow([{ cron, duration: duration ?? defaultDuration }]) : never;
}
