// Where is the Lease of the cluster's Lull, and does anybody hold it? Lull may live in any namespace: whoever asks need not know which.
import { isMap, type Json } from '../kinds/reader.ts';
import { asDuration, type Duration, type Instant, parseInstant, second } from '../time/instant.ts';
import type { Client } from './client.ts';
import { leasePath } from './lease.ts';
import { settingsAnnotation } from './settingsInForce.ts';
import { messageOf } from './status.ts';

export interface FoundLease {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  /** Absent = nobody holds it: it was given back. */
  readonly holder?: string;
  readonly renewedAt?: Instant;
  readonly lasts: Duration;
}

const leases = '/apis/coordination.k8s.io/v1/leases';

/** In these namespaces, one after another; where it is in none of them, the one renewed last of the whole cluster. */
export async function findLease(
  client: Client,
  name: string,
  namespaces: readonly string[],
): Promise<FoundLease | undefined> {
  for (const namespace of new Set(namespaces)) {
    const reply = await client.request({ method: 'GET', path: leasePath(namespace, name) });
    if (reply.kind === 'silence') throw new Error(`Lease ${namespace}/${name} cannot be read: ${reply.message}`);
    // One that may not be read here is looked for elsewhere.
    if (reply.code === 200 && isMap(reply.body)) return readLease(reply.body);
  }
  return findAnywhere(client, name);
}

async function findAnywhere(client: Client, name: string): Promise<FoundLease | undefined> {
  const query = { fieldSelector: `metadata.name=${name}` };
  const reply = await client.request({ method: 'GET', path: leases, query });
  if (reply.kind === 'silence') throw new Error(`Leases cannot be listed: ${reply.message}`);
  const items = reply.code === 200 && isMap(reply.body) ? reply.body.items : undefined;
  return (Array.isArray(items) ? items : [])
    .filter(isMap)
    .filter(isLulls)
    .map(readLease)
    .filter((lease) => lease !== undefined)
    .sort((a, b) => (b.renewedAt ?? 0) - (a.renewedAt ?? 0))[0];
}

/** Undefined = there is none any more. */
export async function readLeaseAt(client: Client, namespace: string, name: string): Promise<FoundLease | undefined> {
  const reply = await client.request({ method: 'GET', path: leasePath(namespace, name) });
  if (reply.kind === 'silence') throw new Error(`Lease ${namespace}/${name} cannot be read: ${reply.message}`);
  if (reply.code === 404) return undefined;
  const lease = reply.code === 200 && isMap(reply.body) ? readLease(reply.body) : undefined;
  if (lease) return lease;
  throw new Error(`Lease ${namespace}/${name} cannot be read: ${reply.code}: ${messageOf(reply.body)}`);
}

/** Anybody may call a lease so; Lull's own says with which settings it runs. */
const isLulls = ({ metadata }: Json): boolean =>
  isMap(metadata) && isMap(metadata.annotations) && metadata.annotations[settingsAnnotation] !== undefined;

/** As long as client-go's, by custom, where it does not say. */
const usualSeconds = 15;

function readLease({ metadata, spec }: Json): FoundLease | undefined {
  if (!isMap(metadata)) return undefined;
  const { namespace, name, uid, resourceVersion } = metadata;
  const { holderIdentity: holder, renewTime, leaseDurationSeconds } = isMap(spec) ? spec : ({} as Json);
  const renewedAt = typeof renewTime === 'string' ? parseInstant(renewTime) : undefined;
  return {
    namespace: String(namespace),
    name: String(name),
    uid: String(uid),
    version: String(resourceVersion),
    ...(typeof holder === 'string' && holder !== '' && { holder }),
    ...(renewedAt !== undefined && { renewedAt }),
    lasts: asDuration((Number(leaseDurationSeconds) || usualSeconds) * second),
  };
}
