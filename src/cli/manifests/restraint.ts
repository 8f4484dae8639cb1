// The admission policies by which the API server itself holds Lull to what it says it does, whatever its code does (N12): for each duty and
// each resource that src/kube/permissions.ts lets it write. docs/security.md says what they leave open.
import type { Duty } from '../../kube/permissions.ts';
import type { Manifest, Wanted } from './manifest.ts';
import { nodeClaims } from './restraints/claims.ts';
import { madeClaims } from './restraints/madeClaims.ts';
import { nodes } from './restraints/nodes.ts';
import { deployments, events, leases, ledgers, windows } from './restraints/own.ts';
import { deletedPods, pods } from './restraints/pods.ts';
import { nodePools, schedules } from './restraints/pools.ts';
import { manifestsOf, type Restraint } from './restraints/restraint.ts';

export function restraintsFor(wanted: Wanted): readonly Manifest[] {
  const made = ([wanted.role, 'release'] as const).flatMap((duty) =>
    restraintsOf(duty).map((restraint) => manifestsOf(wanted, duty, restraint)),
  );
  return [...made.map(([policy]) => policy), ...made.map(([, binding]) => binding)];
}

/** The same policies in every role, so that another role leaves none behind. */
const restraintsOf = (duty: Duty): readonly Restraint[] => [
  nodes(duty),
  pods(duty),
  nodeClaims(duty),
  nodePools(duty),
  windows(duty),
  schedules(duty),
  ledgers(duty),
  leases(duty),
  events,
  ...(duty === 'release' ? [deployments] : [deletedPods, madeClaims]),
];
