// Which fields has a budget (C1), and what can admission check of it? Karpenter's fields, and those that Lull adds to them.
import { budgetReasons } from '../../cluster/reason.ts';
import { type Fields, flag, list, type Rule, record, type Schema, withRules } from './schema.ts';
import { choices, cron, elapsed, karpenterOpenFor, labelName, nodeCount, timeZone } from './texts.ts';

/** C1, and as many as Karpenter's own CRD admits. */
const maxBudgets = 50;
const defaultNodes = '10%';

const karpenterFields: Fields = {
  nodes: nodeCount(
    'How many nodes of the pool may be going at once: a number, or a percentage rounded up.',
    defaultNodes,
  ),
  reasons: choices(
    'The reasons it is for; where it is absent, all that no other budget names.',
    'Why a node would go.',
    budgetReasons,
  ),
  schedule: cron('When it becomes active: minute, hour, day of month, month and day of week, or one such as @daily.'),
  duration: karpenterOpenFor('How long it stays active from each hit of the schedule on, such as 8h or 1h30m.'),
};

/** C1: what Karpenter does not know. */
export const addedBudgetFields: Fields = {
  timeZone,
  topologyKey: labelName(
    'The node label by whose values drift is limited: the limit then holds for each value by itself.',
  ),
  sequential: flag('Whether the domains of topologyKey go one after another instead of all at once.'),
  settle: elapsed('How long a domain must have been well before the next one begins; 0s where it is absent.'),
  patience: elapsed('After how long without progress the next domain begins; 1h where it is absent.'),
};

/** What both must name for the rule to be theirs: somebody else may have written the same check in other words. */
export interface PairRule extends Rule {
  readonly about: readonly [string, string];
}

export const budgetRules: readonly PairRule[] = [
  {
    about: ['schedule', 'duration'],
    rule: 'has(self.schedule) == has(self.duration)',
    message: "'schedule' and 'duration' are given together or not at all",
  },
  {
    about: ['sequential', 'topologyKey'],
    rule: '!has(self.sequential) || !self.sequential || has(self.topologyKey)',
    message: "'sequential' requires 'topologyKey'",
  },
];

export const budgets: Schema = list(
  'How many nodes may go at once, for which reasons and when; an empty list sets no limit at all.',
  withRules(
    record('One limit.', { ...karpenterFields, ...addedBudgetFields }),
    ...budgetRules.map(({ rule, message }) => ({ rule, message })),
  ),
  { maxItems: maxBudgets, default: [{ nodes: defaultNodes }] },
);
