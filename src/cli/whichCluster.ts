// Which cluster an answer is about, in words and in JSON: every answer names it.
import { readClusterUid } from '../kube/clusterUid.ts';
import type { Connection } from '../kube/connection.ts';
import type { ActsAs, ClusterIdentity } from '../server/source.ts';
import { dim, type Line } from './span.ts';

/** Of the cluster itself, asked directly. */
export async function identityOf(connection: Connection): Promise<ClusterIdentity> {
  const { client, context, server } = connection;
  const uid = await readClusterUid(client);
  return {
    kind: 'cluster',
    name: context,
    ...(uid !== undefined && { uid }),
    server: server.origin,
    ...asField(connection),
  };
}

/** Whom it acts as, where the kubeconfig impersonates. Extra attributes are left out: they may be scopes or sessions. */
export function asField({ actsAs }: Pick<Connection, 'actsAs'>): { readonly as?: ActsAs } {
  if (!actsAs) return {};
  const { user, uid, groups } = actsAs;
  return { as: { user, ...(uid !== undefined && { uid }), ...(groups.length > 0 && { groups }) } };
}

/** `, acting as jane (groups ops, dev)`; empty where it acts as itself. */
export function sayActsAs(as: ActsAs | undefined): string {
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

/** `cluster production (https://…)`. Undefined = a Lull that does not say which cluster it is for. */
export function sayCluster(identity: ClusterIdentity | undefined): string {
  if (!identity) return 'a cluster that its Lull does not name';
  const { kind, name, server, uid, as } = identity;
  if (kind === 'box') return `the box ${name} (lull up)`;
  if (kind === 'file') return name;
  // In a pod every cluster is called so: the uid tells them apart.
  const where = name === 'in-cluster' && uid !== undefined ? `uid ${uid}` : server;
  return `cluster ${name}${where === undefined ? '' : ` (${where})`}${sayActsAs(as)}`;
}

/** As the last line of an answer; none for files, which the reader has named. */
export const clusterLines = (identity: ClusterIdentity | undefined): Line[] =>
  identity?.kind === 'file' ? [] : [[dim(`in ${sayCluster(identity)}`)]];

/** The field of an answer in JSON; absent where it is not known. */
export const clusterField = (identity: ClusterIdentity | undefined): { readonly cluster?: ClusterIdentity } =>
  identity ? { cluster: identity } : {};
