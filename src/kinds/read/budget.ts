// Pool budgets: their CRD fields, and how spec and annotation are read, with older spellings (C1, C2, C9, C10, C17, P1, P3, P7).
// Also the budgets as Karpenter itself reads them (N4).
// Past 300 lines: the fields of a budget and their reader change together.
import { defined } from '../../cluster/defined.ts';
import type { Budget, NodeCount, Pool, RateBudget } from '../../cluster/model.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import { asDuration, type Duration, hour } from '../../time/instant.ts';
import { scheduleWindow } from '../../time/scheduleWindow.ts';
import type { Window } from '../../time/window.ts';
import {
  choices,
  cron,
  elapsed,
  flag,
  karpenterOpenFor,
  labelName,
  list,
  maxWaves,
  nodeCount,
  ratePeriod,
  record,
  type Schema,
  timeZone,
  type ValidationRule,
  waveList,
  whole,
  withRules,
} from '../schema/schema.ts';
import { parseText } from '../text/documents.ts';
import { brief, Findings, nowhere } from './findings.ts';
import { steering } from './knownKeys.ts';
import type { Metadata } from './metadata.ts';
import { faultUnknownFields, noteNearMisses } from './nearMiss.ts';
import { formatNodeCount, isMap, type Json, orList, Reader, type ReportFault } from './reader.ts';
import { parseSchedule, readCron, readMinutes, readRatePeriod } from './scheduleFields.ts';
import { isLabelName } from './selectors.ts';

/** The maximum of Karpenter's own CRD (C1). */
const maxBudgets = 50;
/** Without budgets, as in Karpenter (C1). */
const defaultNodes: NodeCount = { percent: 10 };
/** More failures in a row than a pool with a broken image should have. */
const mostFailures = 100;
const noSettle = asDuration(0);
/** How long a domain keeps the turn without progress (C12). */
const defaultPatience = hour;

const karpenterFields = {
  nodes: nodeCount(
    'How many nodes of the pool may be disrupted at a time: a number, or a percentage, rounded up.',
    formatNodeCount(defaultNodes),
  ),
  reasons: choices(
    'The reasons this budget limits. If absent, it limits the reasons that no active budget names.',
    'A reason to disrupt a node.',
    budgetReasons,
  ),
  schedule: cron(
    'When the budget becomes active: five cron fields (minute, hour, day of month, month, day of week), such as "0 9 * * mon-fri" or "0 9 * * sat#1", or a shorthand such as @daily.',
  ),
  duration: karpenterOpenFor('How long the budget stays active each time the schedule fires, such as 8h or 1h30m.'),
};

/** Fields Karpenter does not have (C1). */
export const addedBudgetFields = {
  timeZone,
  topologyKey: labelName(
    'A node label, such as topology.kubernetes.io/zone. The budget then limits drift for each value of the label separately.',
  ),
  sequential: flag('Whether the domains of topologyKey are rolled one after another instead of all at the same time.'),
  settle: elapsed('How long a domain or wave must stay healthy before the next one starts. Defaults to 0s.'),
  patience: elapsed('How long a domain may make no progress before the next one starts. Defaults to 1h.'),
  driftAfter: elapsed(
    'How long a node must have been drifted before it is replaced for that: only with the reason Drifted and without a schedule. Defaults to 0s.',
  ),
  per: ratePeriod(
    'Makes the budget a rate limit: at most `nodes` of the pool begin to be disrupted in any period of this length, such as 24h. If absent, `nodes` is how many at a time.',
  ),
  waves: waveList(
    'Growing numbers of drifted nodes after which a roll pauses until the pool is healthy, such as 1 and 10%: only with the reason Drifted alone and without a schedule. After the last wave, the rest is replaced.',
    'How many nodes are replaced up to the end of this wave, from the start of the roll: a number, or a percentage, rounded up.',
  ),
  haltAfter: whole(
    'After how many failed replacements in a row a roll of drifted nodes is halted, 0 for never: only with the reason Drifted and without a schedule. Defaults to 3 with waves, and otherwise to 0.',
    { minimum: 0, maximum: mostFailures },
  ),
};

/** A rate limit counts nodes of the whole pool and has no domains, turns, waits or waves (P1). */
const notWithPer = ['topologyKey', 'sequential', 'settle', 'patience', 'driftAfter', 'waves', 'haltAfter'] as const;

/** A rule on two fields. A CRD that has a rule naming both already checks this, perhaps in other words. */
export interface PairRule extends ValidationRule {
  readonly about: readonly [string, string];
}

export const budgetRules: readonly PairRule[] = [
  {
    about: ['schedule', 'duration'],
    rule: 'has(self.schedule) == has(self.duration)',
    message: "set both 'schedule' and 'duration', or neither",
  },
  {
    about: ['sequential', 'topologyKey'],
    rule: '!has(self.sequential) || !self.sequential || has(self.topologyKey)',
    message: "'sequential' requires 'topologyKey'",
  },
  {
    about: ['driftAfter', 'reasons'],
    rule: "!has(self.driftAfter) || (has(self.reasons) && 'Drifted' in self.reasons)",
    message: "'driftAfter' requires the reason Drifted",
  },
  {
    about: ['driftAfter', 'schedule'],
    rule: '!has(self.driftAfter) || !has(self.schedule)',
    message: "'driftAfter' cannot be combined with 'schedule'",
  },
  {
    about: ['per', 'topologyKey'],
    rule: `!has(self.per) || !(${notWithPer.map((field) => `has(self.${field})`).join(' || ')})`,
    message: `'per' cannot be combined with ${orList([...notWithPer])}`,
  },
  {
    about: ['waves', 'reasons'],
    rule: "!has(self.waves) || (has(self.reasons) && size(self.reasons) == 1 && self.reasons[0] == 'Drifted')",
    message: "'waves' requires the reason Drifted, and no other",
  },
  {
    about: ['waves', 'schedule'],
    rule: '!has(self.waves) || !has(self.schedule)',
    message: "'waves' cannot be combined with 'schedule'",
  },
  {
    about: ['haltAfter', 'reasons'],
    rule: "!has(self.haltAfter) || (has(self.reasons) && 'Drifted' in self.reasons)",
    message: "'haltAfter' requires the reason Drifted",
  },
  {
    about: ['haltAfter', 'schedule'],
    rule: '!has(self.haltAfter) || !has(self.schedule)',
    message: "'haltAfter' cannot be combined with 'schedule'",
  },
];

export const budgets: Schema = list(
  'How many nodes may be disrupted at a time, for which reasons and when. An empty list means no limit.',
  withRules(
    record('One budget.', { ...karpenterFields, ...addedBudgetFields }),
    ...budgetRules.map(({ rule, message }) => ({ rule, message })),
  ),
  { maxItems: maxBudgets, default: [{ nodes: formatNodeCount(defaultNodes) }] },
);

/** Field names of older design documents (C2). The API server rejects or drops them. */
const oldFields = ['maxUnavailable', 'crontab', 'reason'];
const fields = [...Object.keys(karpenterFields), ...Object.keys(addedBudgetFields), ...oldFields];

export const defaultBudgets: readonly Budget[] = [
  { index: 0, nodes: defaultNodes, sequential: false, settle: noSettle, patience: defaultPatience },
];

type CheckFields = (entry: Reader) => void;

/** Only Lull reads the annotation, so an unknown field there is a fault of the pool (C8, K4). */
const faultUnknown: CheckFields = (entry) => faultUnknownFields(entry, fields);
/** A newer Karpenter may have more fields in the spec, so only typos are reported. */
export const noteUnknown: CheckFields = (entry) => noteNearMisses(entry, fields);

/** The budgets in the list at a key; undefined if there is no list. */
export function readBudgets(holder: Reader, key: string, checkFields: CheckFields): Budget[] | undefined {
  const list = holder.list(key);
  if (list === undefined) return undefined;
  if (list.length === 0) {
    holder.fault(key, 'An empty list means no limit. Remove it for the default of 10%, or add a budget.', 'warning');
  }
  if (list.length > maxBudgets) {
    holder.fault(key, `There are ${list.length} budgets. Use at most ${maxBudgets}.`);
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
  // In the order of the fields, which is the order of their faults.
  const nodes = readNodes(entry);
  const reasons = readReasons(entry);
  return defined<Budget>({
    index,
    nodes,
    reasons,
    window: readWindow(entry),
    topologyKey,
    sequential: readSequential(entry, topologyKey),
    settle: entry.duration('settle') ?? noSettle,
    patience: entry.duration('patience') ?? defaultPatience,
    driftAfter: readDriftAfter(entry, reasons),
    per: readPer(entry),
    waves: readWaves(entry, reasons),
    haltAfter: readHaltAfter(entry, reasons),
  });
}

/** The key to read: the old name only if the new one is absent. */
function spelling(entry: Reader, now: string, old: string): string {
  if (!entry.has(old)) return now;
  if (entry.has(now)) {
    entry.fault(old, `${old} is the old name of ${now} and is ignored: ${now} is set too. Remove ${old}.`, 'info');
    return now;
  }
  entry.fault(old, `${old} is an old name. Write ${now} instead.`, 'info');
  return old;
}

function readNodes(entry: Reader): NodeCount {
  const key = spelling(entry, 'nodes', 'maxUnavailable');
  if (!entry.has(key)) return defaultNodes;
  const [value, nodes] = [entry.raw(key), entry.nodeCount(key)];
  // Fail closed: the fault holds the pool, and callers that read this entry alone must hold it too.
  if (nodes === undefined) return { count: 0 };
  if (typeof value === 'number')
    entry.fault(key, `A number without quotes is an old spelling. Write "${value}" in quotes.`, 'info');
  return nodes;
}

function readReasons(entry: Reader): ReadonlySet<Reason> | undefined {
  const key = spelling(entry, 'reasons', 'reason');
  const value = entry.raw(key);
  if (Array.isArray(value) && value.length === 0) {
    entry.fault(key, 'An empty list counts as every reason. Remove it, or name reasons.', 'warning');
  }
  if (typeof value === 'string' && key === 'reasons')
    entry.fault(key, `A single string is an old spelling. Write a list: [${brief(value)}].`, 'info');
  const reasons =
    typeof value === 'string'
      ? [readReason(value, (message, severity) => entry.fault(key, message, severity))]
      : entry.eachText(key, readReason);
  const known = reasons.filter((reason) => reason !== undefined);
  return known.length > 0 ? new Set(known) : undefined;
}

function readReason(name: string, fault: ReportFault): Reason | undefined {
  const reason = reasonNamed(name);
  if (reason === undefined) {
    const why = name.toLowerCase() === 'interrupted' ? 'is never held by a budget' : 'is not a disruption reason';
    fault(`"${brief(name)}" ${why}. Use ${orList(budgetReasons)}.`);
  } else if (reason !== name) {
    fault(`"${brief(name)}" is an old spelling. Write ${reason}.`, 'info');
  }
  return reason;
}

/** A schedule that fires every minute: the by-reason design document writes "always" this way. */
export const everyMinute = /^\s*\*(\s+\*){4}\s*$/;

function readWindow(entry: Reader): Window | undefined {
  const key = spelling(entry, 'schedule', 'crontab');
  if (!entry.has(key)) {
    if (entry.has('duration')) entry.fault('duration', 'duration is set without schedule. Set both or neither.');
    if (entry.has('timeZone'))
      entry.fault('timeZone', 'timeZone has no effect without a schedule. Add a schedule, or remove it.', 'info');
    return undefined;
  }
  if (!entry.has('duration')) {
    // The by-reason design document writes "always" this way.
    if (everyMinute.test(entry.text(key) ?? '')) {
      entry.fault(key, 'A schedule of every minute without a duration means always. Remove it.', 'info');
    } else entry.fault(key, 'schedule is set without duration. Set both or neither.');
    return undefined;
  }
  const cron = readCron(entry, key);
  const duration = readMinutes(entry, 'duration');
  return cron && duration !== undefined ? scheduleWindow([{ cron, duration }]) : undefined;
}

/** The longest label name: prefix, slash and name. An invalid one is cut to this length before reports repeat it. */
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
    "'sequential' requires 'topologyKey'. Set topologyKey to a node label such as topology.kubernetes.io/zone.",
  );
  return false;
}

/** A wait that counts only at some hours would end before it has passed, so a schedule is a fault (P7). */
function readDriftAfter(entry: Reader, reasons: ReadonlySet<Reason> | undefined): Duration | undefined {
  const wait = entry.duration('driftAfter');
  if (wait === undefined) return undefined;
  if (!reasons?.has('Drifted'))
    entry.fault('driftAfter', "'driftAfter' requires the reason Drifted. Write reasons: [Drifted].");
  if (entry.has('schedule') || entry.has('crontab'))
    entry.fault(
      'driftAfter',
      "'driftAfter' cannot be combined with 'schedule'. Move it to a budget without a schedule, or to the annotation lull.dev/drift-after.",
    );
  return wait;
}

function readPer(entry: Reader): Duration | undefined {
  if (!entry.has('per')) return undefined;
  for (const field of notWithPer)
    if (entry.has(field))
      entry.fault('per', `'per' cannot be combined with '${field}'. Write them as two budgets: both apply.`);
  return readRatePeriod(entry, 'per');
}

/** Rate limits are apart from the limits of nodes at a time: C5 does not choose between them, all of them apply (P1). */
export const byKind = (all: readonly Budget[]): Pick<Pool, 'budgets' | 'rates'> => ({
  budgets: all.filter((budget) => !isRate(budget)),
  rates: all.filter(isRate),
});

const isRate = (budget: Budget): budget is RateBudget => budget.per !== undefined;

/** At some hours only, a roll would have no waves at the others, so a schedule is a fault (P3). */
function readWaves(entry: Reader, reasons: ReadonlySet<Reason> | undefined): Budget['waves'] {
  const list = entry.list('waves');
  if (list === undefined) return undefined;
  if (!(reasons?.size === 1 && reasons.has('Drifted')))
    entry.fault('waves', "'waves' requires the reason Drifted, and no other. Write reasons: [Drifted].");
  if (entry.has('schedule') || entry.has('crontab'))
    entry.fault('waves', "'waves' cannot be combined with 'schedule'. Move them to a budget without a schedule.");
  if (list.length === 0 || list.length > maxWaves)
    entry.fault('waves', `There are ${list.length} waves. Write 1 to ${maxWaves}, such as ["1", "10%"].`);
  const inside = entry.at('waves');
  const waves = list.slice(0, maxWaves).map((_, index) => readWave(inside, index));
  waves.forEach((wave, index) => {
    const before = waves[index - 1];
    if (wave && before && !isLarger(wave, before))
      inside.fault(index, 'Each wave must be larger than the one before: waves count from the start of the roll.');
  });
  return waves.filter((wave) => wave !== undefined);
}

/** At some hours only, a roll would not halt at the others, so a schedule is a fault (P5). */
function readHaltAfter(entry: Reader, reasons: ReadonlySet<Reason> | undefined): number | undefined {
  const failures = entry.whole('haltAfter', 0, mostFailures);
  if (failures === undefined) return undefined;
  if (!reasons?.has('Drifted'))
    entry.fault('haltAfter', "'haltAfter' requires the reason Drifted. Write reasons: [Drifted].");
  if (entry.has('schedule') || entry.has('crontab'))
    entry.fault('haltAfter', "'haltAfter' cannot be combined with 'schedule'. Move it to a budget without a schedule.");
  return failures;
}

function readWave(waves: Reader, index: number): NodeCount | undefined {
  const wave = waves.nodeCount(index);
  if (wave && !isNone(wave)) return wave;
  if (wave || !waves.has(index))
    waves.fault(index, 'A wave has at least one node. Write a number such as "1", or "10%".');
  return undefined;
}

const isNone = (nodes: NodeCount): boolean => ('count' in nodes ? nodes.count : nodes.percent) === 0;

/** A number and a percentage cannot be compared before the size of the pool is known. */
function isLarger(wave: NodeCount, before: NodeCount): boolean {
  if ('count' in wave) return !('count' in before) || wave.count > before.count;
  return 'count' in before || wave.percent > before.percent;
}

const writeList = 'Write a YAML or JSON list such as [{nodes: "1", reasons: [Drifted]}].';

/** Undefined if the pool does not have the annotation. */
export function readBudgetsAnnotation({ reader, annotations }: Metadata): Budget[] | undefined {
  const text = annotations[steering.budgets];
  if (text === undefined) return undefined;
  const holder = reader.at('annotations');
  const list = parseList(text);
  if (typeof list === 'string') {
    holder.fault(steering.budgets, `${list} ${writeList}`);
    return [];
  }
  return readBudgets(holder.replaced(steering.budgets, list), steering.budgets, faultUnknown);
}

/** The list, or an error message. */
function parseList(text: string): readonly unknown[] | string {
  const { values, errors } = parseText(text);
  if (errors[0]) return `This annotation cannot be read. ${errors[0].message}`;
  const [list, ...more] = values.map(({ value }) => value);
  return Array.isArray(list) && more.length === 0 ? list : 'This annotation must be exactly one list.';
}

/** The reasons of Karpenter 1.15; a budget with any other is rejected. */
const reasons = new Set<unknown>(['Underutilized', 'Empty', 'Drifted', 'Unhealthy']);
const duration = /^(\d+[hm]|\d+h\d+m)(0s)?$/;

export function readKarpenterBudgets(list: unknown): readonly Budget[] {
  if (list === undefined) return defaultBudgets;
  if (!Array.isArray(list)) return [];
  return list.slice(0, maxBudgets).flatMap((entry, index) => (isMap(entry) ? readAdmitted(entry, index) : []));
}

/** The first budget field that Lull supports and Karpenter does not. */
export function beyondKarpenter(list: unknown): { readonly path: string; readonly value: unknown } | undefined {
  for (const [index, entry] of Array.isArray(list) ? list.slice(0, maxBudgets).entries() : []) {
    if (!isMap(entry)) continue;
    const field = ['topologyKey', 'sequential', 'timeZone'].find((key) => entry[key] !== undefined);
    if (field) return { path: `[${index}].${field}`, value: entry[field] };
    const parsed = typeof entry.schedule === 'string' ? parseSchedule(entry.schedule) : undefined;
    if (parsed && 'cron' in parsed && parsed.cron.superset !== undefined)
      return { path: `[${index}].schedule`, value: entry.schedule };
  }
  return undefined;
}

function readAdmitted(entry: Json, index: number): Budget[] {
  if (!isAdmitted(entry) || oldFields.some((name) => name in entry)) return [];
  const findings = new Findings(() => '', 'error', nowhere);
  // Karpenter has neither time zones nor domains: it reads a topology budget as a plain one.
  const { nodes, reasons, schedule, duration } = entry;
  const budget = readBudget(new Reader({ nodes, reasons, schedule, duration }, findings), index);
  return findings.error ? [] : [budget];
}

function isAdmitted({ nodes, reasons: named, schedule, duration: lasting }: Json): boolean {
  if (nodes !== undefined && typeof nodes !== 'string') return false;
  // Karpenter admits an empty list of reasons, but then the budget never applies.
  if (named !== undefined && !(Array.isArray(named) && named.length > 0 && named.every((name) => reasons.has(name))))
    return false;
  if (schedule === undefined && lasting === undefined) return true;
  return (
    typeof lasting === 'string' && duration.test(lasting) && typeof schedule === 'string' && isKarpenterCron(schedule)
  );
}

function isKarpenterCron(text: string): boolean {
  const parsed = parseSchedule(text);
  return 'cron' in parsed && parsed.cron.superset === undefined;
}

/** By lower-case name: case does not matter. */
const names: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  ...budgetReasons.map((reason): [string, Reason] => [reason.toLowerCase(), reason]),
  ['drift', 'Drifted'],
  ['consolidation', 'Underutilized'],
  ['expiration', 'Expired'],
]);

/** The reason with a name or an old name. Undefined for Interrupted: no rule may refuse it. */
export const reasonNamed = (text: string): Reason | undefined => names.get(text.trim().toLowerCase());
