// Label and node selectors, tolerations and requirements, validated as Kubernetes validates them.
// An invalid node requirement of a pod matches no node, so that Lull never plans a pod where it might not run.

import { defined } from '../../cluster/defined.ts';
import type { Toleration } from '../../cluster/model.ts';
import type { Preference } from '../../cluster/scheduling.ts';
import {
  labelOf,
  type NodeSelector,
  type NodeTerm,
  type Operator,
  type Requirement,
  type Selector,
  type TextMap,
  wholeNumber,
} from '../../cluster/selector.ts';
import { orList, type Reader } from './reader.ts';

/** Operators of label selectors; of node selectors, which also compare numbers; and of Karpenter's requirements. */
export const labelOperators: readonly Operator[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];
export const nodeOperators: readonly Operator[] = [...labelOperators, 'Gt', 'Lt'];
export const allOperators: readonly Operator[] = [...nodeOperators, 'Gte', 'Lte'];

/** One expression; undefined, with a fault, if it is invalid. */
export function readRequirement(expression: Reader, allowed: readonly Operator[]): Requirement | undefined {
  const before = expression.findings.wrongs;
  const key = expression.text('key');
  const operator = expression.text('operator');
  const values = expression.texts('values');
  // A fault was reported above: a value that is not a string, or not a list.
  if (expression.findings.wrongs > before) return undefined;
  if (key === undefined || !isLabelName(key)) {
    return expression.wrong('key', 'label name', 'Use a label such as topology.kubernetes.io/zone.');
  }
  const known = allowed.find((each) => each === operator);
  if (known === undefined) {
    return expression.wrong('operator', 'operator', `Use ${orList(allowed)}.`);
  }
  const need = needOf(known, values, allowed);
  if (need === undefined) return { key, operator: known, values };
  expression.fault('values', `These values are not valid for operator ${operator}. ${need}`);
  return undefined;
}

/** What an operator needs instead of these values; undefined if they are valid. */
function needOf(operator: Operator, values: readonly string[], allowed: readonly Operator[]): string | undefined {
  if (operator === 'Exists' || operator === 'DoesNotExist') return values.length === 0 ? undefined : 'Remove values.';
  if (operator === 'In' || operator === 'NotIn') {
    return values.length > 0 && values.every(isLabelValue) ? undefined : 'Write at least one label value.';
  }
  const [bound = ''] = values;
  // Unlike Karpenter's, Kubernetes' own selectors accept only valid label values, so no negative numbers.
  const isAllowed = allowed.includes('Gte') || isLabelValue(bound);
  return values.length === 1 && wholeNumber(bound) !== undefined && isAllowed
    ? undefined
    : 'Write one whole number, in quotes.';
}

/** The valid requirements, and whether all are valid. */
export interface Requirements {
  readonly requirements: Requirement[];
  readonly sound: boolean;
}

/** Reads `matchLabels` and `matchExpressions` of the selector at a key. */
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

function readMatchLabels(selector: Reader): Requirement[] {
  const labels: TextMap = selector.textMap('matchLabels');
  const requirements: Requirement[] = [];
  for (const [key, value] of Object.entries(labels)) {
    if (isLabelName(key) && isLabelValue(value)) requirements.push({ key, operator: 'In', values: [value] });
    else selector.at('matchLabels').wrong(key, 'label', 'Use letters, digits, - _ and . in the name and in the value.');
  }
  return requirements;
}

/** A label selector for pods or namespaces. Invalid parts are dropped, so that it selects at least what was meant. */
export function readLabelSelector(reader: Reader, key: string): Selector {
  return { requirements: readSelectorParts(reader, key, labelOperators).requirements };
}

const name = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const maxPrefix = 253;

/** `name` or `prefix/name`. */
export function isLabelName(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return name.test(text);
  const prefix = text.slice(0, slash);
  return prefix.length <= maxPrefix && subdomain.test(prefix) && name.test(text.slice(slash + 1));
}

export const isLabelValue = (text: string): boolean => text === '' || name.test(text);

export const useSelector = 'Use a selector such as team=a,env!=prod or tier in (web,api).';

const part = /([^,(]*(?:\([^)]*\)\s*)?)(?:,|$)/y;
const comparison = /^([^\s=!]+)\s*(==?|!=)\s*(\S*)$/;
const membership = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/;

/** Undefined if the text is not a valid selector. */
export function parseSelector(text: string): Selector | undefined {
  const requirements: Requirement[] = [];
  for (part.lastIndex = 0; part.lastIndex < text.length; ) {
    const match = part.exec(text);
    const requirement = match && parseRequirement((match[1] ?? '').trim());
    if (!requirement || !isLabelName(requirement.key) || !requirement.values.every(isLabelValue)) return undefined;
    requirements.push(requirement);
  }
  return { requirements };
}

function parseRequirement(text: string): Requirement | undefined {
  const compared = comparison.exec(text);
  if (compared) {
    const [, key = '', sign, value = ''] = compared;
    return { key, operator: sign === '!=' ? 'NotIn' : 'In', values: [value] };
  }
  const member = membership.exec(text);
  if (member) {
    const [, key = '', word, list = ''] = member;
    return { key, operator: word === 'in' ? 'In' : 'NotIn', values: list.split(',').map((value) => value.trim()) };
  }
  if (text.startsWith('!')) return { key: text.slice(1).trim(), operator: 'DoesNotExist', values: [] };
  return text === '' ? undefined : { key: text, operator: 'Exists', values: [] };
}

export const formatSelector = ({ requirements }: Selector): string => requirements.map(formatRequirement).join(',');

function formatRequirement({ key, operator, values }: Requirement): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  const not = operator === 'NotIn';
  return values.length === 1
    ? `${key}${not ? '!=' : '='}${values[0]}`
    : `${key} ${not ? 'notin' : 'in'} (${values.join(',')})`;
}

const selectsNothing: Selector = { requirements: [], nothing: true };

/** An absent selector selects nothing, an empty one everything. */
export const readSelectorOrNothing = (holder: Reader, key: string): Selector =>
  holder.has(key) ? readLabelSelector(holder, key) : selectsNothing;

/** Adds the pod's own value of each label key; a label the pod does not have adds nothing. */
export function withLabelKeys(
  selector: Selector,
  labels: TextMap,
  keys: readonly string[],
  operator: 'In' | 'NotIn',
): Selector {
  if (selector.nothing || keys.length === 0) return selector;
  const added: Requirement[] = [];
  for (const key of keys) {
    const value = labelOf(labels, key);
    if (value === undefined || selector.requirements.some((it) => isEqual(it, key, operator, value))) continue;
    added.push({ key, operator, values: [value] });
  }
  return added.length === 0 ? selector : { requirements: [...selector.requirements, ...added] };
}

const isEqual = (requirement: Requirement, key: string, operator: string, value: string): boolean =>
  requirement.key === key &&
  requirement.operator === operator &&
  requirement.values.length === 1 &&
  requirement.values[0] === value;

/** For an invalid selector. */
export const noNodes: NodeSelector = { labels: {}, terms: [] };
const noNode: Requirement = { key: '', operator: 'In', values: [] };

export const readTolerations = (spec: Reader): Toleration[] => spec.maps('tolerations').map(readToleration);

function readToleration(toleration: Reader): Toleration {
  return defined<Toleration>({
    key: toleration.text('key'),
    operator: toleration.text('operator'),
    value: toleration.text('value'),
    effect: toleration.text('effect'),
  });
}

/** A pod's nodeSelector and required node affinity. */
export function readNodeSelector(spec: Reader): NodeSelector | undefined {
  const labels = spec.textMap('nodeSelector');
  const before = spec.findings.wrongs;
  const terms = readNodeTerms(
    spec.map('affinity').map('nodeAffinity').map('requiredDuringSchedulingIgnoredDuringExecution'),
  );
  if (!terms && spec.findings.wrongs > before) return noNodes;
  if (terms) return { labels, terms };
  return Object.keys(labels).length > 0 ? { labels } : undefined;
}

/** Undefined for every node. */
export const readNodeTerms = (selector: Reader): NodeTerm[] | undefined =>
  selector.has('nodeSelectorTerms') ? selector.maps('nodeSelectorTerms').map(readNodeTerm) : undefined;

function readNodeTerm(term: Reader): NodeTerm {
  const labels = term
    .maps('matchExpressions')
    .map((expression) => readRequirement(expression, nodeOperators) ?? noNode);
  return { labels, names: term.maps('matchFields').map(readName) };
}

/** Node names may be longer than label values, so the values are not validated as such. */
function readName(field: Reader): Requirement {
  const operator = field.oneOf('operator', ['In', 'NotIn']);
  return operator ? { key: field.text('key') ?? '', operator, values: field.texts('values') } : noNode;
}

export const readNodePreferences = (nodeAffinity: Reader): Preference[] =>
  nodeAffinity.maps('preferredDuringSchedulingIgnoredDuringExecution').flatMap((each) => {
    const before = each.findings.wrongs;
    const read = { weight: readWeight(each), node: readNodeTerm(each.map('preference')) };
    return each.findings.wrongs === before ? [read] : [];
  });

/** 1 to 100, as in the Kubernetes API. */
export function readWeight(preference: Reader): number {
  if (!preference.has('weight')) preference.fault('weight', 'weight is missing. Use a whole number from 1 to 100.');
  return preference.whole('weight', 1, 100) ?? 0;
}
