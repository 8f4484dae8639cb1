// The reference page of permissions: those of Lull's ServiceAccounts, and those users need for each command.

import { watchedKinds } from '../../src/kube/apiKind.ts';
import { type Duty, type Permission, permissions } from '../../src/kube/permissions.ts';
import { page, table } from './page.ts';

const duties: readonly Duty[] = ['observe', 'guide', 'drive', 'release'];

const intro =
  'Every call Lull makes to the API server. `lull install` creates the roles of its ServiceAccounts from this table, with only the rows of the role it is installed in ([N1](../contract.md)). A test on a real cluster fails if a call is refused, or if a verb is granted and not used. *release* is the job that removes all marks when Lull no longer runs (N10); it has its own ServiceAccount.';

const restraint = `## Restrictions beyond RBAC

RBAC cannot restrict which fields of an object may be written. So \`lull install\` creates ValidatingAdmissionPolicies (N12), \`lull-restraint-*\` for Lull and \`lull-restraint-release-*\` for the job, with which the API server
itself enforces this for the two ServiceAccounts; no other user is affected. In role observe they may not write nodes, pods, claims and the ledger at all.

${table(
  ['object', 'what is allowed'],
  [
    [
      'Node, Pod',
      'parked and offered: `karpenter.sh/do-not-disrupt`, `lull.dev/parked` and `lull.dev/do-not-disrupt-before` change only together, never overwrite a user\'s "true", and the previous value is saved and restored. In drive nodes are only parked and pods only offered',
    ],
    [
      'Node',
      'the taint `lull.dev/disrupted:NoSchedule`: set in drive, on nodes that Karpenter created; removed in every role. Deleted in drive, if Karpenter created it. No other taint, no other spec field, no label',
    ],
    [
      'Pod',
      'deleted in guide and drive, on nodes that Karpenter created, with a grace period of at least 1 s; never a static pod, nor one that tolerates the taint of nodes being disrupted. Evicted in drive, with its own grace period',
    ],
    [
      'NodeClaim',
      '`karpenter.sh/nodepool-hash` and `lull.dev/nodepool-hash-before` change only together: set in guide, restored in every role. `karpenter.sh/nodeclaim-termination-timestamp` is set in drive, once, on claims with a `terminationGracePeriod`, and may be removed until the claim is deleted. Deleted in drive',
    ],
    [
      'NodeClaim (created, in drive)',
      "as in its pool's template: node class, owner, taints, lifetimes, labels, annotations; its requirements are those of the pool, or narrower in instance type, zone, capacity type, architecture and operating system",
    ],
    [
      'NodePool',
      'the annotations `lull.dev/budgets-seen*`, conditions whose type begins with `Lull`, and `status.lull`',
    ],
    [
      'MaintenanceWindow',
      '`lull-pause`: mode Block for everything, with an end, a note and `lull.dev/author`, and nothing else; and the status of every window',
    ],
    ['PodDisruptionSchedule', 'its status'],
    ['DisruptionLedger, Lease', 'the one named `lull`; no labels, owners or finalizers'],
    ['Event', "Lull's own events only"],
  ],
)}

The release job may only remove things: it restores the values saved in \`*-before\`, removes Lull's taint, deadlines, annotations, conditions and status, deletes claims with \`lull.dev/command\`, \`lull-pause\`, the ledger and the lease, and scales Lull to 0.

Annotations that users write for Lull, such as \`lull.dev/hold\` and \`lull.dev/budgets\`, are never written. The policies need Kubernetes 1.30; on older servers only RBAC restricts Lull, and \`lull install\` reports it. Two of
them compare with other objects (\`paramKind\`): deletions of pods with the Nodes that Karpenter did not create, created claims with NodePools; the user who installs Lull must be allowed to read these. What the policies cannot prevent is in [security](../security.md#an-attacker-with-lulls-own-token).`;

const kinds = watchedKinds.map(({ plural }) => plural).join(', ');

/** With the user's own credentials: none of these commands uses Lull's. */
const userRights: readonly (readonly [string, string])[] = [
  [
    '`lull decide`, `why`, `explain`, `lint`, `snapshot`',
    `list ${kinds}; get the Lease \`lull\` of its namespace, for the settings in force`,
  ],
  ['`lull pause`, `lull resume`', 'list, create, patch and delete maintenancewindows.karpenter.sh'],
  ['`lull roll POOL`', 'list and patch nodepools.karpenter.sh'],
  ['`lull roll node/NAME`', 'list and patch nodes'],
  ['`lull approve node/NAME`', 'list and patch nodes'],
  ['`lull approve pool/NAME`', 'list and patch nodepools.karpenter.sh'],
  ['`lull approve NAME`', 'list nodes, nodeclaims and nodepools, and patch the one that has this name'],
  ['`lull turn pass`', 'list, get and patch disruptionledgers.lull.dev'],
  [
    '`lull release`',
    `list ${kinds}; patch nodes, pods, nodeclaims, nodepools and the status of nodepools, maintenancewindows and poddisruptionschedules; delete maintenancewindows and disruptionledgers; list, get, update and delete leases`,
  ],
  [
    '`lull install`, `lull uninstall`',
    'cluster administrator: creates CustomResourceDefinitions, roles (RBAC allows granting only rights that the user has), admission policies, and objects in its namespace; `lull uninstall` also needs what `lull release` needs',
  ],
  [
    '`lull run` on your own machine',
    'the rows of its role above: `lull install` grants them to its ServiceAccount; an administrator has all of them',
  ],
];

export function permissionsPage(): string {
  const groups = Map.groupBy(permissions, ({ apiGroup }) => apiGroup);
  const sections = [...groups].map(([apiGroup, rows]) => `### ${apiGroup || 'core'}\n\n${rowsTable(rows)}`);
  const body = [
    '## What Lull may do',
    ...sections,
    restraint,
    `## What users need to be allowed to do\n\n${table(['command', 'rights'], userRights)}`,
  ];
  return page('Permissions', intro, body.join('\n\n'));
}

/** Rows that differ only in the resource are one line. */
function rowsTable(rows: readonly Permission[]): string {
  const alike = Map.groupBy(rows, ({ verbs, duties: of, why }) => [verbs, of, why].join(' '));
  const lines = [...alike.values()].map((its) => {
    const [first] = its as [Permission, ...Permission[]];
    const marks = duties.map((duty) => (first.duties.includes(duty) ? 'x' : ''));
    return [its.map(resourceOf).join(', '), first.verbs.join(', '), ...marks, first.why];
  });
  return table(['resource', 'verbs', ...duties, 'why'], lines);
}

function resourceOf({ resource, names = [], isLocal }: Permission): string {
  const only = names.map((name) => ` \`${name}\``).join(',');
  return `\`${resource}\`${only}${isLocal ? ' (in its own namespace)' : ''}`;
}
