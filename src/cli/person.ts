// Whom does a person's command turn to? A Lull that runs, or the cluster itself; where nothing is named, whichever is near.
import { steadyClock } from '../kube/machine.ts';
import { openPersonPort } from '../kube/personPort.ts';
import type { Answer, Port } from '../runtime/port.ts';
import type { About } from '../server/source.ts';
import { namesCluster, whereIs, withCluster } from './asked.ts';
import { fetchFrom, usualServer } from './askServer.ts';
import { type ClusterFlags, connectTo } from './clusterFlags.ts';
import { unreachable } from './clusterInput.ts';
import { Failure, wrongUsage } from './failure.ts';
import type { Io } from './io.ts';

export interface PersonFlags extends ClusterFlags {
  readonly server?: string;
}

/** A Lull on this machine answers at once, or is none. */
const nearWithin = 1000;

/** --server, else a cluster that is named, else a Lull that runs on this machine, else the cluster of the current context. */
export async function asksServer(flags: PersonFlags, io: Io): Promise<boolean> {
  return named(flags) ?? ((await nearLull()) !== undefined || currentCluster(flags, io) === undefined);
}

/** The same for what changes something. */
export async function changesByServer(flags: PersonFlags, io: Io): Promise<boolean> {
  return named(flags) ?? changesNear(await nearLull(), currentCluster(flags, io));
}

/** Where two clusters could be meant, it must be said which: else the wrong one would be stopped. */
export function changesNear(near: About | undefined, current: About['cluster']): boolean {
  if (near && current && near.cluster?.server !== current.server) {
    const its = near.cluster ? `context ${near.cluster.context}` : 'a cluster in memory';
    throw wrongUsage(
      `Two clusters could be meant: a Lull on this machine is for ${its}, and the current context is ${current.context}. Say --server ${usualServer}, or --context ${current.context}.`,
    );
  }
  return near !== undefined || current === undefined;
}

/** Undefined = nothing is named. */
function named(flags: PersonFlags): boolean | undefined {
  if (flags.server === undefined) return namesCluster(flags) ? false : undefined;
  if (namesCluster(flags)) throw wrongUsage('Give either --server or --kubeconfig and --context, not both.');
  return true;
}

export const whichServer = ({ server }: PersonFlags): string => `the Lull at ${server ?? usualServer}`;

/** A Lull at the usual place that has decided something, and whose it is. */
async function nearLull(): Promise<About | undefined> {
  const ask = (path: string): Promise<Response> =>
    fetchFrom(undefined, path, { signal: AbortSignal.timeout(nearWithin) });
  try {
    const ready = await ask('/readyz');
    if (!ready.ok || (await ready.text()).trim() !== 'ok') return undefined;
    return (await (await ask('/api/about')).json()) as About;
  } catch {
    return undefined;
  }
}

/** Where there is none either, it is the Lull that is missed: its message says what else could be named. */
function currentCluster(flags: ClusterFlags, io: Io): About['cluster'] {
  try {
    const { context, server, close } = connectTo(flags, io);
    close();
    return { context, server: server.origin };
  } catch {
    return undefined;
  }
}

/** A port in the person's own name, for what it needs to know, and where it leads. */
export function asPerson<Result>(
  flags: ClusterFlags,
  { io, kinds }: { readonly io: Io; readonly kinds: readonly string[] },
  use: (port: Port, where: string) => Promise<Result>,
): Promise<Result> {
  return withCluster(flags, io, async (connection) => {
    const port = await openPersonPort({ client: connection.client, clock: steadyClock, kinds }).catch(
      (error: unknown) => {
        throw unreachable(connection, error);
      },
    );
    return use(port, whereIs(connection));
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
