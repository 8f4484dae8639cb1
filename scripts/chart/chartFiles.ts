// The generated files of the chart: values and their schema, CRDs, RBAC rules, admission policies and alerts.
import { readFileSync } from 'node:fs';
import { bornParkedSpec } from '../../src/cli/install/manifests/birthPolicy.ts';
import type { InstallSpec, Manifest } from '../../src/cli/install/manifests/manifest.ts';
import { restraintsFor } from '../../src/cli/install/manifests/manifests.ts';
import { rolesFor } from '../../src/cli/install/manifests/rbac.ts';
import { asCrd, crdName, ownKinds } from '../../src/kinds/schema/crds.ts';
import { writeYaml } from '../../src/kinds/text/writeYaml.ts';
import { bornParkedName } from '../../src/kube/bornParked.ts';
import { values } from './values.ts';
import { valuesSchema, valuesYaml } from './valuesText.ts';

/** The placeholder for the release namespace. */
const namespace = 'RELEASE-NAMESPACE';

const roles = ['observe', 'guide', 'drive'] as const;
const header = '# Generated from the code by `npm run reference`. Do not edit.\n';

/** By path in deploy/chart. */
export function chartFiles(): Readonly<Record<string, string>> {
  const { version, description } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string>;
  const wanted = (role: InstallSpec['role']): InstallSpec => ({
    role,
    namespace,
    settings: '',
    image: 'any',
    version: '',
  });
  const rights = Object.fromEntries(
    roles.flatMap((role) => [
      [`files/rights/${role}.yaml`, rightsOf(rolesFor(wanted(role)), 'lull')],
      [`files/restraints/${role}.yaml`, header + writeYaml({ policies: policiesIn(restraintsFor(wanted(role))) })],
    ]),
  );
  const definitions = ownKinds.map((kind) => [`files/crds/${crdName(kind)}.yaml`, header + writeYaml(asCrd(kind))]);
  return {
    'Chart.yaml': chart(version ?? '', description ?? ''),
    'values.yaml': valuesYaml(values),
    'values.schema.json': valuesSchema(values),
    'files/born-parked.yaml': header + writeYaml({ name: bornParkedName, spec: bornParkedSpec }),
    ...rights,
    'files/rights/release.yaml': rightsOf(rolesFor(wanted('observe')), 'lull-release'),
    ...Object.fromEntries(definitions),
    // Helm cannot read files outside the chart.
    'files/alerts.yaml': readFileSync('deploy/monitoring/alerts.yaml', 'utf8'),
  };
}

const chart = (version: string, description: string): string =>
  header +
  writeYaml({
    apiVersion: 'v2',
    name: 'lull',
    description,
    type: 'application',
    version,
    appVersion: version,
    // ValidatingAdmissionPolicies need 1.30.
    kubeVersion: '>=1.30.0-0',
    keywords: ['karpenter', 'nodes', 'disruption', 'maintenance'],
  });

function rightsOf(manifests: readonly Manifest[], name: string): string {
  const rulesOf = (kind: string): unknown =>
    manifests.find((it) => it.kind === kind && it.metadata.name === name)?.rules;
  return header + writeYaml({ everywhere: rulesOf('ClusterRole'), here: rulesOf('Role') });
}

/** Each policy with the parameters of its binding, if any. */
const policiesIn = (manifests: readonly Manifest[]): unknown =>
  manifests
    .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
    .map(({ metadata: { name }, spec }) => {
      const binding = manifests.find(
        (it) => it.kind === 'ValidatingAdmissionPolicyBinding' && it.metadata.name === name,
      );
      const { paramRef } = (binding?.spec ?? {}) as { readonly paramRef?: unknown };
      return { name, spec, ...(paramRef !== undefined && { paramRef }) };
    });
