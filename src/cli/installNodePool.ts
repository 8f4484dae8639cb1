// How do Lull's fields get into Karpenter's own NodePool (N9)? Only where asked for, by a patch that adds and never replaces.
import { crdName } from '../kinds/crds/definition.ts';
import { nodePool } from '../kinds/crds/nodePool.ts';
import { patchNodePoolCrd } from '../kinds/crds/patchNodePool.ts';
import { isMap } from '../kinds/reader.ts';
import type { Client } from '../kube/client.ts';
import { sayReply } from '../kube/status.ts';
import type { Done } from './installApply.ts';
import { installer } from './manifests/manifest.ts';

const object = `CustomResourceDefinition/${crdName(nodePool)}`;
const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crdName(nodePool)}`;

export const patchedNote =
  "Karpenter's NodePool now has Lull's fields. Applying Karpenter's own CRD again, as its upgrades do, hides them at once, and the next write of a pool erases them. Lull keeps a copy in the annotation lull.dev/budgets-seen, goes on from it and says so; install again to have the fields back.";

export async function patchNodePool(client: Client): Promise<Done> {
  const found = await client.request({ method: 'GET', path });
  if (found.kind === 'answer' && found.code === 404)
    return failed("There is no NodePool here: install Karpenter's CRDs first.");
  if (found.kind === 'silence' || found.code !== 200 || !isMap(found.body)) return failed(sayReply(found));
  const answer = patchNodePoolCrd(found.body);
  if ('fault' in answer) return failed(answer.fault);
  if (answer.patch.length === 0) return { object, outcome: 'unchanged' };
  const reply = await client.request({
    method: 'PATCH',
    path,
    query: { fieldManager: installer },
    body: answer.patch,
    contentType: 'application/json-patch+json',
  });
  const isPatched = reply.kind === 'answer' && reply.code === 200;
  return isPatched ? { object, outcome: 'changed' } : failed(sayReply(reply));
}

/** Whether it carries Lull's fields; uninstall leaves them, since a pool may use them. */
export async function isNodePoolPatched(client: Client): Promise<boolean> {
  const found = await client.request({ method: 'GET', path });
  if (found.kind !== 'answer' || found.code !== 200 || !isMap(found.body)) return false;
  const answer = patchNodePoolCrd(found.body);
  return 'patch' in answer && answer.patch.length === 0;
}

const failed = (message: string): Done => ({ object, outcome: 'failed', message });
