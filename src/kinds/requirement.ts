// Which labels does an expression ask for? Requirements of selectors, affinities, windows and pools, checked as Kubernetes checks them.
import { type Operator, type Requirement, type Selector, type TextMap, wholeNumber } from '../cluster/selector.ts';
import { isLabelName, isLabelValue } from './labelName.ts';
import { faultUnknownFields } from './nearMiss.ts';
import { orList, type Reader } from './reader.ts';

/** A label selector knows these; node selectors compare numbers too; Karpenter's requirements know all. */
export const labelOperators: readonly Operator[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];
export const nodeOperators: readonly Operator[] = [...labelOperators, 'Gt', 'Lt'];
export const allOperators: readonly Operator[] = [...nodeOperators, 'Gte', 'Lte'];

/** One expression; undefined, with a fault, where it cannot be what anybody meant. */
export function readRequirement(expression: Reader, allowed: readonly Operator[]): Requirement | undefined {
  const before = expression.findings.wrongs;
  const key = expression.text('key');
  const operator = expression.text('operator');
  const values = expression.texts('values');
  // Said already: a value that is no text, or a list that is none.
  if (expression.findings.wrongs > before) return undefined;
  if (key === undefined || !isLabelName(key)) {
    return expression.wrong('key', 'label name', 'Use a label such as topology.kubernetes.io/zone.');
  }
  if (!allowed.includes(operator as Operator)) {
    return expression.wrong('operator', 'operator known here', `Use ${orList(allowed)}.`);
  }
  const need = needOf(operator as Operator, values, allowed);
  if (need === undefined) return { key, operator: operator as Operator, values };
  expression.fault('values', `${operator} cannot be asked with these values. ${need}`);
  return undefined;
}

/** What an operator would need instead of these values; undefined where they are right. */
function needOf(operator: Operator, values: readonly string[], allowed: readonly Operator[]): string | undefined {
  if (operator === 'Exists' || operator === 'DoesNotExist')
    return values.length === 0 ? undefined : 'Leave values out.';
  if (operator === 'In' || operator === 'NotIn') {
    return values.length > 0 && values.every(isLabelValue) ? undefined : 'Give at least one label value.';
  }
  const [bound = ''] = values;
  // Kubernetes' own selectors (unlike Karpenter's) take only what could stand in a label: nothing below zero.
  const mayStand = allowed.includes('Gte') || isLabelValue(bound);
  return values.length === 1 && wholeNumber(bound) !== undefined && mayStand
    ? undefined
    : 'Give one whole number, in quotes.';
}

/** The requirements that could be read, and whether all could. */
export interface Requirements {
  readonly requirements: Requirement[];
  readonly sound: boolean;
}

/** `matchLabels` and `matchExpressions` of the selector at a key. */
export function readSelectorParts(holder: Reader, key: string, allowed: readonly Operator[]): Requirements {
  const before = holder.findings.wrongs;
  const selector = holder.map(key);
  const requirements = readMatchLabels(selector);
  for (const expression of selector.maps('matchExpressions')) {
    const requirement = readRequirement(expression, allowed);
    if (requirement) requirements.push(requirement);
  }
  return { requirements, sound: holder.findings.wrongs === before };
}

/** Of selectors in Lull's own kinds; others may know more fields (K4). To be asked after the selector was read. */
export function faultUnknownInSelector(holder: Reader, key: string): void {
  const selector = holder.at(key);
  faultUnknownFields(selector, ['matchLabels', 'matchExpressions'], 'warning');
  for (const expression of selector.maps('matchExpressions')) {
    faultUnknownFields(expression, ['key', 'operator', 'values'], 'warning');
  }
}

function readMatchLabels(selector: Reader): Requirement[] {
  const labels: TextMap = selector.textMap('matchLabels');
  const requirements: Requirement[] = [];
  for (const [key, value] of Object.entries(labels)) {
    if (isLabelName(key) && isLabelValue(value)) requirements.push({ key, operator: 'In', values: [value] });
    else selector.at('matchLabels').wrong(key, 'label', 'Use letters, digits, - _ and . in the name and in the value.');
  }
  return requirements;
}

/** A label selector of pods or namespaces. What is wrong in it is left out, so that it means at least what it was meant to mean. */
export function readLabelSelector(reader: Reader, key: string): Selector {
  return { requirements: readSelectorParts(reader, key, labelOperators).requirements };
}
