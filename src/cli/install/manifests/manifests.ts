// All objects of Lull in a cluster, in the order in which they depend on each other: for install, uninstall and the chart.
import { asCrd, ownKinds } from '../../../kinds/schema/crds.ts';
import type { Duty } from '../../../kube/permissions.ts';
import { bornParkedFor } from './birthPolicy.ts';
import { type InstallSpec, labelsOf, type Manifest } from './manifest.ts';
import { accountsFor, rolesFor } from './rbac.ts';
import { madeClaims, nodeClaims } from './restraints/claims.ts';
import { deletedPods, nodes, pods } from './restraints/nodes.ts';
import { deployments, events, healthGates, leases, ledgers, nodePools, schedules, windows } from './restraints/own.ts';
import { manifestsOf, type Restraint } from './restraints/restraint.ts';
import { settingsFor, workloadFor } from './workloadManifests.ts';

/** Admission policies before RBAC, and RBAC before the workload that uses it. */
export function manifestsFor(wanted: InstallSpec): readonly Manifest[] {
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

/** Without labels: applying deploy/crds by hand gives the same objects. */
const definitions = (): readonly Manifest[] => ownKinds.map((it) => asCrd(it));

const namespaceFor = (wanted: InstallSpec): Manifest => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: wanted.namespace, labels: labelsOf(wanted) },
});

export function restraintsFor(wanted: InstallSpec): readonly Manifest[] {
  const made = ([wanted.role, 'release'] as const).flatMap((duty) =>
    restraintsOf(duty).map((restraint) => manifestsOf(wanted, duty, restraint)),
  );
  return [...made.map(([policy]) => policy), ...made.map(([, binding]) => binding)];
}

/** The same policies for every role, so that changing the role leaves none behind. */
const restraintsOf = (duty: Duty): readonly Restraint[] => [
  nodes(duty),
  pods(duty),
  nodeClaims(duty),
  nodePools(duty),
  windows(duty),
  schedules(duty),
  healthGates(duty),
  ledgers(duty),
  leases(duty),
  events,
  ...(duty === 'release' ? [deployments] : [deletedPods, madeClaims]),
];
