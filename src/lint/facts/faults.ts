// Under which rule is a fault of reading told? By what it is about.
import type { Fault } from '../../cluster/fault.ts';
import type { Finding, Policy } from '../rule.ts';

type FaultRule = 'fault' | 'old-spelling' | 'unknown-field' | 'per-reason-blocks' | 'note';

/** The faults that are told under one rule, in their own words. */
export const ofFaults = ({ cluster }: Policy, rule: FaultRule): Finding[] =>
  cluster.faults
    .filter((fault) => ruleOf(fault) === rule)
    .map(({ object, path, message, severity }) => ({ rule, severity, object, path, message }));

/** The readers say in the same words what they do not accept, what was written so of old, and what is nearly known. */
export function ruleOf({ severity, message, value }: Fault): FaultRule | undefined {
  // Empty lists have rules of their own, which say more.
  if (severity === 'warning' && Array.isArray(value) && value.length === 0) return undefined;
  if (/^What stands under \w+ is not read/.test(message)) return 'per-reason-blocks';
  if (severity !== 'info') return 'fault';
  if (/\bolder\b|means always/.test(message)) return 'old-spelling';
  return /Did you mean/.test(message) ? 'unknown-field' : 'note';
}
