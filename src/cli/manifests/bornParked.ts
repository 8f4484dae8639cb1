// The admission policy that parks nodes from birth, for role guide: on CREATE of a NodeClaim both annotations are added (N2).
import { annotation, atBirth, label } from '../../cluster/names.ts';
import { bornParkedName, type PolicyVersion } from '../../kube/bornParked.ts';
import { mapAt, quote } from './cel.ts';
import { labelsOf, type Manifest, type Wanted } from './manifest.ts';

const [kept, before] = [quote(annotation.doNotDisrupt), quote(annotation.keptBefore)];
const annotations = `(${mapAt('object', 'metadata.annotations')})`;
const labels = `(${mapAt('object', 'metadata.labels')})`;

/** As CEL writes a map of texts. */
const mapOf = (entries: Readonly<Record<string, string>>): string =>
  `{${Object.entries(entries)
    .map(([key, value]) => `${quote(key)}: ${value}`)
    .join(', ')}}`;

const parked = { [annotation.doNotDisrupt]: quote('true'), [annotation.parked]: quote(atBirth) };

/** What Karpenter does not read, such as a duration, is kept beside it and put back later, as when Lull parks a node. */
const withBefore = { ...parked, [annotation.keptBefore]: `string(${annotations}[${kept}])` };

/** The policy and its binding. Empty: the role parks nothing, or the server does not serve the kind. */
export function bornParkedFor(wanted: Wanted): readonly Manifest[] {
  const { role, policies = 'v1' } = wanted;
  return role === 'guide' && policies !== 'none' ? bornParkedIn(wanted, policies) : [];
}

export const bornParkedIn = (wanted: Pick<Wanted, 'version'>, version: PolicyVersion): readonly Manifest[] => {
  const apiVersion = `admissionregistration.k8s.io/${version}`;
  const metadata = { name: bornParkedName, labels: labelsOf(wanted) };
  return [
    { apiVersion, kind: 'MutatingAdmissionPolicy', metadata, spec: bornParkedSpec },
    { apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata, spec: { policyName: bornParkedName } },
  ];
};

export const bornParkedSpec = {
  // A node that is needed comes, parked or not: Lull parks it as soon as it sees it.
  failurePolicy: 'Ignore',
  reinvocationPolicy: 'Never',
  matchConstraints: {
    resourceRules: [
      { apiGroups: ['karpenter.sh'], apiVersions: ['*'], operations: ['CREATE'], resources: ['nodeclaims'] },
    ],
  },
  matchConditions: [
    // Lull unparks the nodes of pools that it does not govern; of a claim without a pool it knows nothing.
    { name: 'of-a-pool', expression: `${quote(label.pool)} in ${labels}` },
    // A template that says so itself is its user's opt-out.
    { name: 'not-opted-out', expression: `!(${kept} in ${annotations}) || ${annotations}[${kept}] != 'true'` },
    {
      name: 'not-parked',
      expression: `!(${quote(annotation.parked)} in ${annotations}) && !(${before} in ${annotations})`,
    },
  ],
  mutations: [
    {
      patchType: 'ApplyConfiguration',
      applyConfiguration: {
        expression: `Object{metadata: Object.metadata{annotations: ${kept} in ${annotations} ? ${mapOf(withBefore)} : ${mapOf(parked)}}}`,
      },
    },
  ],
};
