// Which nodes or pods are meant, in words? `zone us-west-2a, and label team a or b`.
import type { Requirement, Selector } from '../../cluster/selector.ts';
import { andList, orList } from './lists.ts';

/** Labels everybody knows by a shorter name. */
const known: Readonly<Record<string, string>> = {
  'karpenter.sh/nodepool': 'pool',
  'karpenter.sh/provisioner-name': 'provisioner',
  'karpenter.sh/capacity-type': 'capacity type',
  'topology.kubernetes.io/zone': 'zone',
  'topology.kubernetes.io/region': 'region',
  'node.kubernetes.io/instance-type': 'instance type',
  'kubernetes.io/arch': 'arch',
  'kubernetes.io/os': 'os',
  'kubernetes.io/hostname': 'host',
  'kubernetes.io/metadata.name': 'name',
};

/** Whose nodes they are, rather than what is written on them. */
const owners: readonly string[] = ['pool', 'provisioner'];

/** `every node`, `nodes with zone us-west-2a and arch arm64` */
export function saySelected(noun: string, { requirements }: Pick<Selector, 'requirements'>): string {
  if (requirements.length === 0) return `every ${noun}`;
  const owned = requirements.filter(({ key, operator }) => operator === 'In' && owners.includes(known[key] ?? ''));
  const labelled = requirements.filter((requirement) => !owned.includes(requirement));
  const of = owned.map((requirement) => ` of ${sayRequirement(requirement)}`).join(' and');
  return `${noun}s${of}${labelled.length === 0 ? '' : ` with ${labelled.map(sayRequirement).join(' and ')}`}`;
}

function sayRequirement({ key, operator, values }: Requirement): string {
  const label = known[key] ?? `label ${key}`;
  switch (operator) {
    case 'In':
      return `${label} ${orList(values)}`;
    case 'NotIn':
      return `${label} ${andList(values.map((value) => `not ${value}`))}`;
    case 'Exists':
      return `${label} (any value)`;
    case 'DoesNotExist':
      return `no ${label}`;
    case 'Gt':
      return `${label} above ${values[0]}`;
    case 'Lt':
      return `${label} below ${values[0]}`;
    default:
      return `${label} ${operator === 'Gte' ? 'from' : 'up to'} ${values[0]}`;
  }
}
