// MaintenanceWindows: fields and reader (D). An invalid one fails closed: it blocks what it selects (D7).
import { defined } from '../../cluster/defined.ts';
import type { MaintenanceWindow, NodeCount } from '../../cluster/model.ts';
import { annotation } from '../../cluster/names.ts';
import { labelOf } from '../../cluster/selector.ts';
import type { Schedule } from '../../time/schedule.ts';
import { scheduleWindow } from '../../time/scheduleWindow.ts';
import { always, lifetime, type Window } from '../../time/window.ts';
import {
  age,
  choice,
  column,
  cron,
  type Definition,
  date,
  dates,
  flag,
  instant,
  list,
  nodeCount,
  openFor,
  ratePeriodOrOpening,
  record,
  type Schema,
  timeZone,
  weeks,
  wide,
  windowColumns,
  windowStatus,
  withRules,
} from '../schema/schema.ts';
import { coverFields, everyAction, noteField, readActions, readNodes, readNote } from './coverage.ts';
import { objectFields, readMetadata } from './metadata.ts';
import { faultUnknownFields, faultUnknownInside } from './nearMiss.ts';
import type { Reader } from './reader.ts';
import { maxExceptions, maxSchedules, readRatePeriod, readWindowSchedule } from './scheduleFields.ts';

const modes = ['Block', 'Allow'] as const;

const schedule: Schema = withRules(
  record(
    'One schedule on which the window opens.',
    {
      cron: cron(
        'When the window opens: five cron fields (minute, hour, day of month, month, day of week), such as "0 9 * * mon-fri" or "0 9 * * sat#1", or a shorthand such as @daily.',
      ),
      duration: openFor('How long the window stays open each time the schedule fires, such as 8h or 1h30m.'),
      timeZone,
      every: weeks(
        'The schedule applies once in this number of weeks, such as 2w for every other week, counted from the week of anchor. Weeks begin on Monday in the time zone of the schedule.',
      ),
      anchor: date('A date of a week in which the schedule applies. Required with every.'),
      exceptDates: list(
        'Dates on which the window does not open, in the time zone of the schedule. A window of mode Allow is closed for the whole date; in a window of mode Block, an opening that began on an earlier date continues.',
        dates('A date such as 2026-12-24, or the first and the last of several, such as 2026-12-25..2026-12-26.'),
        { maxItems: maxExceptions },
      ),
    },
    { required: ['cron', 'duration'] },
  ),
  { rule: 'has(self.every) == has(self.anchor)', message: "'every' and 'anchor' must be set together" },
);

const spec: Schema = withRules(
  record('Which nodes the window covers, for which actions and when.', {
    schedules: list('When the window is open. If absent or empty, always.', schedule, { maxItems: maxSchedules }),
    ...coverFields(
      'The actions the window covers. If absent or empty, all.',
      'The nodes the window covers. If absent or empty, every node.',
    ),
    mode: choice('Block: nodes are held while the window is open. Allow: nodes are held while it is closed.', modes, {
      default: modes[0],
    }),
    notBefore: instant('The window has no effect before this time.'),
    notAfter: instant('The window has no effect from this time on.'),
    note: noteField('Who set up the window and why. Shown with each refusal.'),
    nodes: nodeCount(
      'How many of its nodes may still be disrupted at a time when the window holds them: a number, or a percentage, rounded up.',
      '0',
    ),
    per: ratePeriodOrOpening(
      'Makes `nodes` a rate limit: how many of its nodes may begin to be disrupted in one opening of the window (opening), or in any period of this length, such as 24h. If absent, `nodes` is how many at a time.',
    ),
    approval: flag(
      'Whether nodes may be disrupted while the window is open if a person has approved it (`lull approve`). Not with mode Allow or nodes.',
    ),
  }),
  {
    rule: "!has(self.per) || (has(self.nodes) && !self.nodes.matches('^0+%?$'))",
    message: "'per' requires 'nodes' of at least 1",
  },
  {
    rule: "!has(self.per) || self.per != 'opening' || (has(self.schedules) && size(self.schedules) > 0)",
    message: "'per: opening' requires 'schedules'",
  },
  {
    rule: '!has(self.notBefore) || !has(self.notAfter) || self.notBefore < self.notAfter',
    message: "'notAfter' must be later than 'notBefore'",
  },
  {
    rule: "!has(self.approval) || !self.approval || ((!has(self.mode) || self.mode == 'Block') && (!has(self.nodes) || self.nodes == '0'))",
    message: "'approval' cannot be combined with mode Allow or with 'nodes'",
  },
);

export const maintenanceWindow: Definition = {
  kind: 'MaintenanceWindow',
  plural: 'maintenancewindows',
  group: 'karpenter.sh',
  version: 'v1alpha1',
  shortNames: ['mw'],
  categories: ['karpenter', 'lull'],
  description: 'A MaintenanceWindow defines when nodes must not be disrupted, or the only times when they may be.',
  columns: [
    column('Mode', 'string', '.spec.mode', 'Whether the window blocks or allows disruption while it is open.'),
    ...windowColumns('nodes'),
    wide(column('Note', 'string', '.spec.note', 'Who set up the window and why.')),
    age,
  ],
  spec,
  status: windowStatus('nodes'),
};

const longestAuthor = 253;
const blocked: NodeCount = { count: 0 };

export function readMaintenanceWindow(object: Reader): MaintenanceWindow {
  const { name, annotations } = readMetadata(object);
  const spec = object.map('spec');
  faultUnknownFields(object, objectFields, 'warning');
  faultUnknownInside(spec, maintenanceWindow.spec, 'warning');
  const rest = {
    name,
    reasons: readActions(spec) ?? everyAction,
    selector: readNodes(spec),
    note: readNote(spec),
    author: labelOf(annotations, annotation.author)?.slice(0, longestAuthor) || undefined,
  };
  const when = readWhen(spec);
  const fault = object.findings.error;
  return defined<MaintenanceWindow>({ ...rest, ...(fault ? closed : when), fault });
}

interface When extends Pick<MaintenanceWindow, 'mode' | 'window' | 'life' | 'nodes'> {
  readonly per: MaintenanceWindow['per'] | undefined;
}

const closed: When = { mode: 'Block', window: always, life: always, nodes: blocked, per: undefined };

/** When the window applies and how many nodes it lets through. */
function readWhen(spec: Reader): When {
  const nodes = spec.nodeCount('nodes') ?? blocked;
  return {
    mode: readMode(spec),
    window: readSchedules(spec),
    life: readLife(spec),
    nodes,
    per: readPer(spec, nodes),
  };
}

/** What `nodes` counts: nodes at a time, or nodes that begin in an opening or a period (P2). */
function readPer(spec: Reader, nodes: NodeCount): When['per'] {
  if (!spec.has('per')) return undefined;
  if (('count' in nodes ? nodes.count : nodes.percent) === 0)
    spec.fault('per', "'per' requires 'nodes' of at least 1. Write how many nodes may begin, such as nodes: \"5\".");
  if (spec.raw('per') !== 'opening') return readRatePeriod(spec, 'per');
  if ((spec.list('schedules')?.length ?? 0) === 0)
    spec.fault('per', "'per: opening' requires 'schedules'. Write a period such as 24h, or add schedules.");
  return 'opening';
}

/** A window that asks for approval neither blocks nor limits (Q2). */
function readMode(spec: Reader): MaintenanceWindow['mode'] {
  const mode = spec.oneOf('mode', modes) ?? modes[0];
  if (!spec.boolean('approval')) return mode;
  if (mode === 'Allow') spec.fault('approval', 'approval cannot be combined with mode: Allow. Use mode: Block.');
  if (spec.has('nodes') && spec.raw('nodes') !== '0')
    spec.fault('approval', 'approval cannot be combined with nodes. Remove one of them.');
  return 'Approve';
}

function readSchedules(spec: Reader): Window {
  const count = spec.list('schedules')?.length ?? 0;
  if (count > maxSchedules) spec.fault('schedules', `There are ${count} schedules. Use at most ${maxSchedules}.`);
  const schedules = spec
    .maps('schedules')
    .slice(0, maxSchedules)
    .map((schedule) => readSchedule(schedule, spec.raw('mode')))
    .filter((each) => each !== undefined);
  return schedules.length > 0 ? scheduleWindow(schedules) : always;
}

function readSchedule(schedule: Reader, mode: unknown): Schedule | undefined {
  for (const key of ['cron', 'duration']) {
    if (!schedule.has(key))
      schedule.fault(key, `${key} is missing. Set cron and duration, such as "0 9 * * 1-5" and 8h.`);
  }
  return readWindowSchedule(schedule, mode);
}

function readLife(spec: Reader): Window {
  const notBefore = spec.instant('notBefore');
  const notAfter = spec.instant('notAfter');
  if (notBefore !== undefined && notAfter !== undefined && notBefore >= notAfter) {
    spec.fault('notAfter', 'notAfter is not later than notBefore, so the window never applies. Set a later notAfter.');
  }
  return lifetime(notBefore, notAfter);
}
