// What may Lull do in a cluster, and what must a person be allowed to? The table that `lull install` makes its roles from, and the commands.

import { watchedKinds } from '../../src/kube/apiKind.ts';
import { type Duty, type Permission, permissions } from '../../src/kube/permissions.ts';
import { page, table } from './page.ts';

const duties: readonly Duty[] = ['observe', 'guide', 'drive', 'release'];

const intro =
  'Every call that Lull makes of the API server. `lull install` makes the roles of its ServiceAccounts from this table, with only the rows of the role it is installed in ([N1](../contract.md)); a test on a real cluster fails when a call is refused, or a verb is granted that nobody uses. *release* is the job that lets go of everything where Lull is gone (N10), and has a ServiceAccount of its own.';

const restraint = `## What it may not do, though it may write

RBAC cannot say which field of an object may be written. So \`lull install\` makes a ValidatingAdmissionPolicy for nodes, pods, NodeClaims, NodePools and MaintenanceWindows (N12), by which the API server
itself holds both ServiceAccounts to this; nobody else is meant by them:

${table(
  ['object', 'what may change'],
  [
    [
      'Node, Pod',
      "annotations of Lull's own; `karpenter.sh/do-not-disrupt` only together with `lull.dev/parked`, never a user's",
    ],
    ['Node', 'the taint `lull.dev/disrupted:NoSchedule`; no other taint, nothing else of its spec, no label'],
    [
      'NodeClaim',
      "annotations of Lull's own; `karpenter.sh/nodepool-hash` only while `lull.dev/nodepool-hash-before` keeps it, and back; `karpenter.sh/nodeclaim-termination-timestamp` is set only in drive. Created and deleted only in drive, and then marked with `lull.dev/command`",
    ],
    ['NodePool', "annotations of Lull's own, conditions whose type begins with `Lull`, and `status.lull`"],
    ['MaintenanceWindow', '`lull-pause`, and the status of others'],
  ],
)}

Annotations that people write for Lull to read, such as \`lull.dev/hold\` and \`lull.dev/budgets\`, are not among its own. The policies need Kubernetes 1.30; on older servers RBAC alone binds Lull, and install says so.`;

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
