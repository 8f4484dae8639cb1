// Which verdicts does nobody miss? Most busy nodes could not be consolidated; that is told only to who asks for all (A6).
import type { RefusalCode } from '../engine/refusal.ts';
import type { Verdict } from '../engine/verdict.ts';

const notWorthwhile: ReadonlySet<RefusalCode> = new Set([
  'NoPlacement',
  'NotCheaper',
  'NoPriceKnown',
  'KarpenterDeclined',
] as const);

export const isWorthTelling = ({ reason, outcome, refusals }: Verdict): boolean =>
  reason !== 'Underutilized' || outcome !== 'held' || !refusals.every(({ code }) => notWorthwhile.has(code));
