// How evenly is a pod to be spread? topologySpreadConstraints, with the defaults of Kubernetes.
import type { Spread } from '../cluster/scheduling.ts';
import type { TextMap } from '../cluster/selector.ts';
import { defined, type Reader } from './reader.ts';
import { readSelectorOrNothing, withLabelKeys } from './selectorKeys.ts';

const maxInt32 = 2 ** 31 - 1;
const policies = ['Honor', 'Ignore'] as const;

export const readSpread = (spec: Reader, labels: TextMap): Spread[] =>
  spec.maps('topologySpreadConstraints').map((constraint) => readConstraint(constraint, labels));

function readConstraint(constraint: Reader, labels: TextMap): Spread {
  const selector = readSelectorOrNothing(constraint, 'labelSelector');
  const [minDomains, maxSkew] = [constraint.whole('minDomains', 1, maxInt32), constraint.whole('maxSkew', 1, maxInt32)];
  if (!constraint.has('maxSkew')) constraint.fault('maxSkew', 'There is no maxSkew. Use a whole number such as 1.');
  return defined<Spread>({
    topologyKey: readTopologyKey(constraint),
    maxSkew: maxSkew ?? 1,
    minDomains,
    // What cannot be read may have been meant to hold.
    isHard: constraint.oneOf('whenUnsatisfiable', ['DoNotSchedule', 'ScheduleAnyway']) !== 'ScheduleAnyway',
    selector: withLabelKeys(selector, labels, constraint.texts('matchLabelKeys'), 'In'),
    honoursAffinity: constraint.oneOf('nodeAffinityPolicy', policies) !== 'Ignore',
    honoursTaints: constraint.oneOf('nodeTaintsPolicy', policies) === 'Honor',
  });
}

export function readTopologyKey(holder: Reader): string {
  const key = holder.text('topologyKey');
  if (key) return key;
  holder.fault('topologyKey', 'There is no topologyKey. Use a label of nodes such as topology.kubernetes.io/zone.');
  return '';
}
