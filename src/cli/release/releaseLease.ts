// The lease during a release: renewals, not clocks, show whether a Lull leads; while a release works, it holds the lease.
import { randomUUID } from 'node:crypto';
import { mapIn } from '../../kinds/read/reader.ts';
import { isDone, isNotFound } from '../../kube/apiReply.ts';
import type { Connection } from '../../kube/connection.ts';
import { leasePath } from '../../kube/lease.ts';
import { type FoundLease, readLeaseAt } from '../../kube/leaseSeen.ts';
import { asDuration, formatInstant, second } from '../../time/instant.ts';
import { Failure, wrongUsage } from '../failure.ts';
import type { Io } from '../io.ts';

/** A Lull that leads renews its lease every two seconds. */
const lookEvery = asDuration(second);

/** True as long as the lease is held. */
export type IsHeld = () => boolean;

/** Works while holding the lease, so that no Lull starts meanwhile; refuses if one leads. */
export async function withLease(
  connection: Connection,
  { lease, io }: { readonly lease: FoundLease; readonly io: Io },
  work: (isHeld: IsHeld) => Promise<void>,
): Promise<void> {
  const { namespace, name } = lease;
  const stop = new AbortController();
  const worked = { begun: false, done: false };
  const faults: string[] = [];
  const options = {
    namespace,
    name,
    identity: `lull-release-${randomUUID().slice(0, 8)}`,
    signal: stop.signal,
    onFault: (message: string) => faults.push(message),
  };
  const refused = watchHolder(connection, { lease, io, stop, isOurs: () => worked.begun, faults });
  await connection.whileLeading(options, async ({ isHeld }) => {
    // Once lost, the lease is not acquired again: a person must stop the Lull that has it.
    if (worked.begun) return;
    worked.begun = true;
    io.progress?.('');
    try {
      await work(isHeld);
      worked.done = true;
    } finally {
      stop.abort();
    }
  });
  const why = await refused;
  if (!worked.done && why !== undefined) throw why;
}

interface Watching {
  readonly lease: FoundLease;
  readonly io: Io;
  readonly stop: AbortController;
  readonly isOurs: () => boolean;
  readonly faults: readonly string[];
}

/** Watches until we hold the lease, another process has renewed it, or it cannot be acquired. */
async function watchHolder(connection: Connection, watching: Watching): Promise<Failure | undefined> {
  const { lease, io, stop, isOurs, faults } = watching;
  while (!isOurs() && !stop.signal.aborted) {
    if (lease.holder !== undefined) io.progress?.(`checking whether ${lease.holder} still leads`);
    await io.wait?.(lookEvery);
    if (isOurs() || stop.signal.aborted) return undefined;
    const now = await readLeaseAt(connection.client, lease.namespace, lease.name).catch(() => undefined);
    const leader =
      now && now.version !== lease.version && now.holder !== undefined && !isOurs() ? now.holder : undefined;
    const last = faults.at(-1);
    if (leader === undefined && last === undefined) continue;
    // Our own write may be the newer version: keep looking.
    if (leader?.startsWith('lull-release-')) continue;
    stop.abort();
    io.progress?.('');
    return leader === undefined
      ? new Failure([{ message: `The lease cannot be acquired: ${last}` }])
      : leads(leader, lease);
  }
  return undefined;
}

const leads = (holder: string, { namespace }: FoundLease): Failure =>
  wrongUsage(
    `${holder} leads there and would write again what is released. Stop it first, for example with \`kubectl -n ${namespace} scale deployment lull --replicas=0\`, or release anyway with --force.`,
  );

/** Deletes the lease if no process holds it. Undefined = done; otherwise the process that acquired it meanwhile. */
export async function removeLease(
  connection: Connection,
  { namespace, name }: FoundLease,
): Promise<string | undefined> {
  const { client } = connection;
  const now = await readLeaseAt(client, namespace, name);
  if (!now) return undefined;
  if (now.holder !== undefined) return now.holder;
  const preconditions = { uid: now.uid, resourceVersion: now.version };
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
  const reply = await client.request({ method: 'DELETE', path: leasePath(namespace, name), body });
  return isDone(reply) || isNotFound(reply) ? undefined : 'another process';
}

/** Restores the time of the last renewal by a Lull, so that its age stays right. If another process holds the lease by now, it is left. */
export async function giveBack({ client }: Connection, { namespace, name, renewedAt }: FoundLease): Promise<void> {
  if (renewedAt === undefined) return;
  const now = await readLeaseAt(client, namespace, name).catch(() => undefined);
  if (!now || now.holder !== undefined) return;
  const renewTime = formatInstant(renewedAt).replace('Z', '.000000Z');
  // With the resourceVersion that was read: a Lull that acquires it meanwhile keeps it.
  const body = { ...now.object, spec: { ...mapIn(now.object.spec), renewTime } };
  await client.request({ method: 'PUT', path: leasePath(namespace, name), body });
}
