// When, where and for what does a MaintenanceWindow hold nodes back (D)? A broken one is widened, so that it fails closed by what it says (D7).
import type { MaintenanceWindow, NodeCount } from '../cluster/model.ts';
import { annotation } from '../cluster/names.ts';
import { budgetReasons, type Reason } from '../cluster/reason.ts';
import { labelOf, type Requirement } from '../cluster/selector.ts';
import type { Schedule } from '../time/schedule.ts';
import { scheduleWindow } from '../time/scheduleWindow.ts';
import { always, lifetime, type Window } from '../time/window.ts';
import { brief } from './findings.ts';
import { objectFields, readMetadata } from './metadata.ts';
import { faultUnknownFields } from './nearMiss.ts';
import { parseNodeCount, useNodeCount } from './nodeCount.ts';
import { defined, orList, type Reader } from './reader.ts';
import { faultUnknownInSelector, nodeOperators, readSelectorParts } from './requirement.ts';
import { maxSchedules, readCron, readMinutes } from './schedule.ts';

const fields = ['schedules', 'actions', 'selector', 'mode', 'notBefore', 'notAfter', 'note', 'nodes'];
const scheduleFields = ['cron', 'duration', 'timeZone'];
/** It is shown with every refusal. */
const longestNote = 1024;
const longestAuthor = 253;
const blocked: NodeCount = { count: 0 };

export function readMaintenanceWindow(object: Reader): MaintenanceWindow {
  const { name, annotations } = readMetadata(object);
  const spec = object.map('spec');
  faultUnknownFields(object, objectFields, 'warning');
  faultUnknownFields(spec, fields, 'warning');
  const rest = {
    name,
    reasons: readActions(spec),
    selector: readSelector(spec),
    note: spec.shortText('note', longestNote) || undefined,
    author: labelOf(annotations, annotation.author)?.slice(0, longestAuthor) || undefined,
  };
  faultUnknownInSelector(spec, 'selector');
  const when = readWhen(spec);
  const fault = object.findings.error;
  return defined<MaintenanceWindow>({ ...rest, ...(fault ? closed : when), fault });
}

type When = Pick<MaintenanceWindow, 'mode' | 'window' | 'life' | 'nodes'>;

const closed: When = { mode: 'Block', window: always, life: always, nodes: blocked };

/** When it holds and how many it lets through. */
const readWhen = (spec: Reader): When => ({
  mode: spec.oneOf('mode', ['Block', 'Allow']) ?? 'Block',
  window: readSchedules(spec),
  life: readLife(spec),
  nodes: readNodes(spec),
});

function readSchedules(spec: Reader): Window {
  const given = spec.list('schedules')?.length ?? 0;
  if (given > maxSchedules) spec.fault('schedules', `${given} schedules are too many. Use at most ${maxSchedules}.`);
  const hits = spec
    .maps('schedules')
    .slice(0, maxSchedules)
    .map(readHit)
    .filter((hit) => hit !== undefined);
  return hits.length > 0 ? scheduleWindow(hits) : always;
}

function readHit(schedule: Reader): Schedule | undefined {
  faultUnknownFields(schedule, scheduleFields, 'warning');
  for (const key of ['cron', 'duration']) {
    if (!schedule.has(key))
      schedule.fault(key, `A schedule needs ${key}. Give cron and duration, such as "0 9 * * 1-5" and 8h.`);
  }
  const cron = readCron(schedule, 'cron');
  const duration = readMinutes(schedule, 'duration');
  return cron && duration !== undefined ? { cron, duration } : undefined;
}

function readLife(spec: Reader): Window {
  const notBefore = spec.instant('notBefore');
  const notAfter = spec.instant('notAfter');
  if (notBefore !== undefined && notAfter !== undefined && notBefore >= notAfter) {
    spec.fault('notAfter', 'This window ends before it begins. Give a notAfter later than notBefore.');
  }
  return lifetime(notBefore, notAfter);
}

function readNodes(spec: Reader): NodeCount {
  if (!spec.has('nodes')) return blocked;
  return parseNodeCount(spec.raw('nodes')) ?? spec.wrong('nodes', 'number of nodes', useNodeCount) ?? blocked;
}

/** Undefined = every node. */
function readSelector(spec: Reader): readonly Requirement[] | undefined {
  const { requirements, sound } = readSelectorParts(spec, 'selector', nodeOperators);
  return sound && requirements.length > 0 ? requirements : undefined;
}

const consolidation: readonly Reason[] = ['Empty', 'Underutilized'];
const actions: ReadonlyMap<string, readonly Reason[]> = new Map([
  ['Expiration', ['Expired']],
  ['Consolidation', consolidation],
  ['EmptyConsolidation', ['Empty']],
  ['NonEmptyConsolidation', ['Underutilized']],
  ['Drift', ['Drifted']],
  ['Rebalance', ['Rebalance']],
  ['Repair', ['Unhealthy']],
]);
const everything: ReadonlySet<Reason> = new Set(budgetReasons);

function readActions(spec: Reader): ReadonlySet<Reason> {
  const before = spec.findings.wrongs;
  const named = spec.eachText('actions', (name, fault) => {
    if (!actions.has(name)) fault(`${brief(name)} is no action, so all are held. Use ${orList([...actions.keys()])}.`);
    return actions.get(name);
  });
  return named.length === 0 || spec.findings.wrongs > before ? everything : new Set(named.flat());
}
