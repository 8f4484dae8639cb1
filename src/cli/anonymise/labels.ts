// Rules for labels and what selects by them: well-known keys are kept, values only where they are numbers, flags or one of few words.
import { isLabelName, isLabelValue } from '../../kinds/labelName.ts';
import { isMap } from '../../kinds/reader.ts';
import { amountKeys, knownKeys, knownResources, namingKeys, wordKeys } from './allowed.ts';
import type { Masks, Sort } from './masks.ts';
import { each, fields, mapEntries, masked, oneOf, type Rule } from './rules.ts';
import { instant, number, quantity } from './values.ts';

export function keyOf(key: string, masks: Masks): string {
  if (key === '' || knownKeys.has(key)) return key;
  // What Kubernetes would not take for a label is found to be none again.
  return `${masks.name('key', key)}${isLabelName(key) ? '' : '!'}`;
}

export const labelKey: Rule = (value, masks) =>
  typeof value === 'string' ? keyOf(value, masks) : masked(value, masks);

export const plainWords = new Set(['', 'true', 'false']);
const wholeNumber = /^-?\d{1,15}$/;
const amount = /^\d{1,15}(\.\d{1,15})?([KMGT]i)?$/;

/** Several zones of a volume are written `a__b`. */
const places = new Set<Sort>(['zone', 'region']);

export function labelValue(key: string, value: string, masks: Masks): string {
  const sort = namingKeys.get(key);
  if (sort && places.has(sort))
    return value
      .split('__')
      .map((place) => masks.name(sort, place.trim()))
      .join('__');
  const valid = isLabelValue(value) ? '' : '!';
  if (sort) return `${masks.name(sort, value)}${valid}`;
  const isKept =
    plainWords.has(value) ||
    wordKeys.get(key)?.has(value) ||
    (masks.numeric.has(key) && wholeNumber.test(value)) ||
    (amountKeys.has(key) && amount.test(value));
  return isKept ? value : `${masks.name('value', value)}${valid}`;
}

export const labels: Rule = (value, masks) =>
  mapEntries(value, masks, (key, text) => [
    keyOf(key, masks),
    typeof text === 'string' ? labelValue(key, text, masks) : masked(text, masks),
  ]);

const numericOperators = new Set<unknown>(['Gt', 'Lt', 'Gte', 'Lte']);
const operator: Rule = oneOf('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte', 'Equal');

/** `key operator values`, of selectors, requirements and affinities. */
export const requirements: Rule = each((value, masks) => {
  const about = isMap(value) && typeof value.key === 'string' ? value.key : '';
  if (isMap(value) && numericOperators.has(value.operator)) masks.numeric.add(about);
  return fields({
    key: labelKey,
    operator,
    values: each((text) => (typeof text === 'string' ? labelValue(about, text, masks) : masked(text, masks))),
    minValues: number,
  })(value, masks);
});

export const selector: Rule = fields({ matchLabels: labels, matchExpressions: requirements });

/** Amounts by resource. */
export const resources: Rule = (value, masks) =>
  mapEntries(value, masks, (key, inside) => [
    knownResources.test(key) ? key : masks.name('key', key),
    quantity(inside, masks),
  ]);

/** Taints and tolerations. */
export const taints: Rule = each((value, masks) => {
  const about = isMap(value) && typeof value.key === 'string' ? value.key : '';
  return fields({
    key: labelKey,
    operator,
    value: (text) => (typeof text === 'string' ? labelValue(about, text, masks) : masked(text, masks)),
    effect: oneOf('', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'),
    timeAdded: instant,
    tolerationSeconds: number,
  })(value, masks);
});
