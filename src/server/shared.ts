// Which refusals come from what many wishes draw on? They lift as others go, and nobody need do anything about them.
import type { RefusalCode } from '../engine/refusal.ts';

/** Budgets, turns, caps; and what is asked only of those whom nothing else holds. */
const shared: ReadonlySet<RefusalCode> = new Set([
  'BudgetSpent',
  'DomainBudgetSpent',
  'NotItsTurn',
  'AnotherDomainInFlight',
  'DomainSettling',
  'WindowCapSpent',
  'KarpenterBudget',
  'ReplacementSlow',
  'NoPlacement',
  'NotCheaper',
  'NoPriceKnown',
  'KarpenterDeclined',
] as const);

export const isShared = (code: RefusalCode): boolean => shared.has(code);

/** It is going, for another reason: nothing holds it. */
export const isLeaving = (codes: readonly { readonly code: RefusalCode }[]): boolean =>
  codes.some(({ code }) => code === 'AlreadyUnderway');
