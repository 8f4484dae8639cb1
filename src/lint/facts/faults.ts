// Under which rule is a fault of reading told? By what it is about.
import type { Fault } from '../../cluster/fault.ts';
import { splitPath } from '../../kinds/path.ts';
import type { Finding, Policy } from '../rule.ts';
import { podFacts } from './pods.ts';
import { templatesIn } from './templates.ts';

type FaultRule = 'fault' | 'old-spelling' | 'unknown-field' | 'per-reason-blocks' | 'note';

/** The faults that are told under one rule, in their own words. */
export const ofFaults = (policy: Policy, rule: FaultRule): Finding[] =>
  faultsIn(policy)
    .filter((fault) => ruleOf(fault) === rule)
    .map(({ object, path, message, severity }) => ({ rule, severity, object, path, message }));

/** Those of templates too. What a pod has from its template is told of the template alone. */
export function faultsIn(policy: Policy): readonly Fault[] {
  const templates = templatesIn(policy);
  if (templates.size === 0) return policy.cluster.faults;
  const ofTemplates = [...templates.values()].flatMap(({ faults }) => faults);
  const told = new Set(ofTemplates.map(({ object, path, message }) => `${object} ${path} ${message}`));
  const pods = new Map(podFacts(policy).pods.map((it) => [it.object, it]));
  const isRepeated = ({ object, path, message }: Fault): boolean => {
    const maker = pods.get(object)?.maker ?? '';
    return told.has(`${maker} ${templates.get(maker)?.within}.${path} ${message}`);
  };
  return [...ofTemplates, ...policy.cluster.faults.filter((fault) => !isRepeated(fault))];
}

/** The readers say in the same words what they do not accept, what was written so of old, and what is nearly known. */
export function ruleOf({ severity, message, value, meant, path }: Fault): FaultRule | undefined {
  // Keys of annotations have a rule of their own, which looks at nodes and pods too.
  if (meant) return isKeyPath(path) ? undefined : 'unknown-field';
  // Empty lists have rules of their own, which say more.
  if (severity === 'warning' && Array.isArray(value) && value.length === 0) return undefined;
  if (/^What stands under \w+ is not read/.test(message)) return 'per-reason-blocks';
  if (severity !== 'info') return 'fault';
  return /\bolder\b|means always/.test(message) ? 'old-spelling' : 'note';
}

/** `metadata.annotations[key]`, and nothing inside its text. */
const isKeyPath = (path: string): boolean => {
  const keys = splitPath(path);
  return keys.length === 3 && keys[1] === 'annotations';
};
