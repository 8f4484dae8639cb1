// Runs all lint rules on a policy and sorts the findings in file order.
import type { Position } from '../cluster/fault.ts';
import { rules as allRules } from './allRules.ts';
import { documentsIn } from './facts/writtenObjects.ts';
import type { LintFinding, LintPolicy, LintRule, Severity } from './rule.ts';

/** A finding with its position; without one if the object is not in the input. */
export interface PlacedFinding extends LintFinding {
  readonly position?: Position;
}

export function lint(policy: LintPolicy, rules: readonly LintRule[] = allRules): PlacedFinding[] {
  const indexes = new Map(policy.documents.map((document, index) => [document, index]));
  return rules
    .flatMap((rule) => findingsOf(rule, policy))
    .map((finding): IndexedFinding => {
      const document = documentOf(finding, policy);
      const index = document && indexes.get(document);
      return document && index !== undefined
        ? { index, finding: { ...finding, position: document.position(finding.path) } }
        : { index: policy.documents.length, finding };
    })
    .sort(compare)
    .map(({ finding }) => finding);
}

export const findingsOf = ({ name, severity, check }: LintRule, policy: LintPolicy): LintFinding[] =>
  [...check(policy)].map((found) => ({ rule: name, severity, ...found }));

/** A rule may refer to a Provisioner as a NodePool. */
const documentOf = ({ object }: LintFinding, policy: LintPolicy) =>
  documentsIn(policy).get(object) ?? documentsIn(policy).get(object.replace(/^NodePool\//, 'Provisioner/'));

interface IndexedFinding {
  /** The index of its document in the input. */
  readonly index: number;
  readonly finding: PlacedFinding;
}

const severities: readonly Severity[] = ['error', 'warning', 'info'];

function compare(a: IndexedFinding, b: IndexedFinding): number {
  const [left, right] = [orderOf(a), orderOf(b)];
  const index = left.findIndex((value, at) => value !== right[at]);
  if (index < 0) return 0;
  return (left[index] ?? 0) < (right[index] ?? 0) ? -1 : 1;
}

function orderOf({ index, finding }: IndexedFinding): (number | string)[] {
  const { position, severity, rule, object, path, message } = finding;
  const { line = 0, column = 0 } = position ?? {};
  return [index, line, column, severities.indexOf(severity), rule, object, path, message];
}
