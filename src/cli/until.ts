// How long will it stay held? Until an instant, where time alone lifts every refusal; else who or what has to move first.
import type { Refusal, RefusalCode } from '../engine/refusal.ts';
import type { Allowance, Verdict } from '../engine/verdict.ts';
import { type Instant, latest } from '../time/instant.ts';
import { sayMoment } from './moment.ts';

export type Until = { readonly at: Instant } | 'the cluster changes' | 'someone acts';

/** What stands until a person writes something else. All other refusals without an end are lifted by work going on. */
const personal: ReadonlySet<RefusalCode> = new Set([
  'PoolMissing',
  'PoolFault',
  'PolicyOff',
  'NodeOptedOut',
  'ConsolidationOptedOut',
  'RepairOptedOut',
  'Held',
  'PodOptedOut',
  'PodScheduleClosed',
  'PodBlocked',
  'PdbOverlap',
  'WindowBlocks',
  'WindowNotOpen',
  'WindowFault',
] as const);

export function untilWhen({ pool, reason, refusals }: Verdict, allowances: readonly Allowance[]): Until {
  const lasting = refusals.filter(({ liftsAt }) => liftsAt === undefined);
  const isFrozen = allowances.some((it) => it.pool === pool && it.reason === reason && it.limit === 0);
  const needsPerson = ({ code }: Refusal): boolean => personal.has(code) || (code === 'BudgetSpent' && isFrozen);
  if (lasting.some(needsPerson)) return 'someone acts';
  const at = refusals.map(({ liftsAt }) => liftsAt).reduce(latest, undefined);
  return lasting.length > 0 || at === undefined ? 'the cluster changes' : { at };
}

export const sayUntil = (until: Until, now: Instant): string =>
  `until ${typeof until === 'string' ? until : sayMoment(until.at, now)}`;
