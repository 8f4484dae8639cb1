// Where a user's command goes: to a running Lull or to the cluster itself. Never to another cluster's Lull, unless --server names it.
import { type Json, mapIn } from '../../kinds/read/reader.ts';
import { NoClusterError } from '../../kube/findAccess.ts';
import { steadyClock } from '../../kube/machine.ts';
import { openPersonPort } from '../../kube/personPort.ts';
import type { ApiResponse, Port } from '../../runtime/port.ts';
import type { ClusterIdentity } from '../../server/roundSource.ts';
import { askServer, fetchFrom } from '../askServer.ts';
import { identityOf, unreachable, withCluster } from '../clusterInput.ts';
import { Failure, wrongUsage } from '../failure.ts';
import { type ClusterFlags, namesCluster, usualServer } from '../flags.ts';
import type { Io } from '../io.ts';
import { reportOrigin } from '../loadInput.ts';
import type { OutputFormat } from '../output.ts';
import { dim, paint } from '../span.ts';
import { clusterField, describeCluster } from '../whichCluster.ts';

export interface PersonFlags extends ClusterFlags {
  readonly server?: string;
  readonly output?: OutputFormat;
}

export interface AskServer {
  readonly via: 'server';
  /** Its address. */
  readonly server: string;
  /** Found on this machine, not named with --server. */
  readonly isNear: boolean;
  /** Absent = the server does not report it. */
  readonly cluster?: ClusterIdentity;
}

export type Whom = AskServer | { readonly via: 'cluster' };

/** The kubeconfig's cluster, through its own Lull if one runs on this machine; a Lull of another cluster is only mentioned. */
export async function whomToAsk(flags: PersonFlags, io: Io): Promise<Whom> {
  const { whom, other } = await choose(flags, io);
  if (other && (flags.output ?? 'text') === 'text') io.stderr(paint([[dim(sayOther(other))]], io.color));
  return whom;
}

/** The same for commands that change something. If two clusters are possible, the user must choose, or the wrong one could be changed. */
async function whomToChange(flags: PersonFlags, io: Io): Promise<Whom> {
  const { whom, other, context } = await choose(flags, io);
  if (other)
    throw wrongUsage(
      `Two clusters are possible: the current context is ${context}, and ${sayNear(other)}. Use --context ${context} or --server ${other.server}.`,
    );
  return whom;
}

interface TargetChoice {
  readonly whom: Whom;
  /** A Lull on this machine that is not known to belong to the chosen cluster. */
  readonly other?: AskServer;
  /** The current context. */
  readonly context?: string;
}

async function choose(flags: PersonFlags, io: Io): Promise<TargetChoice> {
  if (flags.server !== undefined) {
    if (namesCluster(flags)) throw wrongUsage('Give either --server or --kubeconfig and --context, not both.');
    return { whom: await serverAt(flags.server) };
  }
  if (namesCluster(flags)) return { whom: { via: 'cluster' } };
  const near = await nearLull(io);
  const current = await currentCluster(flags, io, near);
  // Without either, the error about the missing Lull names the other ways to choose.
  if (!current) return { whom: near ?? { via: 'server', server: usualServer(io), isNear: false } };
  const { context, impersonates, identity } = current;
  if (!near) return { whom: { via: 'cluster' } };
  const isSame = identity?.uid !== undefined && identity.uid === near.cluster?.uid;
  // A running Lull acts with its own permissions, not with those of the impersonated user.
  if (isSame && impersonates) return { whom: { via: 'cluster' } };
  return isSame ? { whom: { ...near, cluster: identity } } : { whom: { via: 'cluster' }, other: near, context };
}

interface CurrentCluster {
  readonly context: string;
  /** The kubeconfig impersonates another user. */
  readonly impersonates: boolean;
  readonly identity?: ClusterIdentity;
}

/** Undefined = no kubeconfig, and not in a pod. A kubeconfig that cannot be used is an error: a cluster was meant. */
async function currentCluster(
  flags: ClusterFlags,
  io: Io,
  near: AskServer | undefined,
): Promise<CurrentCluster | undefined> {
  try {
    return await withCluster(flags, io, async (connection) => {
      const { context, actsAs } = connection;
      const impersonates = actsAs !== undefined;
      // Read only if there is something to compare it with.
      if (near?.cluster?.uid === undefined) return { context, impersonates };
      return { context, impersonates, identity: await identityOf(connection) };
    });
  } catch (error) {
    if (error instanceof Failure && error.cause instanceof NoClusterError) return undefined;
    throw error;
  }
}

const sayNear = ({ server, cluster }: AskServer): string =>
  cluster?.kind === 'box'
    ? `a box (lull up) is listening on ${server}`
    : `a Lull for ${cluster ? `${describeCluster(cluster)}` : 'a cluster it does not name'} is listening on ${server}`;

const sayOther = (near: AskServer): string => `${sayNear(near)} too; --server ${near.server} asks it`;

export const whichServer = ({ server }: AskServer): string => `the Lull at ${server}`;

/** How long a Lull on a busy machine may take to answer. If none listens, that is known at once. */
const nearWithin = 5000;

/** A Lull at the default address that has decided a round. */
async function nearLull(io: Io): Promise<AskServer | undefined> {
  const server = usualServer(io);
  try {
    const ready = await fetchFrom(server, '/readyz', { signal: AbortSignal.timeout(nearWithin) });
    if (!ready.ok || (await ready.text()).trim() !== 'ok') return undefined;
    return { ...(await serverAt(server)), isNear: true };
  } catch {
    return undefined;
  }
}

/** With the cluster that it reports; an older Lull does not report it. */
async function serverAt(server: string): Promise<AskServer> {
  const response = await fetchFrom(server, '/api/cluster', { signal: AbortSignal.timeout(nearWithin) });
  const cluster = response.ok ? readIdentity(await response.json().catch(() => undefined)) : undefined;
  return { via: 'server', server, isNear: false, ...(cluster && { cluster }) };
}

function readIdentity(value: unknown): ClusterIdentity | undefined {
  const { kind, name, uid, server } = mapIn(value);
  if ((kind !== 'box' && kind !== 'cluster') || typeof name !== 'string') return undefined;
  return {
    kind,
    name,
    ...(typeof uid === 'string' && uid !== '' && { uid }),
    ...(typeof server === 'string' && { server }),
  };
}

interface RequestedChange {
  /** The path at which a running Lull accepts the change. */
  readonly path: string;
  readonly body: object;
  /** Kinds that must be known to change the cluster directly. */
  readonly kinds: readonly string[];
  readonly byHand: (port: Port) => Promise<object>;
  /** Lull itself may not write it: it is written with the user's own credentials, except in a box. */
  readonly inPerson?: true;
}

/** Returns the fields of the answer, and which cluster was changed. */
export async function change(
  flags: PersonFlags,
  io: Io,
  { path, body, kinds, byHand, inPerson }: RequestedChange,
): Promise<ChangeAnswer> {
  const asked = await whomToChange(flags, io);
  const whom = inPerson ? withoutLull(asked) : asked;
  if (whom.via === 'server') {
    const answer = await askServer({ server: whom.server, path, body });
    if (whom.isNear) reportOrigin(whichServer(whom), flags.output ?? 'text', io);
    return { ...mapIn(answer), ...clusterField(whom.cluster) };
  }
  // With the user's own credentials.
  return withCluster(flags, io, async (connection) => {
    const port = await openPersonPort({ client: connection.client, clock: steadyClock, kinds }).catch(
      (error: unknown) => {
        throw unreachable(connection, error);
      },
    );
    const cluster = await identityOf(connection);
    return { ...(await byHand(port)), cluster };
  });
}

/** The cluster itself instead of its Lull. */
function withoutLull(whom: Whom): Whom {
  if (whom.via === 'cluster' || !whom.cluster || whom.cluster.kind === 'box') return whom;
  if (whom.isNear) return { via: 'cluster' };
  throw wrongUsage('A Lull in a cluster does not write this in your name. Use --context instead of --server.');
}

type ChangeAnswer = Json & { readonly cluster?: ClusterIdentity };

/** The error for a request that the cluster did not carry out. */
export function refusedBy(answer: Exclude<ApiResponse, { status: 'done' }>): Failure {
  if (answer.status === 'away') return new Failure([{ message: `The cluster does not answer: ${answer.message}` }]);
  const help =
    answer.code === 404
      ? ' If its CustomResourceDefinition is missing, `lull install` creates it.'
      : answer.code === 403
        ? ' Ask a cluster administrator for the permission; docs/reference/permissions.md names it.'
        : '';
  return new Failure([{ message: `The API server refuses it (${answer.code}): ${answer.message}${help}` }]);
}
