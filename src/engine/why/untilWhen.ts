// How long will it stay held? Until an instant, where time alone lifts every refusal; else who or what has to move first.
import { type Instant, latest } from '../../time/instant.ts';
import type { Refusal, RefusalCode } from '../refusal.ts';
import type { Allowance, Verdict } from '../verdict.ts';

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

export function untilWhen(verdict: Verdict, allowances: readonly Allowance[]): Until {
  const { refusals } = verdict;
  const lasting = refusals.filter(({ liftsAt }) => liftsAt === undefined);
  if (lasting.some((refusal) => needsPerson(refusal, verdict, allowances))) return 'someone acts';
  const at = refusals.map(({ liftsAt }) => liftsAt).reduce(latest, undefined);
  return lasting.length > 0 || at === undefined ? 'the cluster changes' : { at };
}

export function needsPerson(
  { code, liftsAt }: Refusal,
  { pool, reason }: Pick<Verdict, 'pool' | 'reason'>,
  allowances: readonly Allowance[],
): boolean {
  if (liftsAt !== undefined) return false;
  const isFrozen = (): boolean => allowances.some((it) => it.pool === pool && it.reason === reason && it.limit === 0);
  return personal.has(code) || (code === 'BudgetSpent' && isFrozen());
}
