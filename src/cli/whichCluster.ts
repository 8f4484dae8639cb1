// The cluster that an answer is about, as text and as JSON. Every answer names it.
import type { Connection } from '../kube/connection.ts';
import type { ActsAs, ClusterIdentity } from '../server/roundSource.ts';
import { dim, type Line } from './span.ts';

/** The impersonated user of the kubeconfig. Without its extra attributes, which may be scopes or sessions. */
export function asField({ actsAs }: Pick<Connection, 'actsAs'>): { readonly as?: ActsAs } {
  if (!actsAs) return {};
  const { user, uid, groups } = actsAs;
  return { as: { user, ...(uid !== undefined && { uid }), ...(groups.length > 0 && { groups }) } };
}

/** `, acting as jane (groups ops, dev)`; empty without impersonation. */
export function describeImpersonation(as: ActsAs | undefined): string {
  if (!as) return '';
  const { user, uid, groups = [] } = as;
  const more = [
    ...(uid === undefined ? [] : [`uid ${uid}`]),
    ...(groups.length === 0 ? [] : [`${groups.length === 1 ? 'group' : 'groups'} ${groups.join(', ')}`]),
  ];
  return `, acting as ${user}${more.length === 0 ? '' : ` (${more.join('; ')})`}`;
}

export const identityOfFiles = (paths: readonly string[]): ClusterIdentity => ({
  kind: 'file',
  name: paths.map((path) => (path === '-' ? '<stdin>' : path)).join(', '),
});

/** `cluster production (https://…)`. Undefined = a Lull that does not report its cluster. */
export function describeCluster(identity: ClusterIdentity | undefined): string {
  if (!identity) return 'an unnamed cluster';
  const { kind, name, server, uid, as } = identity;
  if (kind === 'box') return `the simulated cluster ${name} (lull up)`;
  if (kind === 'file') return name;
  // In a pod every cluster has this name, so print the uid.
  const where = name === 'in-cluster' && uid !== undefined ? `uid ${uid}` : server;
  return `cluster ${name}${where === undefined ? '' : ` (${where})`}${describeImpersonation(as)}`;
}

/** The last line of an answer; none for files, which the user named. */
export const clusterLines = (identity: ClusterIdentity | undefined): Line[] =>
  identity?.kind === 'file' ? [] : [[dim(`in ${describeCluster(identity)}`)]];

/** The field `cluster` of an answer in JSON; absent if unknown. */
export const clusterField = (identity: ClusterIdentity | undefined): { readonly cluster?: ClusterIdentity } =>
  identity ? { cluster: identity } : {};
