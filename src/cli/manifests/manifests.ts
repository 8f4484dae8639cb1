// What does `lull install` make, in the order in which one thing needs another?
import { ownKinds } from '../../kinds/crds/crds.ts';
import { asCrd } from '../../kinds/crds/definition.ts';
import { bornParkedFor } from './bornParked.ts';
import { labelsOf, type Manifest, type Wanted } from './manifest.ts';
import { accountsFor, rolesFor } from './rbac.ts';
import { restraintsFor } from './restraint.ts';
import { settingsFor, workloadFor } from './workload.ts';

/** Restraints before rights, and rights before whoever uses them. */
export function manifestsFor(wanted: Wanted): readonly Manifest[] {
  return [
    ...definitions(),
    namespaceFor(wanted),
    ...accountsFor(wanted),
    ...restraintsFor(wanted),
    ...rolesFor(wanted),
    ...bornParkedFor(wanted),
    settingsFor(wanted),
    ...workloadFor(wanted),
  ];
}

/** Without labels: whoever applies deploy/crds by hand has the very same. */
const definitions = (): readonly Manifest[] => ownKinds.map((it) => asCrd(it));

const namespaceFor = (wanted: Wanted): Manifest => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: wanted.namespace, labels: labelsOf(wanted) },
});
