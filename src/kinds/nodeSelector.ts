// Which nodes does a pod or a volume want, and which taints does it bear? What cannot be read fits no node: nothing is moved to where it might not run.
import type { Toleration } from '../cluster/model.ts';
import type { NodeSelector, NodeTerm, Requirement } from '../cluster/selector.ts';
import { defined, type Reader } from './reader.ts';
import { nodeOperators, readRequirement } from './requirement.ts';

/** For what cannot be read. */
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

/** nodeSelector and required affinity of a pod's spec. */
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

/** Undefined = every node. */
export const readNodeTerms = (selector: Reader): NodeTerm[] | undefined =>
  selector.has('nodeSelectorTerms') ? selector.maps('nodeSelectorTerms').map(readNodeTerm) : undefined;

export function readNodeTerm(term: Reader): NodeTerm {
  const labels = term
    .maps('matchExpressions')
    .map((expression) => readRequirement(expression, nodeOperators) ?? noNode);
  return { labels, names: term.maps('matchFields').map(readName) };
}

/** The name of a node may be longer than any label. */
function readName(field: Reader): Requirement {
  const operator = field.oneOf('operator', ['In', 'NotIn']);
  return operator ? { key: field.text('key') ?? '', operator, values: field.texts('values') } : noNode;
}
