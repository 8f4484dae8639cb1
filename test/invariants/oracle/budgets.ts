// The test's own limits of pools and domains, from the plain budgets (C5, C9).
import type { PlainBudget, PlainPool } from '../plain.ts';
import { type Hours, isOpen, isZone, readHours } from './clock.ts';
import type { Host, Seen } from './cluster.ts';
import { isRequested } from './people.ts';
import { amountOf, type Count, readCount, readDuration, readMinutes, readReason } from './reading.ts';

export interface Budget {
  readonly count: Count;
  readonly reasons?: readonly string[];
  readonly hours?: Hours;
  readonly topologyKey?: string;
  readonly sequential: boolean;
  /** In milliseconds (P7). */
  readonly driftAfter: number;
  readonly waves?: readonly Count[];
  /** In milliseconds; present = a rate (P1). */
  readonly per?: number;
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
  const driftAfter = readDuration(plain.driftAfter ?? '0s');
  const mayWait = reasons?.includes('Drifted') && (plain.schedule ?? plain.crontab) === undefined;
  if (driftAfter === undefined || (plain.driftAfter !== undefined && !mayWait)) return undefined;
  const hours = readWhen(plain.schedule ?? plain.crontab, duration, timeZone);
  const waves = plain.waves?.map(readCount);
  if (hours === undefined || (plain.waves && new Set(plain.waves).size < plain.waves.length)) return undefined;
  return {
    count,
    ...(reasons && reasons.length > 0 && { reasons: reasons as string[] }),
    ...(hours !== 'always' && { hours }),
    ...(topologyKey && { topologyKey }),
    sequential,
    driftAfter,
    ...(waves && { waves: waves.flatMap((wave) => wave ?? []) }),
    ...(plain.per !== undefined && { per: readDuration(plain.per) ?? 0 }),
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

export const activeNow = (budgets: readonly Budget[], { now }: Seen): Budget[] =>
  budgets.filter(({ hours }) => !hours || isOpen(hours, now));

/** C5. Infinity = no limit. */
export function limitOf(budgets: readonly Budget[], reason: string, counted: number, seen: Seen): number {
  const active = activeNow(budgets, seen).filter(
    ({ topologyKey, per }) => topologyKey === undefined && per === undefined,
  );
  const named = active.filter(({ reasons }) => reasons?.includes(reason));
  const unnamed = active.filter(({ reasons }) => !reasons);
  const ceiling = seen.plain.settings.defaultBudgets === 'ceiling';
  const freezes = unnamed.filter(({ count }) => count.number === 0);
  const binding = ceiling ? [...named, ...unnamed] : named.length > 0 ? [...named, ...freezes] : unnamed;
  return Math.min(...binding.map(({ count }) => amountOf(count, counted)));
}

/** When a node's drift is old enough (P7); Infinity = unknown. Drift that Lull detects itself counts from when it was first seen: now. */
export function driftOldAt(host: Host, seen: Seen): number {
  const { pool, claim } = host;
  const { now, plain } = seen;
  const annotated = pool?.metadata.annotations?.['lull.dev/drift-after'];
  const waits = [
    annotated ? readDuration(annotated) : 0,
    ...((pool && readBudgets(pool)) ?? []).map((it) => it.driftAfter),
  ];
  const wait = Math.max(...waits.map((it) => it ?? 0));
  if (wait === 0) return -Infinity;
  const drifted = claim?.status.conditions?.find(({ type, status }) => type === 'Drifted' && status === 'True');
  // A node whose replacement was only requested is not drifted (Q1).
  if (!drifted && isRequested(host, seen)) return -Infinity;
  if (drifted) return drifted.lastTransitionTime ? Date.parse(drifted.lastTransitionTime) + wait : Infinity;
  return plain.settings.role === 'drive' || plain.settings.role === 'guide' ? now + wait : Infinity;
}

/** C9, C15: those that limit drift by domain now. */
export function topologyBudgets(budgets: readonly Budget[], seen: Seen): Budget[] {
  const active = activeNow(budgets, seen).filter(
    ({ topologyKey, reasons }) => topologyKey !== undefined && (!reasons || reasons.includes('Drifted')),
  );
  const first = active.find(({ sequential }) => sequential);
  return active.filter((budget) => !budget.sequential || budget === first);
}
