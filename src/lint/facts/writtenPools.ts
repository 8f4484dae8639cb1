// How did people write a pool's budgets, and what did the engine make of each of them?
import type { Budget, Pool } from '../../cluster/model.ts';
import { isGoverned } from '../../engine/situation.ts';
import { steering } from '../../kinds/annotationName.ts';
import { readBudget } from '../../kinds/budget.ts';
import type { Document } from '../../kinds/documents.ts';
import { Findings, nowhere } from '../../kinds/findings.ts';
import { nameOfObject } from '../../kinds/metadata.ts';
import { isMap, type Json, Reader } from '../../kinds/reader.ts';
import { readCron, readMinutes } from '../../kinds/schedule.ts';
import { parseText } from '../../kinds/text.ts';
import type { Schedule } from '../../time/schedule.ts';
import type { Policy } from '../rule.ts';
import { budgetsPath } from './pools.ts';
import { valueAt, writtenAs } from './written.ts';

export interface WrittenPool {
  readonly pool: Pool;
  readonly object: string;
  readonly document: Document;
  /** Where the list stands. */
  readonly path: string;
  /** None where the pool has the default. */
  readonly budgets: readonly WrittenBudget[];
  /** All budgets could be read, so the engine's record of them is what was meant. */
  readonly sound: boolean;
}

export interface WrittenBudget {
  readonly budget: Budget;
  readonly path: string;
  readonly entry: Json;
  readonly sound: boolean;
  /** As it is spelled here: `schedule` or, of old, `crontab`. Absent = always. */
  readonly scheduleKey?: string;
  /** Absent where there is none, or it cannot be read. */
  readonly schedule?: Schedule;
}

/** The governed pools, by name, those with faults included. Worked out once for all rules that ask. */
export function writtenPools(policy: Policy): readonly WrittenPool[] {
  const known = pools.get(policy) ?? gather(policy);
  pools.set(policy, known);
  return known;
}

const pools = new WeakMap<Policy, readonly WrittenPool[]>();

function gather(policy: Policy): WrittenPool[] {
  return [...policy.cluster.pools.values()]
    .filter((pool) => isGoverned(pool, policy.settings))
    .flatMap((pool) => {
      const document = writtenAs(policy, `${pool.provisioner ? 'Provisioner' : 'NodePool'}/${pool.name}`);
      return document ? [asWritten(pool, document)] : [];
    })
    .sort((a, b) => (a.object < b.object ? -1 : 1));
}

function asWritten(pool: Pool, document: Document): WrittenPool {
  const path = budgetsPath(pool);
  const list = entriesOf(pool, document.object);
  const budgets =
    pool.budgetsFrom === 'default'
      ? []
      : pool.budgets.flatMap((budget) => {
          const entry = list[budget.index];
          return isMap(entry) ? [budgetAsWritten(budget, entry, `${path}[${budget.index}]`)] : [];
        });
  const sound = budgets.length === list.length && budgets.every((budget) => budget.sound);
  return { pool, object: nameOfObject(document.object), document, path, budgets, sound };
}

function entriesOf({ budgetsFrom }: Pool, object: Json): readonly unknown[] {
  const list =
    budgetsFrom === 'annotation'
      ? parseText(String(valueAt(object, 'metadata', 'annotations', steering.budgets))).values[0]?.value
      : valueAt(object, 'spec', 'disruption', 'budgets');
  return Array.isArray(list) ? list : [];
}

function budgetAsWritten(budget: Budget, entry: Json, path: string): WrittenBudget {
  const findings = new Findings(() => '', 'error', nowhere);
  const reader = new Reader(entry, findings);
  readBudget(reader, budget.index);
  const key = ['schedule', 'crontab'].find((name) => reader.has(name));
  const sound = findings.error === undefined;
  const always = sound && budget.window === undefined;
  const cron = key === undefined || always ? undefined : readCron(reader, key);
  const duration = readMinutes(reader, 'duration');
  return {
    budget,
    path,
    entry,
    sound,
    ...(key !== undefined && !always && { scheduleKey: key }),
    ...(cron && duration !== undefined && { schedule: { cron, duration } }),
  };
}
