// What of the chart is written from the code? Its values and their schema, the definitions, every right and restraint that `lull install` gives, and the alerts.
import { readFileSync } from 'node:fs';
import { bornParkedSpec } from '../../src/cli/manifests/bornParked.ts';
import type { Manifest, Wanted } from '../../src/cli/manifests/manifest.ts';
import { rolesFor } from '../../src/cli/manifests/rbac.ts';
import { restraintsFor } from '../../src/cli/manifests/restraint.ts';
import { ownKinds } from '../../src/kinds/crds/crds.ts';
import { asCrd, crdName } from '../../src/kinds/crds/definition.ts';
import { writeYaml } from '../../src/kinds/writeYaml.ts';
import { bornParkedName } from '../../src/kube/bornParked.ts';
import { values } from './values.ts';
import { valuesSchema, valuesYaml } from './valuesText.ts';

/** What stands in a file for the namespace of the release. */
const namespace = 'RELEASE-NAMESPACE';

const roles = ['observe', 'guide', 'drive'] as const;
const made = '# Made from the code by `npm run reference`. Do not edit.\n';

/** By their paths in deploy/chart. */
export function chartFiles(): Readonly<Record<string, string>> {
  const { version, description } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string>;
  const wanted = (role: Wanted['role']): Wanted => ({ role, namespace, settings: '', image: 'any', version: '' });
  const rights = Object.fromEntries(
    roles.flatMap((role) => [
      [`files/rights/${role}.yaml`, rightsOf(rolesFor(wanted(role)), 'lull')],
      [`files/restraints/${role}.yaml`, made + writeYaml({ policies: policiesIn(restraintsFor(wanted(role))) })],
    ]),
  );
  const definitions = ownKinds.map((kind) => [`files/crds/${crdName(kind)}.yaml`, made + writeYaml(asCrd(kind))]);
  return {
    'Chart.yaml': chart(version ?? '', description ?? ''),
    'values.yaml': valuesYaml(values),
    'values.schema.json': valuesSchema(values),
    'files/born-parked.yaml': made + writeYaml({ name: bornParkedName, spec: bornParkedSpec }),
    ...rights,
    'files/rights/release.yaml': rightsOf(rolesFor(wanted('observe')), 'lull-release'),
    ...Object.fromEntries(definitions),
    // Helm reads nothing outside the chart.
    'files/alerts.yaml': readFileSync('deploy/monitoring/alerts.yaml', 'utf8'),
  };
}

const chart = (version: string, description: string): string =>
  made +
  writeYaml({
    apiVersion: 'v2',
    name: 'lull',
    description,
    type: 'application',
    version,
    appVersion: version,
    // What the policies need that hold Lull to its own annotations.
    kubeVersion: '>=1.30.0-0',
    keywords: ['karpenter', 'nodes', 'disruption', 'maintenance'],
  });

function rightsOf(manifests: readonly Manifest[], name: string): string {
  const rulesOf = (kind: string): unknown =>
    manifests.find((it) => it.kind === kind && it.metadata.name === name)?.rules;
  return made + writeYaml({ everywhere: rulesOf('ClusterRole'), here: rulesOf('Role') });
}

/** Each policy with the parameters of its binding, where it has any. */
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
