// Pools and their budgets as written, with the engine's record of each.
import { memo } from '../../cluster/memo.ts';
import type { Budget, MaintenanceWindow, Pool } from '../../cluster/model.ts';
import { label } from '../../cluster/names.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import { matchesAll, type TextMap } from '../../cluster/selector.ts';
import { isGoverned } from '../../engine/situation.ts';
import { readBudget } from '../../kinds/read/budget.ts';
import { Findings, nowhere } from '../../kinds/read/findings.ts';
import { steering } from '../../kinds/read/knownKeys.ts';
import { isMap, type Json, Reader } from '../../kinds/read/reader.ts';
import { readCron, readMinutes } from '../../kinds/read/scheduleFields.ts';
import { parseText } from '../../kinds/text/documents.ts';
import { joinPath } from '../../kinds/text/path.ts';
import type { Schedule } from '../../time/schedule.ts';
import type { LintPolicy } from '../rule.ts';
import { documentsIn, writtenAt } from './writtenObjects.ts';

const objectOf = ({ provisioner, name }: Pool): string => `${provisioner ? 'Provisioner' : 'NodePool'}/${name}`;

/** The path of the budgets that Lull reads (C17). */
const budgetsPath = ({ budgetsFrom }: Pool): string =>
  budgetsFrom === 'annotation' ? joinPath('metadata.annotations', steering.budgets) : 'spec.disruption.budgets';

/** The path of expireAfter: in v1beta1 it was a field of `disruption`. */
export const expireAfterPath = (policy: LintPolicy, { object }: WrittenPool): string =>
  writtenAt(policy, object, 'apiVersion') === 'karpenter.sh/v1beta1'
    ? 'spec.disruption.expireAfter'
    : 'spec.template.spec.expireAfter';

/** The different sets of windows that apply to the nodes of a pool, or to the nodes it would create if it has none. */
export function windowSetsOf({ pool, nodes }: WrittenPool, policy: LintPolicy): (readonly MaintenanceWindow[])[] {
  if (nodes.length > 0) return [...new Set(nodes.map(({ windows }) => windows))];
  const labels: TextMap = { ...pool.template.labels, ...fixedLabels(pool), [label.pool]: pool.name };
  // A label that no node has yet may get any value: a window that selects by it may or may not apply to this pool.
  const known = ({ selector = [] }: MaintenanceWindow): boolean =>
    selector.every(({ key }) => labels[key] !== undefined) && matchesAll(selector, labels);
  const set = policy.cluster.windows.filter(known);
  const key = set.map(({ name }) => name).join(' ');
  const shared = sharedSets(policy).get(key) ?? set;
  sharedSets(policy).set(key, shared);
  return [shared];
}

/** One list per set of windows, so that results cached by list are shared between pools. */
const sharedSets = memo((_: LintPolicy) => new Map<string, readonly MaintenanceWindow[]>());

/** Labels that the requirements restrict to one value. */
function fixedLabels({ template }: Pool): TextMap {
  const only = template.requirements.filter(({ operator, values }) => operator === 'In' && values.length === 1);
  return Object.fromEntries(only.map(({ key, values }) => [key, values[0] ?? '']));
}

export interface WrittenPool {
  readonly pool: Pool;
  /** `NodePool/name`, or `Provisioner/name`. */
  readonly object: string;
  /** The path of the list of budgets. */
  readonly path: string;
  /** Its managed nodes, by name. */
  readonly nodes: readonly NodeView[];
  /** Empty if the pool has the default. */
  readonly budgets: readonly WrittenBudget[];
  /** The budgets with `per` (P1), which `budgets` does not contain. */
  readonly rates: readonly WrittenBudget[];
  /** All budgets are valid, so the engine's record of them is complete. */
  readonly sound: boolean;
}

export interface WrittenBudget {
  readonly object: string;
  readonly pool: Pool;
  readonly budget: Budget;
  readonly path: string;
  /** The paths as these fields are spelled here. */
  readonly nodesPath: string;
  readonly reasonsPath: string;
  readonly schedulePath: string;
  readonly entry: Json;
  readonly sound: boolean;
  /** As spelled here: `schedule`, or `crontab` in older documents. Absent = always. */
  readonly scheduleKey?: string;
  /** Absent if there is none or it is invalid. */
  readonly schedule?: Schedule;
}

/** The governed pools, by name, those with faults included. */
export const writtenPools = memo((policy: LintPolicy): readonly WrittenPool[] => {
  const { cluster, settings } = policy;
  const managed = cluster.nodes.filter((view) => view.managed);
  const nodes = Map.groupBy(managed, ({ poolName }) => poolName);
  return [...cluster.pools.values()]
    .filter((pool) => isGoverned(pool, settings) && documentsIn(policy).has(objectOf(pool)))
    .sort((a, b) => compareText(a.name, b.name))
    .map((pool) => ({ nodes: nodes.get(pool.name) ?? [], ...asWritten(pool, policy) }));
});

/** The valid pools. A pool with a fault disrupts nothing (C8), and its fault is reported. */
export const readPools = (policy: LintPolicy): WrittenPool[] => writtenPools(policy).filter(({ pool }) => !pool.fault);

/** Pools with written budgets, all of them valid. */
export const soundPools = (policy: LintPolicy): WrittenPool[] =>
  writtenPools(policy).filter(({ sound, budgets }) => sound && budgets.length > 0);

export const soundBudgets = (policy: LintPolicy): WrittenBudget[] =>
  soundPools(policy).flatMap(({ budgets }) => budgets);

export const writtenBudgets = (policy: LintPolicy): WrittenBudget[] =>
  writtenPools(policy).flatMap(({ budgets }) => budgets);

function asWritten(pool: Pool, policy: LintPolicy): Omit<WrittenPool, 'nodes'> {
  const [object, path] = [objectOf(pool), budgetsPath(pool)];
  const list = entriesOf(pool, policy);
  const written = (of: readonly Budget[]): WrittenBudget[] =>
    of.flatMap((budget) => {
      const entry = list[budget.index];
      return isMap(entry) ? [{ object, pool, ...budgetAsWritten(budget, entry, `${path}[${budget.index}]`) }] : [];
    });
  const [budgets, rates] = [pool.budgetsFrom === 'default' ? [] : written(pool.budgets), written(pool.rates)];
  const all = [...budgets, ...rates];
  const sound = all.length === list.length && all.every((budget) => budget.sound);
  return { pool, object, path, budgets, rates, sound };
}

function entriesOf(pool: Pool, policy: LintPolicy): readonly unknown[] {
  const written = (...keys: string[]): unknown => writtenAt(policy, objectOf(pool), ...keys);
  const list =
    pool.budgetsFrom === 'annotation'
      ? parseText(String(written('metadata', 'annotations', steering.budgets))).values[0]?.value
      : written('spec', 'disruption', 'budgets');
  return Array.isArray(list) ? list : [];
}

function budgetAsWritten(budget: Budget, entry: Json, path: string): Omit<WrittenBudget, 'object' | 'pool'> {
  const findings = new Findings(() => '', 'error', nowhere);
  const reader = new Reader(entry, findings);
  readBudget(reader, budget.index);
  const key = ['schedule', 'crontab'].find((name) => reader.has(name));
  const sound = findings.error === undefined;
  const always = sound && budget.window === undefined;
  const cron = key === undefined || always ? undefined : readCron(reader, key);
  const duration = readMinutes(reader, 'duration');
  const pathOf = (name: string, older: string): string =>
    `${path}.${older in entry && !(name in entry) ? older : name}`;
  return {
    budget,
    path,
    nodesPath: pathOf('nodes', 'maxUnavailable'),
    reasonsPath: pathOf('reasons', 'reason'),
    schedulePath: pathOf('schedule', 'crontab'),
    entry,
    sound,
    ...(key !== undefined && !always && { scheduleKey: key }),
    ...(cron && duration !== undefined && { schedule: { cron, duration } }),
  };
}

/** Topology budgets limit only drift; one that names only other reasons has no effect (C9). */
export const bindsDrift = (budget: Budget): budget is Budget & { readonly topologyKey: string } =>
  budget.topologyKey !== undefined && (budget.reasons === undefined || budget.reasons.has('Drifted'));
