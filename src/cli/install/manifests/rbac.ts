// ServiceAccounts and RBAC roles: one rule per resource, from the table of permissions, for the role that is installed.
import { type Duty, type Permission, permissionsOf } from '../../../kube/permissions.ts';
import { appName, type InstallSpec, labelsOf, type Manifest, releaseName } from './manifest.ts';

const group = 'rbac.authorization.k8s.io';
const apiVersion = `${group}/v1`;

interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Merges rows with the same resource and names into one rule. */
function rulesFrom(rows: readonly Permission[]): readonly PolicyRule[] {
  const keyOf = ({ apiGroup, resource, names = [] }: Permission): string => [apiGroup, resource, ...names].join(' ');
  return [...Map.groupBy(rows, keyOf).values()].flatMap((alike) => {
    const [first] = alike;
    if (!first) return [];
    return {
      apiGroups: [first.apiGroup],
      resources: [first.resource],
      ...(first.names && { resourceNames: first.names }),
      verbs: [...new Set(alike.flatMap(({ verbs }) => verbs))],
    };
  });
}

/** The ServiceAccounts come before the objects that name them. */
export function accountsFor(wanted: InstallSpec): readonly Manifest[] {
  const names = wanted.image === undefined ? [appName] : [appName, releaseName];
  return names.map((name) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace: wanted.namespace, labels: labelsOf(wanted) },
    // A pod that uses this account by mistake gets no token; Lull's own pods request theirs.
    automountServiceAccountToken: false,
  }));
}

export function rolesFor(wanted: InstallSpec): readonly Manifest[] {
  const own = granted(wanted, appName, wanted.role);
  return wanted.image === undefined ? own : [...own, ...granted(wanted, releaseName, 'release')];
}

function granted(wanted: InstallSpec, account: string, duty: Duty): readonly Manifest[] {
  const { namespace } = wanted;
  const rows = permissionsOf(duty);
  const [local, wide] = [rows.filter(({ isLocal }) => isLocal), rows.filter(({ isLocal }) => !isLocal)];
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace }];
  const everywhere = { name: account, labels: labelsOf(wanted) };
  const here = { name: account, namespace, labels: labelsOf(wanted) };
  const refer = (kind: string) => ({ apiGroup: group, kind, name: account });
  return [
    { apiVersion, kind: 'ClusterRole', metadata: everywhere, rules: rulesFrom(wide) },
    { apiVersion, kind: 'ClusterRoleBinding', metadata: everywhere, roleRef: refer('ClusterRole'), subjects },
    { apiVersion, kind: 'Role', metadata: here, rules: rulesFrom(local) },
    { apiVersion, kind: 'RoleBinding', metadata: here, roleRef: refer('Role'), subjects },
  ];
}
