// Does a Lull lead at this moment? Seen by whether its lease is renewed, not by anybody's clock; while we work, the lease is ours.
import { randomUUID } from 'node:crypto';
import { isMap } from '../kinds/reader.ts';
import type { Connection } from '../kube/connection.ts';
import { type FoundLease, readLeaseAt } from '../kube/findLease.ts';
import { leasePath } from '../kube/lease.ts';
import { asDuration, formatInstant, second } from '../time/instant.ts';
import { Failure, wrongUsage } from './failure.ts';
import type { Io } from './io.ts';

/** A Lull that leads renews its lease every two seconds. */
const lookEvery = asDuration(second);

/** True as long as it is held. */
export type IsHeld = () => boolean;

/** Works with the lease in hand, so that no Lull starts beside it; refuses where one leads. */
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
    // Once lost, it is not taken again: who came meanwhile is to be stopped by a person.
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

/** Looks on until the lease is ours, or somebody has renewed it, or it cannot be had. */
async function watchHolder(connection: Connection, watching: Watching): Promise<Failure | undefined> {
  const { lease, io, stop, isOurs, faults } = watching;
  while (!isOurs() && !stop.signal.aborted) {
    if (lease.holder !== undefined) io.progress?.(`looking whether ${lease.holder} still leads`);
    await io.wait?.(lookEvery);
    if (isOurs() || stop.signal.aborted) return undefined;
    const now = await readLeaseAt(connection.client, lease.namespace, lease.name).catch(() => undefined);
    const leader =
      now && now.version !== lease.version && now.holder !== undefined && !isOurs() ? now.holder : undefined;
    const last = faults.at(-1);
    if (leader === undefined && last === undefined) continue;
    // Ours may just have been written: whoever has it by then says so.
    if (leader?.startsWith('lull-release-')) continue;
    stop.abort();
    io.progress?.('');
    return leader === undefined
      ? new Failure([{ message: `The lease cannot be taken: ${last}` }])
      : leads(leader, lease);
  }
  return undefined;
}

const leads = (holder: string, { namespace }: FoundLease): Failure =>
  wrongUsage(
    `${holder} leads there: what is released now it would take up again. Stop it first, as with \`kubectl -n ${namespace} scale deployment lull --replicas=0\`, or release it all the same with --force.`,
  );

/** Nobody's any more: it goes. Undefined = done; else who came meanwhile. */
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
  const isGone = reply.kind === 'answer' && (reply.code < 300 || reply.code === 404);
  return isGone ? undefined : 'somebody';
}

/** Back to when a Lull renewed it last, so that the next look finds it as old as it is. Where somebody holds it by now, it is theirs. */
export async function giveBack({ client }: Connection, { namespace, name, renewedAt }: FoundLease): Promise<void> {
  if (renewedAt === undefined) return;
  const path = leasePath(namespace, name);
  const reply = await client.request({ method: 'GET', path });
  if (reply.kind !== 'answer' || reply.code !== 200 || !isMap(reply.body)) return;
  const { spec } = reply.body;
  if (!isMap(spec) || spec.holderIdentity) return;
  const renewTime = formatInstant(renewedAt).replace('Z', '.000000Z');
  // Its resourceVersion is the one that was read: who takes it meanwhile keeps it.
  await client.request({ method: 'PUT', path, body: { ...reply.body, spec: { ...spec, renewTime } } });
}
