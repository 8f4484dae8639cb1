// Whom a person's command asks: a running Lull, or the cluster itself. Never a Lull of another cluster, unless --server names it.
import { NoClusterError } from '../kube/findAccess.ts';
import { steadyClock } from '../kube/machine.ts';
import { openPersonPort } from '../kube/personPort.ts';
import type { Answer, Port } from '../runtime/port.ts';
import type { ClusterIdentity } from '../server/source.ts';
import { namesCluster, whereIs, withCluster } from './asked.ts';
import { fetchFrom, usualServer } from './askServer.ts';
import type { ClusterFlags } from './clusterFlags.ts';
import { unreachable } from './clusterInput.ts';
import { Failure, wrongUsage } from './failure.ts';
import type { Io } from './io.ts';
import type { Form } from './output.ts';
import { dim, paint } from './span.ts';
import { identityOf, sayCluster } from './whichCluster.ts';

export interface PersonFlags extends ClusterFlags {
  readonly server?: string;
  readonly output?: Form;
}

export interface AskServer {
  readonly via: 'server';
  /** Its address. */
  readonly server: string;
  /** Found on this machine, not named with --server. */
  readonly isNear: boolean;
  /** Absent = it does not say. */
  readonly cluster?: ClusterIdentity;
}

export type Whom = AskServer | { readonly via: 'cluster' };

/** The cluster of the kubeconfig, through its own Lull if that is near; a Lull of any other cluster is mentioned, not asked. */
export async function whomToAsk(flags: PersonFlags, io: Io): Promise<Whom> {
  const { whom, other } = await choose(flags, io);
  if (other && (flags.output ?? 'text') === 'text') io.stderr(paint([[dim(sayOther(other))]], io.color));
  return whom;
}

/** The same for commands that change something. Where two clusters could be meant it must be said which: else the wrong one is changed. */
export async function whomToChange(flags: PersonFlags, io: Io): Promise<Whom> {
  const { whom, other, context } = await choose(flags, io);
  if (other)
    throw wrongUsage(
      `Two clusters could be meant: the current context is ${context}, and ${sayNear(other)}. Say --context ${context}, or --server ${other.server}.`,
    );
  return whom;
}

interface Choice {
  readonly whom: Whom;
  /** A Lull on this machine that is not known to be for the cluster that is meant. */
  readonly other?: AskServer;
  /** The current context. */
  readonly context?: string;
}

async function choose(flags: PersonFlags, io: Io): Promise<Choice> {
  if (flags.server !== undefined) {
    if (namesCluster(flags)) throw wrongUsage('Give either --server or --kubeconfig and --context, not both.');
    return { whom: await serverAt(flags.server) };
  }
  if (namesCluster(flags)) return { whom: { via: 'cluster' } };
  const near = await nearLull(io);
  const current = await currentCluster(flags, io, near);
  // Without either, the Lull is missed: that error names the other ways to say what is meant.
  if (!current) return { whom: near ?? { via: 'server', server: usualServer(io), isNear: false } };
  const { context, impersonates, identity } = current;
  if (!near) return { whom: { via: 'cluster' } };
  const isSame = identity?.uid !== undefined && identity.uid === near.cluster?.uid;
  // A running Lull acts with its own rights, not with those of whom the kubeconfig acts as.
  if (isSame && impersonates) return { whom: { via: 'cluster' } };
  return isSame ? { whom: { ...near, cluster: identity } } : { whom: { via: 'cluster' }, other: near, context };
}

interface Current {
  readonly context: string;
  /** The kubeconfig acts as another user. */
  readonly impersonates: boolean;
  readonly identity?: ClusterIdentity;
}

/** Undefined = no kubeconfig and no pod. One that cannot be used is an error: a cluster was meant. */
async function currentCluster(flags: ClusterFlags, io: Io, near: AskServer | undefined): Promise<Current | undefined> {
  try {
    return await withCluster(flags, io, async (connection) => {
      const { context, actsAs } = connection;
      const impersonates = actsAs !== undefined;
      // Asked for only if there is something to compare it with.
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
    : `a Lull for ${cluster ? `${sayCluster(cluster)}` : 'a cluster it does not name'} is listening on ${server}`;

const sayOther = (near: AskServer): string => `${sayNear(near)} too: --server ${near.server} asks it`;

export const whichServer = ({ server }: AskServer): string => `the Lull at ${server}`;

/** How long a Lull on this machine may take to answer, on a machine that is busy. Where none listens that is known at once. */
const nearWithin = 5000;

/** A Lull at the usual place that has decided something. */
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

/** With the cluster that it says it is for; an older Lull does not say. */
async function serverAt(server: string): Promise<AskServer> {
  const response = await fetchFrom(server, '/api/cluster', { signal: AbortSignal.timeout(nearWithin) });
  const cluster = response.ok ? readIdentity(await response.json().catch(() => undefined)) : undefined;
  return { via: 'server', server, isNear: false, ...(cluster && { cluster }) };
}

function readIdentity(value: unknown): ClusterIdentity | undefined {
  const { kind, name, uid, server } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if ((kind !== 'box' && kind !== 'cluster') || typeof name !== 'string') return undefined;
  return {
    kind,
    name,
    ...(typeof uid === 'string' && uid !== '' && { uid }),
    ...(typeof server === 'string' && { server }),
  };
}

/** Where a person's request went. */
export interface Where {
  /** `context dev (https://…)` */
  readonly text: string;
  readonly cluster: ClusterIdentity;
}

/** A port in the person's own name, for what it needs to know, and where it leads. */
export function asPerson<Result>(
  flags: ClusterFlags,
  { io, kinds }: { readonly io: Io; readonly kinds: readonly string[] },
  use: (port: Port, where: Where) => Promise<Result>,
): Promise<Result> {
  return withCluster(flags, io, async (connection) => {
    const port = await openPersonPort({ client: connection.client, clock: steadyClock, kinds }).catch(
      (error: unknown) => {
        throw unreachable(connection, error);
      },
    );
    return use(port, { text: whereIs(connection), cluster: await identityOf(connection) });
  });
}

/** What the cluster said to a person's request, where that was no yes. */
export function refusedBy(answer: Exclude<Answer, { status: 'done' }>): Failure {
  if (answer.status === 'away') return new Failure([{ message: `The cluster does not answer: ${answer.message}` }]);
  const help =
    answer.code === 404
      ? ' Where its definition is missing, `lull install` brings it.'
      : answer.code === 403
        ? ' Ask whoever may for the permission; docs/reference/permissions.md names it.'
        : '';
  return new Failure([{ message: `The cluster says no (${answer.code}): ${answer.message}${help}` }]);
}
