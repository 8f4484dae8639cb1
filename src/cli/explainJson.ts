// How is an explanation told to a program? The same sentences, and the hours of the week behind them.
import { budgetReasons, type Reason } from '../cluster/reason.ts';
import { amountOf } from '../engine/limits/budgets.ts';
import { formatNodeCount } from '../kinds/nodeCount.ts';
import type { Bound } from '../lint/words/bound.ts';
import type { Size } from '../lint/words/boundWords.ts';
import { sayClock, weekdays } from '../lint/words/clockWords.ts';
import type { Named, PolicyWords } from '../lint/words/policyWords.ts';
import type { PoolWords } from '../lint/words/poolWords.ts';
import type { ReasonGroup } from '../lint/words/reasonGroup.ts';
import type { Segment } from '../lint/words/week.ts';
import { day, formatInstant, type Instant, minute } from '../time/instant.ts';

export const explanationAsJson = (words: PolicyWords, now: Instant): Record<string, unknown> => ({
  at: formatInstant(now),
  pools: words.pools.map(poolAsJson),
  windows: words.windows.map(sayNamed),
  podSchedules: words.podSchedules.map(sayNamed),
  pods: words.pods,
  faults: words.faults.map(({ object, path, message, severity }) => ({ object, path, message, severity })),
  everywhere: words.everywhere,
});

const poolAsJson = ({ name, zone, size, standing, groups, notes }: PoolWords): Record<string, unknown> => ({
  name,
  zone: zone.name,
  nodes: size.counted,
  sentences: standing === undefined ? [...groups.map(sayGroup), ...notes] : [`${name}: ${standing}`],
  reasons: budgetReasons.flatMap((reason) => {
    const mine = groups.filter(({ reasons }) => reasons.includes(reason));
    const theirs = mine.find(({ reader }) => reader === 'Karpenter');
    return mine
      .filter((group) => group !== theirs)
      .map((group) => ({
        ...reasonAsJson(reason, group, size),
        ...(theirs && { karpenter: reasonAsJson(reason, theirs, size) }),
      }));
  }),
});

const sayGroup = ({ subject, text }: ReasonGroup): string => `${subject}: ${text}`;
const sayNamed = ({ name, text }: Named): unknown => ({ name, sentence: `${name}: ${text}` });

function reasonAsJson(reason: Reason, group: ReasonGroup, size: Size): Record<string, unknown> {
  const week = group.week.map((segment) => segmentAsJson(segment, size));
  return { reason, sentence: `${reason}: ${group.text}`, week };
}

/** Neither closed nor atMost nor domains = without any limit. `limit` is today's number, where there are nodes to count. */
function segmentAsJson({ from, to, state }: Segment<Bound>, { counted }: Size): Record<string, unknown> {
  const { count, percent } = state.cap ?? {};
  const limits = [count, percent === undefined || counted === 0 ? undefined : amountOf({ percent }, counted)];
  const known = limits.filter((limit) => limit !== undefined);
  const isKnown = state.cap && (counted > 0 || percent === undefined);
  return {
    from: sayMoment(from, 0),
    to: sayMoment(to, 1),
    ...(state.closed && { closed: true }),
    ...(isKnown && { limit: Math.min(...known) }),
    ...(state.cap && {
      atMost: [
        ...(count === undefined ? [] : [formatNodeCount({ count })]),
        ...(percent === undefined ? [] : [formatNodeCount({ percent })]),
      ],
    }),
    ...(state.domains.length > 0 && {
      domains: state.domains.map(({ topologyKey, nodes, sequential }) => ({
        topologyKey,
        nodes: formatNodeCount(nodes),
        sequential,
      })),
    }),
  };
}

/** `Mon 09:00`; an end at midnight is the day's `24:00`. */
function sayMoment(time: number, end: 0 | 1): string {
  const days = end ? Math.ceil(time / day) - 1 : Math.floor(time / day);
  return `${(weekdays[days] ?? '').slice(0, 3)} ${sayClock((time - days * day) / minute)}`;
}
