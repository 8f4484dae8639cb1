// For which reasons does the same hold? They are told together, so that what differs stands out.
import type { Reason } from '../../cluster/reason.ts';
import { type Bound, closed } from './bound.ts';
import { andList } from './lists.ts';
import type { Off } from './offWords.ts';
import type { ReasonRule } from './poolRule.ts';
import { type Circumstances, sayRule } from './ruleWords.ts';
import { type Segment, week } from './week.ts';

export interface ReasonGroup {
  readonly reasons: readonly Reason[];
  /** Karpenter's own reading of spec.disruption.budgets, which holds besides. Absent = Lull's. */
  readonly reader?: 'Karpenter';
  /** `Drifted and Expired`, `Every reason` */
  readonly subject: string;
  /** What is said of them; without the subject. */
  readonly text: string;
  /** What holds in each hour of a usual week. */
  readonly week: readonly Segment<Bound>[];
  /** Absent where the reason does not arise, nothing holds it, or the pool cannot be read. */
  readonly rule?: ReasonRule;
}

type Told = Omit<ReasonGroup, 'reasons' | 'subject' | 'reader'> & { readonly reason: Reason };

const free: Bound = { closed: false, domains: [] };

export const wholeWeek = (state: Bound): Segment<Bound>[] => [{ from: 0, to: week, state }];

export function tellReason(rule: ReasonRule, off: Off | undefined, circumstances: Circumstances): Told {
  const { reason, year } = rule;
  if (off) return { reason, text: `${off.text}.`, week: wholeWeek(off.never ? closed : free) };
  return { reason, text: `${sayRule(rule, circumstances).join('. ')}.`, week: year.usual, rule };
}

/** In the order of the first reason of each. */
export const grouped = (told: readonly Told[]): ReasonGroup[] =>
  alike(told).map(([first, reasons]) => groupOf(first, reasons, subjectOf(reasons, told)));

/** Karpenter's reading of the reasons for which it differs from Lull's. */
export function groupedByKarpenter(told: readonly Told[], own: readonly Told[]): ReasonGroup[] {
  const differing = told.filter(({ text }, index) => text !== own[index]?.text);
  return alike(differing).map(([first, reasons]) => ({
    ...groupOf(first, reasons, `${subjectOf(reasons, told)}, as Karpenter reads the spec`),
    reader: 'Karpenter',
  }));
}

const alike = (told: readonly Told[]): [Told, Reason[]][] =>
  [...Map.groupBy(told, ({ text }) => text).values()].map((its) => {
    const [first] = its as [Told, ...Told[]];
    return [first, its.map(({ reason }) => reason)];
  });

const subjectOf = (reasons: readonly Reason[], all: readonly Told[]): string =>
  reasons.length === all.length ? 'Every reason' : andList(reasons);

function groupOf({ reason: _, ...told }: Told, reasons: readonly Reason[], subject: string): ReasonGroup {
  return { ...told, reasons, subject };
}
