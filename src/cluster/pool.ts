// Helpers for pools: equality without status, faults, whether a pool consolidates, how long its drifted nodes wait, and its waves.
import type { Duration } from '../time/instant.ts';
import type { Fault } from './fault.ts';
import { memo } from './memo.ts';
import type { Budget, Pool, WaveBudget } from './model.ts';
import { fingerprint } from './names.ts';
import type { Settings } from './settings.ts';

/** Equal in everything that rules read. The status changes with every node, and rules read little of it. */
export const saysTheSame = (a: Pool, b: Pool): boolean => meaningOf(a) === meaningOf(b);

/** The whole pool as text; a window as its schedule text. */
const meaningOf = (pool: Pool): string =>
  JSON.stringify(pool, (_, value: unknown) => {
    if (value instanceof Set) return [...value];
    return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  });

/** Whether the pool allows this kind of consolidation at all (A3). */
export function consolidates(pool: Pool, reason: 'Empty' | 'Underutilized'): boolean {
  if (pool.replicas !== undefined || pool.consolidateAfter === 'Never') return false;
  return reason === 'Empty' || pool.consolidationPolicy !== 'WhenEmpty';
}

/** How long a drifted node waits, and the budget that says so; no `budget` = the pool's annotation. The longest counts (P7). */
export interface DriftWait {
  readonly wait: Duration;
  readonly budget?: Budget;
}

/** Undefined = a drifted node does not wait. */
export const driftWaitOf = memo(({ driftAfter, budgets }: Pool): DriftWait | undefined => {
  let longest: DriftWait | undefined = driftAfter === undefined ? undefined : { wait: driftAfter };
  for (const budget of budgets) {
    const { driftAfter: wait } = budget;
    if (wait !== undefined && (longest === undefined || wait > longest.wait)) longest = { wait, budget };
  }
  return longest && longest.wait > 0 ? longest : undefined;
});

const hasWaves = (budget: Budget): budget is WaveBudget => budget.waves !== undefined;

/** Of several budgets with waves only the first is used (P3). */
export const waveBudgetOf = memo(({ budgets }: Pool): WaveBudget | undefined => budgets.find(hasWaves));

/** Changes with what the pool asks for, not with its budgets. */
export const templatePrint = memo(({ template }: Pool): string => fingerprint(JSON.stringify(template)));

/** What a pool asks of its rolls: the waves of one budget, and when a roll halts. */
export interface RollRule {
  /** The budget with the waves, else the one with haltAfter. */
  readonly index: number;
  readonly waves: WaveBudget['waves'];
  readonly settle: Duration;
  /** Absent = a roll never halts. */
  readonly haltAfter?: { readonly failures: number; readonly index: number };
}

/** Failures in a row after which a roll in waves halts, unless its budgets say otherwise (P5). */
const defaultHaltAfter = 3;

/** Undefined = the pool asks nothing, and its rolls are not recorded (P4). Of several budgets the first counts. */
export const rollRuleOf = memo((pool: Pool): RollRule | undefined => {
  const waved = waveBudgetOf(pool);
  const halting = pool.budgets.find(({ haltAfter }) => haltAfter !== undefined);
  const budget = waved ?? halting;
  if (!budget) return undefined;
  const failures = halting?.haltAfter ?? (waved ? defaultHaltAfter : 0);
  const haltAfter = failures > 0 ? { failures, index: (halting ?? budget).index } : undefined;
  return { index: budget.index, waves: waved?.waves ?? [], settle: budget.settle, ...(haltAfter && { haltAfter }) };
});

/** The fault that holds the pool's nodes (C8). In guide mode, also what Karpenter cannot read (N4). */
export const faultOf = ({ fault, karpenterFault }: Pool, { role }: Settings): Fault | undefined =>
  fault ?? (role === 'guide' ? karpenterFault : undefined);
