// How do the manifests get into the cluster? One after another, each told as it was found; what others wrote is left unless told otherwise.
import { randomBytes } from 'node:crypto';
import { isMap } from '../kinds/reader.ts';
import { collectionPath, objectPath } from '../kube/apiKind.ts';
import { type Applied, applyObject, removeObject } from '../kube/apply.ts';
import type { Client } from '../kube/client.ts';
import { sayReply } from '../kube/status.ts';
import { asDuration } from '../time/instant.ts';
import type { Io } from './io.ts';
import { bornParkedIn } from './manifests/bornParked.ts';
import { apiKindFor, installer, isInstallsOwn, type Manifest, titleOf, type Wanted } from './manifests/manifest.ts';
import { readTokenKey, tokenFor } from './manifests/workload.ts';

export interface Done {
  /** `Kind/name` or `Kind/namespace/name`. */
  readonly object: string;
  readonly outcome: Applied['outcome'] | 'kept' | 'skipped' | 'removed';
  readonly message?: string;
}

export interface Installing {
  readonly client: Client;
  readonly io: Io;
  readonly force: boolean;
}

export async function applyAll(manifests: readonly Manifest[], installing: Installing): Promise<readonly Done[]> {
  const { io } = installing;
  const done: Done[] = [];
  for (const [index, manifest] of manifests.entries()) {
    io.progress?.(`${index + 1} of ${manifests.length}: ${titleOf(manifest)}`);
    const result = await applyOne(manifest, installing);
    done.push({ object: titleOf(manifest), ...result });
    // What follows would fail in the same words.
    if (result.outcome === 'failed') break;
  }
  io.progress?.('');
  return done;
}

/** Removes the policy that parks new nodes, the binding first; one that install did not make stays. */
export async function endBornParked(wanted: Wanted, client: Client): Promise<readonly Done[]> {
  const { policies = 'none' } = wanted;
  if (policies === 'none') return [];
  const done: Done[] = [];
  for (const manifest of bornParkedIn(wanted, policies).toReversed()) {
    const [kind, object] = [apiKindFor(manifest), titleOf(manifest)];
    const found = await client.request({ method: 'GET', path: objectPath(kind, manifest.metadata.name) });
    if (found.kind !== 'answer' || found.code !== 200 || !isMap(found.body)) continue;
    if (!isInstallsOwn(found.body)) {
      done.push({
        object,
        outcome: 'kept',
        message: 'New nodes are still parked by it; `lull install` did not make it.',
      });
      continue;
    }
    const removed = await removeObject(client, { kind, object: manifest });
    if (removed.outcome === 'failed') done.push({ object, outcome: 'failed', message: removed.message });
    else done.push({ object, outcome: 'removed' });
  }
  return done;
}

type Result = Omit<Done, 'object'>;

async function applyOne(manifest: Manifest, installing: Installing): Promise<Result> {
  const { client, force } = installing;
  const kind = apiKindFor(manifest);
  if (manifest.kind === 'Namespace' && (await isAnothers(client, manifest)))
    return { outcome: 'kept', message: 'It was there before Lull, and stays as it is.' };
  const applied = await applyObject(client, { kind, object: manifest, manager: installer, force });
  if (applied.outcome === 'failed' && applied.message.startsWith('404') && kind.kind.startsWith('ValidatingAdmission'))
    return {
      outcome: 'skipped',
      message: 'This server does not know it (Kubernetes 1.30 does): RBAC alone binds Lull.',
    };
  if (manifest.kind !== 'CustomResourceDefinition' || applied.outcome === 'failed') return applied;
  return (await isEstablished(manifest, installing))
    ? applied
    : { outcome: 'failed', message: 'The server does not serve it after 30 s. See its conditions with kubectl.' };
}

/** Uninstall removes the namespace that install made. One that was there before must never look like it. */
async function isAnothers(client: Client, { metadata }: Manifest): Promise<boolean> {
  const reply = await client.request({
    method: 'GET',
    path: `/api/v1/namespaces/${encodeURIComponent(metadata.name)}`,
  });
  return reply.kind === 'answer' && reply.code === 200 && isMap(reply.body) && !isInstallsOwn(reply.body);
}

const tries = 150;
const between = asDuration(200);

async function isEstablished(manifest: Manifest, { client, io }: Installing): Promise<boolean> {
  for (let attempt = 0; attempt < tries; attempt++) {
    const path = objectPath(apiKindFor(manifest), manifest.metadata.name);
    const reply = await client.request({ method: 'GET', path });
    if (reply.kind === 'answer' && reply.code === 200 && conditionsOf(reply.body).includes('Established')) return true;
    await io.wait?.(between);
  }
  return false;
}

/** The types of those that are True. */
function conditionsOf(body: unknown): readonly unknown[] {
  const status = isMap(body) && isMap(body.status) ? body.status : {};
  const conditions: readonly unknown[] = Array.isArray(status.conditions) ? status.conditions : [];
  return conditions.filter(isMap).flatMap((it) => (it.status === 'True' ? [it.type] : []));
}

const newToken = (): string => randomBytes(32).toString('hex');

/** Made once, and kept. */
export async function makeToken(client: Client, wanted: Wanted): Promise<Done> {
  const secret = tokenFor(wanted, { token: newToken(), [readTokenKey]: newToken() });
  const object = titleOf(secret);
  const path = collectionPath(apiKindFor(secret), wanted.namespace);
  const reply = await client.request({ method: 'POST', path, query: { fieldManager: installer }, body: secret });
  if (reply.kind === 'answer' && reply.code === 201) return { object, outcome: 'created' };
  if (reply.kind === 'answer' && reply.code === 409) return { object, ...(await addReadToken(client, secret)) };
  return { object, outcome: 'failed', message: sayReply(reply) };
}

/** An older Lull made its Secret with one token. One that install did not make is left as it is. */
async function addReadToken(client: Client, { metadata, ...secret }: Manifest): Promise<Omit<Done, 'object'>> {
  const path = objectPath(apiKindFor({ metadata, ...secret }), metadata.name, metadata.namespace);
  const found = await client.request({ method: 'GET', path });
  if (found.kind !== 'answer' || found.code !== 200 || !isMap(found.body))
    return { outcome: 'failed', message: sayReply(found) };
  const { data, metadata: known } = found.body;
  if (!isInstallsOwn(found.body) || (isMap(data) && data[readTokenKey] !== undefined)) return { outcome: 'unchanged' };
  const resourceVersion = isMap(known) ? known.resourceVersion : undefined;
  const reply = await client.request({
    method: 'PATCH',
    path,
    query: { fieldManager: installer },
    body: { metadata: { resourceVersion }, stringData: { [readTokenKey]: newToken() } },
    contentType: 'application/merge-patch+json',
  });
  if (reply.kind === 'answer' && reply.code === 200) return { outcome: 'changed' };
  return { outcome: 'failed', message: sayReply(reply) };
}
