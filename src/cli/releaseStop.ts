// Who would write again what is released? The Lull that still runs: its Deployment goes to nothing first, and its pods have time to end.
import { InvalidArgumentError } from 'commander';
import { isMap, type Json } from '../kinds/reader.ts';
import type { Client } from '../kube/client.ts';
import { sayReply } from '../kube/status.ts';
import { asDuration } from '../time/instant.ts';
import { Failure } from './failure.ts';
import type { Io } from './io.ts';

export interface Stopped {
  readonly namespace: string;
  readonly name: string;
}

export function deploymentFlag(word: string): Stopped {
  const [namespace, name, ...more] = word.split('/');
  if (!namespace || !name || more.length > 0)
    throw new InvalidArgumentError('Use namespace/name such as lull-system/lull.');
  return { namespace, name };
}

/** 90 s: three times what its pods are given to end. */
const tries = 90;
const between = asDuration(1000);

/**
 * Returns when its pods are gone, or should be: one on a node that is lost never is, and whether it still leads is told by the
 * lease. Where there is no such Deployment, there is nothing to stop.
 */
export async function stopDeployment(client: Client, { namespace, name }: Stopped, io: Io): Promise<void> {
  const reply = await client.request({
    method: 'PATCH',
    path: `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/deployments/${encodeURIComponent(name)}/scale`,
    body: { spec: { replicas: 0 } },
    contentType: 'application/merge-patch+json',
  });
  if (reply.kind === 'answer' && reply.code === 404) return;
  if (reply.kind !== 'answer' || reply.code !== 200)
    throw new Failure([
      { object: `Deployment/${namespace}/${name}`, message: `It could not be stopped: ${sayReply(reply)}` },
    ]);
  const selector = mapIn(mapIn(reply.body).status).selector;
  if (typeof selector !== 'string' || selector === '') return;
  for (let attempt = 0; attempt < tries; attempt++) {
    const left = await countPods(client, namespace, selector);
    if (left === 0) break;
    io.progress?.(`waiting for ${left} of its pods to end`);
    await io.wait?.(between);
  }
  io.progress?.('');
}

/** Of all namespaces, since that is what release may list anyway. */
async function countPods(client: Client, namespace: string, selector: string): Promise<number> {
  const reply = await client.request({ method: 'GET', path: '/api/v1/pods', query: { labelSelector: selector } });
  if (reply.kind !== 'answer' || reply.code !== 200)
    throw new Failure([{ message: `Its pods cannot be listed: ${sayReply(reply)}` }]);
  const { items } = mapIn(reply.body);
  const pods: readonly unknown[] = Array.isArray(items) ? items : [];
  return pods.filter((pod) => mapIn(mapIn(pod).metadata).namespace === namespace).length;
}

const mapIn = (value: unknown): Json => (isMap(value) ? value : {});
