// How would Karpenter itself read these budgets (N4)? Only the fields and spellings it admits; what it rejects is left out.
import type { Budget } from '../cluster/model.ts';
import { defaultBudgets, maxBudgets, readBudget } from './budget.ts';
import { Findings, nowhere } from './findings.ts';
import { isMap, type Json, Reader } from './reader.ts';
import { parseSchedule } from './schedule.ts';

/** The reasons of Karpenter 1.15; a budget with any other is rejected. */
const reasons = new Set<unknown>(['Underutilized', 'Empty', 'Drifted', 'Unhealthy']);
const duration = /^(\d+[hm]|\d+h\d+m)(0s)?$/;

export function readKarpenterBudgets(list: unknown): readonly Budget[] {
  if (list === undefined) return defaultBudgets;
  if (!Array.isArray(list)) return [];
  return list.slice(0, maxBudgets).flatMap((entry, index) => (isMap(entry) ? readAdmitted(entry, index) : []));
}

/** What our budgets may say and Karpenter's may not: the field of the first entry that does. */
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

/** Names of older documents (C2). The API server rejects an entry that has one, or drops the field. */
const olderNames = ['maxUnavailable', 'crontab', 'reason'];

function readAdmitted(entry: Json, index: number): Budget[] {
  if (!isAdmitted(entry) || olderNames.some((name) => name in entry)) return [];
  const findings = new Findings(() => '', 'error', nowhere);
  // It knows no zones and no domains: a topology budget is a flat one to it.
  const { nodes, reasons, schedule, duration } = entry;
  const budget = readBudget(new Reader({ nodes, reasons, schedule, duration }, findings), index);
  return findings.error ? [] : [budget];
}

function isAdmitted({ nodes, reasons: named, schedule, duration: lasting }: Json): boolean {
  if (nodes !== undefined && typeof nodes !== 'string') return false;
  // An empty list of reasons is admitted, but then the budget never applies.
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
