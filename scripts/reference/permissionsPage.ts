// What may Lull do in a cluster, and what must a person be allowed to? The table that `lull install` makes its roles from, and the commands.

import { watchedKinds } from '../../src/kube/apiKind.ts';
import { type Duty, type Permission, permissions } from '../../src/kube/permissions.ts';
import { page, table } from './page.ts';

const duties: readonly Duty[] = ['observe', 'guide', 'drive', 'release'];

const intro =
  'Every call that Lull makes of the API server. `lull install` makes the roles of its ServiceAccounts from this table, with only the rows of the role it is installed in ([N1](../contract.md)); a test on a real cluster fails when a call is refused, or a verb is granted that nobody uses. *release* is the job that lets go of everything where Lull is gone (N10), and has a ServiceAccount of its own.';

const restraint = `## What it may not do, though it may write

RBAC cannot say which field of an object may be written. So \`lull install\` makes ValidatingAdmissionPolicies (N12), \`lull-restraint-*\` for Lull and \`lull-restraint-release-*\` for the job, by which the API server
itself holds each of the two ServiceAccounts to this; no other user is affected. In role observe nodes, pods, claims and the ledger may not be written at all.

${table(
  ['object', 'what may be done'],
  [
    [
      'Node, Pod',
      'parked and offered: `karpenter.sh/do-not-disrupt`, `lull.dev/parked` and `lull.dev/do-not-disrupt-before` change only together, never over a user\'s "true", and the value from before is kept and put back. In drive nodes are only parked and pods only offered',
    ],
    [
      'Node',
      'the taint `lull.dev/disrupted:NoSchedule`: set in drive, on nodes that Karpenter made; removed everywhere. Deleted in drive, if Karpenter made it. No other taint, nothing else of its spec, no label',
    ],
    [
      'Pod',
      'deleted in guide and drive, on nodes that Karpenter made, with at least 1 s of grace; never a static pod, nor one that tolerates the taint of leaving nodes. Evicted in drive, with its own grace',
    ],
    [
      'NodeClaim',
      '`karpenter.sh/nodepool-hash` and `lull.dev/nodepool-hash-before` change only together: set in guide, put back everywhere. `karpenter.sh/nodeclaim-termination-timestamp` is set in drive, once, on claims with a `terminationGracePeriod`, and removed until the claim is deleted. Deleted in drive',
    ],
    [
      'NodeClaim (created, in drive)',
      "as its pool's template says: node class, owner, taints, lifetimes, labels, annotations; its requirements are those of the pool, or narrower in instance type, zone, capacity type, architecture and operating system",
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
    ['DisruptionLedger, Lease', 'the one called `lull`; no labels, owners or finalizers'],
    ['Event', "Lull's own: no event of others is changed"],
  ],
)}

The job that releases may only take away: it puts back what \`*-before\` kept, removes Lull's taint, deadlines, annotations, conditions and status, deletes claims with \`lull.dev/command\`, \`lull-pause\`, the ledger and the lease, and scales Lull to 0.

Annotations that people write for Lull to read, such as \`lull.dev/hold\` and \`lull.dev/budgets\`, are never written. The policies need Kubernetes 1.30; on older servers RBAC alone binds Lull, and install says so. Two of
them compare with other objects (\`paramKind\`): deletions of pods with the Nodes that Karpenter did not make, created claims with NodePools; whoever installs Lull must be allowed to read these. What the policies cannot refuse is in [security](../security.md#whoever-has-lulls-own-token).`;

const kinds = watchedKinds.map(({ plural }) => plural).join(', ');

/** With a person's own credentials: none of these commands borrows Lull's. */
const people: readonly (readonly [string, string])[] = [
  [
    '`lull decide`, `why`, `explain`, `lint`, `snapshot`',
    `list ${kinds}; get the Lease \`lull\` of its namespace, for the settings in force`,
  ],
  ['`lull pause`, `lull resume`', 'list, create, patch and delete maintenancewindows.karpenter.sh'],
  ['`lull turn pass`', 'list, get and patch disruptionledgers.lull.dev'],
  [
    '`lull release`',
    `list ${kinds}; patch nodes, pods, nodeclaims, nodepools and the status of nodepools, maintenancewindows and poddisruptionschedules; delete maintenancewindows and disruptionledgers; list, get, update and delete leases`,
  ],
  [
    '`lull install`, `lull uninstall`',
    'an administrator of the cluster: it makes CustomResourceDefinitions, roles (and may grant no right that it does not have itself), admission policies, and objects in its namespace; `lull uninstall` also needs what `lull release` needs',
  ],
  [
    '`lull run` on your own machine',
    'the rows of its role above: `lull install` makes them for its ServiceAccount; an administrator has them all',
  ],
];

export function permissionsPage(): string {
  const groups = Map.groupBy(permissions, ({ apiGroup }) => apiGroup);
  const sections = [...groups].map(([apiGroup, rows]) => `### ${apiGroup || 'core'}\n\n${rowsTable(rows)}`);
  const body = [
    '## What Lull may do',
    ...sections,
    restraint,
    `## What a person must be allowed to\n\n${table(['command', 'rights'], people)}`,
  ];
  return page('Permissions', intro, body.join('\n\n'));
}

/** Rows that differ in their resource alone are one line. */
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
