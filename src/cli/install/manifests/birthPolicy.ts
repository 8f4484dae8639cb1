// The admission policy that parks nodes at creation, for role guide: it adds both annotations on CREATE of a NodeClaim (N2).
import { annotation, atBirth, label } from '../../../cluster/names.ts';
import { bornParkedName, type PolicyVersion } from '../../../kube/bornParked.ts';
import { mapAt, quote } from './cel.ts';
import { type InstallSpec, labelsOf, type Manifest } from './manifest.ts';

const [kept, before] = [quote(annotation.doNotDisrupt), quote(annotation.keptBefore)];
const annotations = `(${mapAt('object', 'metadata.annotations')})`;
const labels = `(${mapAt('object', 'metadata.labels')})`;

/** A CEL literal of a map of strings. */
const mapOf = (entries: Readonly<Record<string, string>>): string =>
  `{${Object.entries(entries)
    .map(([key, value]) => `${quote(key)}: ${value}`)
    .join(', ')}}`;

const parked = { [annotation.doNotDisrupt]: quote('true'), [annotation.parked]: quote(atBirth) };

/** A value that Karpenter ignores, such as a duration, is saved in an annotation and restored later, as when Lull parks a node. */
const withBefore = { ...parked, [annotation.keptBefore]: `string(${annotations}[${kept}])` };

/** The policy and its binding. Empty if the role parks nothing, or the server does not serve the kind. */
export function bornParkedFor(wanted: InstallSpec): readonly Manifest[] {
  const { role, policies = 'v1' } = wanted;
  return role === 'guide' && policies !== 'none' ? bornParkedIn(wanted, policies) : [];
}

export const bornParkedIn = (wanted: Pick<InstallSpec, 'version'>, version: PolicyVersion): readonly Manifest[] => {
  const apiVersion = `admissionregistration.k8s.io/${version}`;
  const metadata = { name: bornParkedName, labels: labelsOf(wanted) };
  return [
    { apiVersion, kind: 'MutatingAdmissionPolicy', metadata, spec: bornParkedSpec },
    { apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata, spec: { policyName: bornParkedName } },
  ];
};

export const bornParkedSpec = {
  // A failing policy must not block new nodes: Lull parks the node as soon as it sees it.
  failurePolicy: 'Ignore',
  reinvocationPolicy: 'Never',
  matchConstraints: {
    resourceRules: [
      { apiGroups: ['karpenter.sh'], apiVersions: ['*'], operations: ['CREATE'], resources: ['nodeclaims'] },
    ],
  },
  matchConditions: [
    // Lull unparks nodes of pools that it does not govern. It knows nothing about a claim without a pool.
    { name: 'of-a-pool', expression: `${quote(label.pool)} in ${labels}` },
    // A template with the annotation is its owner's opt-out.
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
