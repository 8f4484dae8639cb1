// How many nodes of a pool or of a domain may be gone at once (C5, C9)? Read from the plain budgets, counted by hand.
import type { PlainBudget, PlainPool } from '../plain.ts';
import { type Hours, isOpen, isZone, readHours } from './clock.ts';
import type { Seen } from './cluster.ts';
import { amountOf, type Count, readCount, readDuration, readMinutes, readReason } from './reading.ts';

export interface Budget {
  readonly count: Count;
  readonly reasons?: readonly string[];
  readonly hours?: Hours;
  readonly topologyKey?: string;
  readonly sequential: boolean;
}

/** Undefined = something on the pool cannot be read (C8). */
export function readBudgets({ metadata, spec }: PlainPool): readonly Budget[] | undefined {
  const annotated = metadata.annotations?.['lull.dev/budgets'];
  const list: readonly PlainBudget[] = annotated
    ? JSON.parse(annotated)
    : (spec.disruption?.budgets ?? [{ nodes: '10%' }]);
  const budgets = list.map(readBudget);
  const { consolidateAfter = 'Never' } = spec.disruption ?? {};
  if (consolidateAfter !== 'Never' && readDuration(consolidateAfter) === undefined) return undefined;
  return budgets.includes(undefined) ? undefined : (budgets as Budget[]);
}

function readBudget(plain: PlainBudget): Budget | undefined {
  const { duration, timeZone, topologyKey, sequential = false } = plain;
  const count = readCount(plain.nodes ?? plain.maxUnavailable ?? '10%');
  const named = plain.reasons ?? (plain.reason === undefined ? undefined : [plain.reason]);
  const reasons = named?.map(readReason);
  if (!count || reasons?.includes(undefined) || (sequential && !topologyKey)) return undefined;
  const hours = readWhen(plain.schedule ?? plain.crontab, duration, timeZone);
  if (hours === undefined) return undefined;
  return {
    count,
    ...(reasons && reasons.length > 0 && { reasons: reasons as string[] }),
    ...(hours !== 'always' && { hours }),
    ...(topologyKey && { topologyKey }),
    sequential,
  };
}

function readWhen(
  cron: string | undefined,
  duration: string | undefined,
  zone: string | undefined,
): Hours | 'always' | undefined {
  if (cron === undefined) return duration === undefined ? 'always' : undefined;
  if (duration === undefined) return cron === '* * * * *' ? 'always' : undefined;
  const minutes = readMinutes(duration);
  const hours = minutes !== undefined && isZone(zone ?? 'UTC') ? readHours(cron, minutes, zone) : undefined;
  return hours === 'never' ? undefined : hours;
}

const activeNow = (budgets: readonly Budget[], { now }: Seen): Budget[] =>
  budgets.filter(({ hours }) => !hours || isOpen(hours, now));

/** C5. Infinity = no limit. */
export function limitOf(budgets: readonly Budget[], reason: string, counted: number, seen: Seen): number {
  const active = activeNow(budgets, seen).filter(({ topologyKey }) => topologyKey === undefined);
  const named = active.filter(({ reasons }) => reasons?.includes(reason));
  const unnamed = active.filter(({ reasons }) => !reasons);
  const ceiling = seen.plain.settings.defaultBudgets === 'ceiling';
  const freezes = unnamed.filter(({ count }) => count.number === 0);
  const binding = ceiling ? [...named, ...unnamed] : named.length > 0 ? [...named, ...freezes] : unnamed;
  return Math.min(...binding.map(({ count }) => amountOf(count, counted)));
}

/** C9, C15: those that bind drift by domain now. */
export function topologyBudgets(budgets: readonly Budget[], seen: Seen): Budget[] {
  const active = activeNow(budgets, seen).filter(
    ({ topologyKey, reasons }) => topologyKey !== undefined && (!reasons || reasons.includes('Drifted')),
  );
  const first = active.find(({ sequential }) => sequential);
  return active.filter((budget) => !budget.sequential || budget === first);
}
