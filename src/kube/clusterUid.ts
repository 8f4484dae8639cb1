// The identity of a cluster: the uid of its kube-system namespace, which no other cluster shares.
import { isMap } from '../kinds/reader.ts';
import type { Duration } from '../time/instant.ts';
import type { Client } from './client.ts';

const path = '/api/v1/namespaces/kube-system';

/** Undefined if the API server does not answer or does not allow it: then nothing is known to be the same cluster. */
export async function readClusterUid(client: Client, timeout?: Duration): Promise<string | undefined> {
  const reply = await client.request({ method: 'GET', path, ...(timeout !== undefined && { timeout }) });
  if (reply.kind === 'silence' || reply.code !== 200 || !isMap(reply.body)) return undefined;
  const { metadata } = reply.body;
  const uid = isMap(metadata) ? metadata.uid : undefined;
  return typeof uid === 'string' && uid !== '' ? uid : undefined;
}
