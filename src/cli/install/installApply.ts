// Applies the objects of `lull install` one by one, and creates what has no manifest: tokens, and the patch of the NodePool CRD (N9).
import { randomBytes } from 'node:crypto';
import { type Json, listIn, mapIn } from '../../kinds/read/reader.ts';
import { crdName } from '../../kinds/schema/crds.ts';
import { nodePool } from '../../kinds/schema/nodePoolSchema.ts';
import { patchNodePoolCrd } from '../../kinds/schema/patchNodePool.ts';
import { collectionPath } from '../../kube/apiKind.ts';
import { bodyOf, isDone, isNotFound, sayReply } from '../../kube/apiReply.ts';
import { type Applied, applyObject, removeObject } from '../../kube/apply.ts';
import type { Call, Client } from '../../kube/client.ts';
import { asDuration } from '../../time/instant.ts';
import type { Io } from '../io.ts';
import { bornParkedIn } from './manifests/birthPolicy.ts';
import {
  apiKindFor,
  type InstallSpec,
  installer,
  isInstallsOwn,
  type Manifest,
  pathOf,
  titleOf,
} from './manifests/manifest.ts';
import { readTokenKey, tokenFor } from './manifests/workloadManifests.ts';

export interface ObjectOutcome {
  /** `Kind/name` or `Kind/namespace/name`. */
  readonly object: string;
  readonly outcome: Applied['outcome'] | 'kept' | 'skipped' | 'removed';
  readonly message?: string;
}

interface Installing {
  readonly client: Client;
  readonly io: Io;
  readonly force: boolean;
}

export async function applyAll(
  manifests: readonly Manifest[],
  installing: Installing,
): Promise<readonly ObjectOutcome[]> {
  const { io } = installing;
  const done: ObjectOutcome[] = [];
  for (const [index, manifest] of manifests.entries()) {
    io.progress?.(`${index + 1} of ${manifests.length}: ${titleOf(manifest)}`);
    const result = await applyOne(manifest, installing);
    done.push({ object: titleOf(manifest), ...result });
    // The following objects would fail for the same reason.
    if (result.outcome === 'failed') break;
  }
  io.progress?.('');
  return done;
}

/** Removes the policy that parks new nodes, its binding first. One that install did not create stays. */
export async function endBornParked(wanted: InstallSpec, client: Client): Promise<readonly ObjectOutcome[]> {
  const { policies = 'none' } = wanted;
  if (policies === 'none') return [];
  const done: ObjectOutcome[] = [];
  for (const manifest of bornParkedIn(wanted, policies).toReversed()) {
    const object = titleOf(manifest);
    const found = await get(client, manifest);
    if (!found) continue;
    if (isInstallsOwn(found)) {
      const removed = await removeObject(client, { kind: apiKindFor(manifest), object: manifest });
      done.push({ object, ...(removed.outcome === 'failed' ? removed : { outcome: 'removed' }) });
    } else {
      const message = 'It still parks new nodes; `lull install` did not create it.';
      done.push({ object, outcome: 'kept', message });
    }
  }
  return done;
}

type StepOutcome = Omit<ObjectOutcome, 'object'>;

/** The object in the cluster. Undefined = there is none, or it cannot be read. */
const get = async (client: Client, manifest: Manifest): Promise<Json | undefined> =>
  bodyOf(await client.request({ method: 'GET', path: pathOf(manifest) }));

async function applyOne(manifest: Manifest, installing: Installing): Promise<StepOutcome> {
  const { client, force } = installing;
  const kind = apiKindFor(manifest);
  if (manifest.kind === 'Namespace' && (await isAnothers(client, manifest)))
    return { outcome: 'kept', message: 'It existed before Lull and is not changed.' };
  const applied = await applyObject(client, { kind, object: manifest, manager: installer, force });
  if (applied.outcome === 'failed' && applied.message.startsWith('404') && kind.kind.startsWith('ValidatingAdmission'))
    return {
      outcome: 'skipped',
      message: 'This API server does not serve it (Kubernetes 1.30 does): only RBAC restricts Lull.',
    };
  if (manifest.kind !== 'CustomResourceDefinition' || applied.outcome === 'failed') return applied;
  return (await isEstablished(manifest, installing))
    ? applied
    : { outcome: 'failed', message: 'The API server does not serve it after 30 s. Check its conditions with kubectl.' };
}

/** Uninstall removes the namespace that install created. A namespace that existed before must never look like it. */
async function isAnothers(client: Client, namespace: Manifest): Promise<boolean> {
  const found = await get(client, namespace);
  return found !== undefined && !isInstallsOwn(found);
}

const tries = 150;
const between = asDuration(200);

async function isEstablished(manifest: Manifest, { client, io }: Installing): Promise<boolean> {
  for (let attempt = 0; attempt < tries; attempt++) {
    const conditions = listIn(mapIn((await get(client, manifest))?.status), 'conditions');
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return true;
    await io.wait?.(between);
  }
  return false;
}

const newToken = (): string => randomBytes(32).toString('hex');

/** Creates the tokens once; existing ones stay. */
export async function makeToken(client: Client, wanted: InstallSpec): Promise<ObjectOutcome> {
  const secret = tokenFor(wanted, { token: newToken(), [readTokenKey]: newToken() });
  const object = titleOf(secret);
  const path = collectionPath(apiKindFor(secret), wanted.namespace);
  const reply = await client.request({ method: 'POST', path, query: { fieldManager: installer }, body: secret });
  if (isDone(reply)) return { object, outcome: 'created' };
  if (reply.kind === 'answer' && reply.code === 409) return { object, ...(await addReadToken(client, secret)) };
  return { object, outcome: 'failed', message: sayReply(reply) };
}

/** An older Lull created its Secret with one token. A Secret that install did not create is left as it is. */
async function addReadToken(client: Client, secret: Manifest): Promise<StepOutcome> {
  const path = pathOf(secret);
  const found = await client.request({ method: 'GET', path });
  const known = bodyOf(found);
  if (!known) return { outcome: 'failed', message: sayReply(found) };
  if (!isInstallsOwn(known) || mapIn(known.data)[readTokenKey] !== undefined) return { outcome: 'unchanged' };
  const { resourceVersion } = mapIn(known.metadata);
  const body = { metadata: { resourceVersion }, stringData: { [readTokenKey]: newToken() } };
  return patch(client, { path, body, contentType: 'application/merge-patch+json' });
}

async function patch(client: Client, call: Pick<Call, 'path' | 'body' | 'contentType'>): Promise<StepOutcome> {
  const reply = await client.request({ method: 'PATCH', query: { fieldManager: installer }, ...call });
  return isDone(reply) ? { outcome: 'changed' } : { outcome: 'failed', message: sayReply(reply) };
}

const object = `CustomResourceDefinition/${crdName(nodePool)}`;
const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crdName(nodePool)}`;

export const patchedNote =
  "Karpenter's NodePool CRD now has Lull's fields. Applying Karpenter's own CRD again, as its upgrades do, hides them at once, and the next write of a pool erases them. Lull keeps a copy in the annotation lull.dev/budgets-seen, continues from it and reports it; run install again to get the fields back.";

export async function patchNodePool(client: Client): Promise<ObjectOutcome> {
  const found = await client.request({ method: 'GET', path });
  if (isNotFound(found)) return failed("There is no NodePool CRD: install Karpenter's CRDs first.");
  const known = bodyOf(found);
  if (!known) return failed(sayReply(found));
  const answer = patchNodePoolCrd(known);
  if ('fault' in answer) return failed(answer.fault);
  if (answer.patch.length === 0) return { object, outcome: 'unchanged' };
  const call = { path, body: answer.patch, contentType: 'application/json-patch+json' };
  return { object, ...(await patch(client, call)) };
}

/** Whether the NodePool CRD has Lull's fields. Uninstall leaves them, since a pool may use them. */
export async function isNodePoolPatched(client: Client): Promise<boolean> {
  const found = bodyOf(await client.request({ method: 'GET', path }));
  const answer = found && patchNodePoolCrd(found);
  return answer !== undefined && 'patch' in answer && answer.patch.length === 0;
}

const failed = (message: string): ObjectOutcome => ({ object, outcome: 'failed', message });
