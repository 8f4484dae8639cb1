// Which labels does "team=a,env!=prod" mean? Label selectors in one line, as kubectl reads them, and back.
import type { Requirement, Selector } from '../cluster/selector.ts';
import { isLabelName, isLabelValue } from './labelName.ts';

export const useSelector = 'Use a selector such as team=a,env!=prod or tier in (web,api).';

const part = /([^,(]*(?:\([^)]*\)\s*)?)(?:,|$)/y;
const comparison = /^([^\s=!]+)\s*(==?|!=)\s*(\S*)$/;
const membership = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/;

/** Undefined where the text is no selector. */
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
