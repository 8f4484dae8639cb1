// How many nodes may a pool lose at once, for which reasons and when? Budgets with today's fields and older spellings (C1, C2, C9, C10).
import type { Budget, NodeCount } from '../cluster/model.ts';
import { budgetReasons, type Reason } from '../cluster/reason.ts';
import { asDuration, hour } from '../time/instant.ts';
import { scheduleWindow } from '../time/scheduleWindow.ts';
import type { Window } from '../time/window.ts';
import { brief } from './findings.ts';
import { isLabelName } from './labelName.ts';
import { faultUnknownFields, noteNearMisses } from './nearMiss.ts';
import { parseNodeCount, useNodeCount } from './nodeCount.ts';
import { defined, orList, type Reader, type SayFault } from './reader.ts';
import { reasonNamed } from './reasonName.ts';
import { readCron, readMinutes } from './schedule.ts';

/** C1: as many as Karpenter's own CRD admits. */
export const maxBudgets = 50;
/** C1: what holds where nothing is said. */
const defaultNodes: NodeCount = { percent: 10 };
const noSettle = asDuration(0);
/** C12. */
const defaultPatience = hour;

const oldFields = ['maxUnavailable', 'crontab', 'reason'];
const newFields = [
  'nodes',
  'reasons',
  'schedule',
  'duration',
  'timeZone',
  'topologyKey',
  'sequential',
  'settle',
  'patience',
];
const fields = [...newFields, ...oldFields];

export const defaultBudgets: readonly Budget[] = [
  { index: 0, nodes: defaultNodes, sequential: false, settle: noSettle, patience: defaultPatience },
];

type CheckFields = (entry: Reader) => void;

/** Nothing but Lull reads the annotation, so an unknown field there was meant for Lull: a fault of the pool (C8, K4). */
export const faultUnknown: CheckFields = (entry) => faultUnknownFields(entry, fields);
/** In the spec Karpenter may know more fields. */
export const noteUnknown: CheckFields = (entry) => noteNearMisses(entry, fields);

/** The list at a key; undefined where there is none. */
export function readBudgets(holder: Reader, key: string, checkFields: CheckFields): Budget[] | undefined {
  const list = holder.list(key);
  if (list === undefined) return undefined;
  if (list.length === 0) {
    holder.fault(key, 'An empty list sets no limit at all. Leave it out for 10%, or name a limit.', 'warning');
  }
  if (list.length > maxBudgets) {
    holder.fault(key, `${list.length} budgets are too many. Use at most ${maxBudgets}.`);
  }
  return holder
    .maps(key)
    .slice(0, maxBudgets)
    .map((entry) => {
      checkFields(entry);
      return readBudget(entry, Number(entry.key));
    });
}

export function readBudget(entry: Reader, index: number): Budget {
  const topologyKey = readTopologyKey(entry);
  return defined<Budget>({
    index,
    nodes: readNodes(entry),
    reasons: readReasons(entry),
    window: readWindow(entry),
    topologyKey,
    sequential: readSequential(entry, topologyKey),
    settle: entry.duration('settle') ?? noSettle,
    patience: entry.duration('patience') ?? defaultPatience,
  });
}

/** The spelling in use. The new name wins where both are given. */
function spelling(entry: Reader, now: string, old: string): string {
  if (!entry.has(old)) return now;
  if (entry.has(now)) {
    entry.fault(old, `${old} is the older name of ${now}, which is given too and wins. Remove ${old}.`, 'info');
    return now;
  }
  entry.fault(old, `${old} is an older name. Write ${now} instead.`, 'info');
  return old;
}

function readNodes(entry: Reader): NodeCount {
  const key = spelling(entry, 'nodes', 'maxUnavailable');
  const value = entry.raw(key);
  if (value === undefined) return defaultNodes;
  const nodes = parseNodeCount(value);
  // Closed: the pool stands still anyway, and so should whatever reads this entry alone.
  if (nodes === undefined) return entry.wrong(key, 'number of nodes', useNodeCount) ?? { count: 0 };
  if (typeof value === 'number') entry.fault(key, `A number is an older spelling. Write "${value}" in quotes.`, 'info');
  return nodes;
}

function readReasons(entry: Reader): ReadonlySet<Reason> | undefined {
  const key = spelling(entry, 'reasons', 'reason');
  const value = entry.raw(key);
  if (Array.isArray(value) && value.length === 0) {
    entry.fault(key, 'An empty list is read as every reason. Leave it out, or name reasons.', 'warning');
  }
  if (typeof value === 'string' && key === 'reasons')
    entry.fault(key, `A single text is an older spelling. Write a list: [${brief(value)}].`, 'info');
  const say: SayFault = (message, severity) => entry.fault(key, message, severity);
  const reasons = typeof value === 'string' ? [readReason(value, say)] : entry.eachText(key, readReason);
  const known = reasons.filter((reason) => reason !== undefined);
  return known.length > 0 ? new Set(known) : undefined;
}

function readReason(name: string, fault: SayFault): Reason | undefined {
  const reason = reasonNamed(name);
  if (reason === undefined) {
    const why = name.toLowerCase() === 'interrupted' ? 'is never held back by a budget' : 'is no reason';
    fault(`${brief(name)} ${why}. Use ${orList(budgetReasons)}.`);
  } else if (reason !== name) {
    fault(`${brief(name)} is an older spelling. Write ${reason}.`, 'info');
  }
  return reason;
}

const everyMinute = /^\s*\*(\s+\*){4}\s*$/;

function readWindow(entry: Reader): Window | undefined {
  const key = spelling(entry, 'schedule', 'crontab');
  if (!entry.has(key)) {
    if (entry.has('duration')) entry.fault('duration', 'There is a duration but no schedule. Give both or neither.');
    if (entry.has('timeZone'))
      entry.fault('timeZone', 'There is a time zone but no schedule, so it does nothing. Give a schedule.', 'info');
    return undefined;
  }
  if (!entry.has('duration')) {
    // The by-reason document writes "always" so.
    if (everyMinute.test(entry.text(key) ?? '')) {
      entry.fault(key, 'A schedule of every minute without a duration means always. Leave it out.', 'info');
    } else entry.fault(key, 'There is a schedule but no duration. Give both or neither.');
    return undefined;
  }
  const cron = readCron(entry, key);
  const duration = readMinutes(entry, 'duration');
  return cron && duration !== undefined ? scheduleWindow([{ cron, duration }]) : undefined;
}

/** Of a label: a prefix, a slash and a name. What is no label is repeated in reports only as far as one would be. */
const longestKey = 317;

function readTopologyKey(entry: Reader): string | undefined {
  const key = entry.text('topologyKey');
  if (key === undefined || key === '') return undefined;
  if (isLabelName(key)) return key;
  entry.wrong('topologyKey', 'label name', 'Use a label such as topology.kubernetes.io/zone.');
  return key.slice(0, longestKey);
}

function readSequential(entry: Reader, topologyKey: string | undefined): boolean {
  const sequential = entry.boolean('sequential') ?? false;
  if (!sequential || topologyKey !== undefined) return sequential;
  entry.fault(
    'sequential',
    "'sequential' requires 'topologyKey'. Name the label of the domains, such as topology.kubernetes.io/zone.",
  );
  return false;
}
