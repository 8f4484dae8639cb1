// The test's own parsing of counts, durations, selectors and reasons.
import type { PlainCondition, PlainExpression, PlainSelector, Texts } from '../plain.ts';

const units: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000 };

/** Milliseconds; undefined = not a duration, or a negative one. */
export function readDuration(text: string): number | undefined {
  if (!/^(\d+[hms])+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * Number(units[unit ?? '']),
    0,
  );
}

/** B5: seconds are dropped; undefined if less than a minute remains. */
export function readMinutes(text: string): number | undefined {
  const minutes = Math.floor((readDuration(text) ?? 0) / 60_000);
  return minutes >= 1 ? minutes * 60_000 : undefined;
}

export interface Count {
  readonly number: number;
  readonly percent: boolean;
}

export function readCount(value: string | number): Count | undefined {
  const match = /^(\d+)(%?)$/.exec(String(value));
  if (!match || (match[2] === '%' && Number(match[1]) > 100)) return undefined;
  return { number: Number(match[1]), percent: match[2] === '%' };
}

/** C3: percentages round up. */
export const amountOf = ({ number, percent }: Count, of: number): number =>
  percent && number > 0 ? Math.ceil((number * of) / 100) : number;

const reasonNames: Record<string, string> = {
  unhealthy: 'Unhealthy',
  empty: 'Empty',
  drifted: 'Drifted',
  drift: 'Drifted',
  expired: 'Expired',
  expiration: 'Expired',
  rebalance: 'Rebalance',
  underutilized: 'Underutilized',
  consolidation: 'Underutilized',
};

export const readReason = (text: string): string | undefined => reasonNames[text.trim().toLowerCase()];

export const conditionIsTrue = (conditions: readonly PlainCondition[] | undefined, type: string): boolean =>
  conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

const isBadExpression = ({ operator, values = [] }: PlainExpression): boolean =>
  !['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'].includes(operator) ||
  (['In', 'NotIn'].includes(operator) && values.length === 0);

export const isBadSelector = ({ matchExpressions = [] }: PlainSelector): boolean =>
  matchExpressions.some(isBadExpression);

/** Parts that cannot be read are left out: the rest selects more, not less. */
export function selects({ matchLabels = {}, matchExpressions = [] }: PlainSelector, labels: Texts): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions
      .filter((expression) => !isBadExpression(expression))
      .every((expression) => meets(expression, labels))
  );
}

function meets({ key, operator, values = [] }: PlainExpression, labels: Texts): boolean {
  const value = labels[key];
  if (operator === 'Exists' || operator === 'DoesNotExist') return (value !== undefined) === (operator === 'Exists');
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  if (value === undefined) return false;
  if (operator === 'In') return values.includes(value);
  return operator === 'Gt' ? Number(value) > Number(values[0]) : Number(value) < Number(values[0]);
}
