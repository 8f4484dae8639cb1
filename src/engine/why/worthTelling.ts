// Hides consolidation verdicts that nobody acts on: most busy nodes could not be consolidated (A6).
import type { RefusalCode } from '../refusal.ts';
import type { Verdict } from '../verdict.ts';

const notWorthwhile: ReadonlySet<RefusalCode> = new Set([
  'NoPlacement',
  'NotCheaper',
  'NoPriceKnown',
  'KarpenterDeclined',
] as const);

export const isWorthTelling = ({ reason, outcome, refusals }: Verdict): boolean =>
  reason !== 'Underutilized' || outcome !== 'held' || !refusals.every(({ code }) => notWorthwhile.has(code));
