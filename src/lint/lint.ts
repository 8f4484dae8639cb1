// What is to be said against a policy? All rules are asked, and what they find is told in the order in which it stands in the files.
import type { Position } from '../cluster/fault.ts';
import { writtenAs } from './facts/written.ts';
import type { Finding, Policy, Rule, Severity } from './rule.ts';
import { rules as allRules } from './rules.ts';

/** A finding and where it stands; no position where nothing was written of the object. */
export interface PlacedFinding extends Finding {
  readonly position?: Position;
}

export function lint(policy: Policy, rules: readonly Rule[] = allRules): PlacedFinding[] {
  const places = new Map(policy.documents.map((document, index) => [document, index]));
  return rules
    .flatMap((rule) => [...rule.check(policy)])
    .map((finding): Placed => {
      const document = documentOf(finding, policy);
      const place = document && places.get(document);
      return document && place !== undefined
        ? { place, finding: { ...finding, position: document.position(finding.path) } }
        : { place: policy.documents.length, finding };
    })
    .sort(compare)
    .map(({ finding }) => finding);
}

/** A rule may call an older Provisioner the pool that it is. */
const documentOf = ({ object }: Finding, policy: Policy) =>
  writtenAs(policy, object) ?? writtenAs(policy, object.replace(/^NodePool\//, 'Provisioner/'));

interface Placed {
  /** Of its document in the input. */
  readonly place: number;
  readonly finding: PlacedFinding;
}

const severities: readonly Severity[] = ['error', 'warning', 'info'];

function compare(a: Placed, b: Placed): number {
  const [left, right] = [orderOf(a), orderOf(b)];
  const index = left.findIndex((value, at) => value !== right[at]);
  if (index < 0) return 0;
  return (left[index] ?? 0) < (right[index] ?? 0) ? -1 : 1;
}

function orderOf({ place, finding: { position, severity, rule, object, path, message } }: Placed): (number | string)[] {
  const { line = 0, column = 0 } = position ?? {};
  return [place, line, column, severities.indexOf(severity), rule, object, path, message];
}
