// The check of objects in this cluster or another: a condition, or a CEL expression, that every one must satisfy (O1).
import { Environment } from '@marcbachmann/cel-js';
import type { CheckResult, ObjectCheck } from '../cluster/healthGateRecord.ts';
import { isMap, type Json, listIn, mapIn } from '../kinds/read/reader.ts';
import { formatSelector } from '../kinds/read/selectors.ts';
import { bodyOf, sayReply } from '../kube/apiReply.ts';
import type { Client } from '../kube/client.ts';
import { unknown } from './urlChecks.ts';

export async function checkObjects(check: ObjectCheck, client: Pick<Client, 'request'>): Promise<CheckResult> {
  const objects = await readObjects(check, client);
  if (typeof objects === 'string') return unknown(objects);
  if (objects.length === 0) return unknown(`no ${check.kind} is selected`);
  const failing = objects.filter((object) => !satisfies(object, check)).map((it) => String(mapIn(it.metadata).name));
  if (failing.length === 0)
    return { health: 'Healthy', message: `${objects.length} of ${objects.length} ${check.kind} satisfy it` };
  return {
    health: 'Unhealthy',
    message: `${failing.length} of ${objects.length} ${check.kind} do not satisfy it: ${failing.slice(0, 3).join(', ')}`,
  };
}

/** A text says why they cannot be read. */
async function readObjects(check: ObjectCheck, client: Pick<Client, 'request'>): Promise<readonly Json[] | string> {
  const { apiVersion, kind, namespace, name, selector } = check;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const known = await client.request({ method: 'GET', path: root });
  const resource = listIn(bodyOf(known), 'resources').find((it) => it.kind === kind && !String(it.name).includes('/'));
  if (!resource) return bodyOf(known) ? `the API server has no ${kind} in ${apiVersion}` : sayReply(known);
  const place = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const path = `${root}${place}/${String(resource.name)}`;
  if (name !== undefined) {
    if (resource.namespaced === true && namespace === undefined) return `${kind} needs a namespace with a name`;
    const one = await client.request({ method: 'GET', path: `${path}/${encodeURIComponent(name)}` });
    return bodyOf(one) ? [mapIn(bodyOf(one))] : sayReply(one);
  }
  const labelSelector = selector && formatSelector(selector);
  const some = await client.request({
    method: 'GET',
    path,
    query: { limit: '500', ...(labelSelector && { labelSelector }) },
  });
  const body = bodyOf(some);
  if (!body) return sayReply(some);
  return mapIn(body.metadata).continue ? 'more than 500 objects are selected' : listIn(body, 'items');
}

function satisfies(object: Json, { condition, cel }: ObjectCheck): boolean {
  if (condition) {
    const found = listIn(mapIn(object.status), 'conditions').find(({ type }) => type === condition.type);
    return (found?.status ?? 'Unknown') === condition.status;
  }
  return environment.parse(cel ?? '')({ self: celValue(object) }) === true;
}

const environment = new Environment({ unlistedVariablesAreDyn: true });

/** Whole numbers are 64-bit integers in CEL. */
function celValue(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(celValue);
  return isMap(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, celValue(each)])) : value;
}
