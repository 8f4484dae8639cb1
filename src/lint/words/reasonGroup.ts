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
  /** `Drifted and Expired`, `Every reason` */
  readonly subject: string;
  /** What is said of them; without the subject. */
  readonly text: string;
  /** What holds in each hour of a usual week. */
  readonly week: readonly Segment<Bound>[];
  /** Absent where the reason does not arise, nothing holds it, or the pool cannot be read. */
  readonly rule?: ReasonRule;
}

type Told = Omit<ReasonGroup, 'reasons' | 'subject'> & { readonly reason: Reason };

const free: Bound = { closed: false, domains: [] };

export const wholeWeek = (state: Bound): Segment<Bound>[] => [{ from: 0, to: week, state }];

export function tellReason(rule: ReasonRule, off: Off | undefined, circumstances: Circumstances): Told {
  const { reason, year } = rule;
  if (off) return { reason, text: `${off.text}.`, week: wholeWeek(off.never ? closed : free) };
  return { reason, text: `${sayRule(rule, circumstances).join('. ')}.`, week: year.usual, rule };
}

/** In the order of the first reason of each. */
export const grouped = (told: readonly Told[]): ReasonGroup[] =>
  [...Map.groupBy(told, ({ text }) => text).values()].map((its) => {
    const [{ reason: _, ...first }] = its as [Told, ...Told[]];
    const reasons = its.map(({ reason }) => reason);
    return { ...first, reasons, subject: reasons.length === told.length ? 'Every reason' : andList(reasons) };
  });
