// Server-side apply and removal of objects, and what remains of Lull on an object.
import { defined } from '../cluster/defined.ts';
import { isMap, type Json, listIn, mapIn } from '../kinds/read/reader.ts';
import { asDuration, second } from '../time/instant.ts';
import { type ApiKind, apiKindOf, collectionPath, objectPath } from './apiKind.ts';
import { type ApiReply, bodyOf, isDone, isNotFound, messageOf, sayReply } from './apiReply.ts';
import type { Call, Client } from './client.ts';
import type { RawObject } from './rawObject.ts';

export const fieldManager = 'lull';

export type Applied =
  | { readonly outcome: 'created' | 'changed' | 'unchanged' }
  /** Another manager owns fields with other values. Nothing was written. */
  | { readonly outcome: 'conflict'; readonly message: string }
  | { readonly outcome: 'failed'; readonly message: string };

export interface Application {
  readonly kind: ApiKind;
  readonly object: { readonly metadata: { readonly name: string; readonly namespace?: string } };
  readonly manager: string;
  /** Takes over fields from other managers. */
  readonly force?: boolean;
}

/** The content type of server-side apply. */
export const applyPatch = 'application/apply-patch+yaml';

export async function applyObject(
  client: Client,
  { kind, object, manager, force = false }: Application,
): Promise<Applied> {
  const { name, namespace } = object.metadata;
  const path = objectPath(kind, name, namespace);
  const before = await client.request({ method: 'GET', path });
  if (!isDone(before) && !isNotFound(before)) return failed(before);
  const query = { fieldManager: manager, ...(force && { force: 'true' }) };
  const after = await client.request({ method: 'PATCH', path, query, body: object, contentType: applyPatch });
  if (after.kind === 'silence') return failed(after);
  if (after.code === 409) return { outcome: 'conflict', message: messageOf(after.body) };
  if (!isDone(after)) return failed(after);
  if (after.code === 201 || isNotFound(before)) return { outcome: 'created' };
  return { outcome: meaningOf(before) === meaningOf(after) ? 'unchanged' : 'changed' };
}

const failed = (reply: ApiReply): Extract<Applied, { outcome: 'failed' }> => ({
  outcome: 'failed',
  message: sayReply(reply),
});

/** Without the fields that the server maintains: they change without a change of the object. */
function meaningOf(reply: ApiReply): string {
  const { status: _status, metadata, ...rest } = bodyOf(reply) ?? {};
  const { resourceVersion: _version, generation: _generation, managedFields: _managed, ...kept } = mapIn(metadata);
  return JSON.stringify({ ...rest, metadata: kept });
}

type Removed = { readonly outcome: 'removed' | 'absent' } | { readonly outcome: 'failed'; readonly message: string };

/** Its dependents are deleted first. */
export async function removeObject(
  client: Client,
  { kind, object }: Pick<Application, 'kind' | 'object'>,
): Promise<Removed> {
  const { name, namespace } = object.metadata;
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Foreground' };
  const reply = await client.request({ method: 'DELETE', path: objectPath(kind, name, namespace), body });
  if (isNotFound(reply)) return { outcome: 'absent' };
  return isDone(reply) ? { outcome: 'removed' } : failed(reply);
}

/** Nothing waits for a report: if the server does not answer soon, it is sent again later. */
export const reportWithin = asDuration(5 * second);

interface NamedObject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

export function lookUp({ kind, namespace, name }: NamedObject): Call {
  const path = collectionPath(apiKindOf(kind), namespace);
  return { method: 'GET', path, timeout: reportWithin, query: { fieldSelector: `metadata.name=${name}`, limit: '1' } };
}

/** Undefined = there is none. */
export const foundIn = (reply: ApiReply): Json | undefined => listIn(bodyOf(reply), 'items')[0];

export interface AppliedTo extends NamedObject {
  readonly apiVersion: string;
  readonly subresource?: string;
}

/** Removes Lull from managedFields, where it is the last writer of a field, such as a hash it restored. Undefined = it is not there. */
export function forgetting({ kind, metadata }: RawObject): (NamedObject & { readonly call: Call }) | undefined {
  const { managedFields, name, namespace } = metadata;
  const entries: readonly unknown[] = Array.isArray(managedFields) ? managedFields : [];
  const ours = entries.flatMap((entry, index) => (isMap(entry) && entry.manager === fieldManager ? [index] : []));
  if (ours.length === 0) return undefined;
  // From the last one on, so that earlier indexes stay valid.
  const body = ours.reverse().flatMap((index) => [
    { op: 'test', path: `/metadata/managedFields/${index}/manager`, value: fieldManager },
    { op: 'remove', path: `/metadata/managedFields/${index}` },
  ]);
  const path = objectPath(apiKindOf(kind), name, namespace);
  const contentType = 'application/json-patch+json';
  const call: Call = { method: 'PATCH', path, query: { fieldManager }, body, contentType };
  return defined({ kind, namespace, name, call });
}

/** One entry per part of the object to which Lull has applied fields. */
export function appliedTo({ kind, apiVersion, metadata }: RawObject): readonly AppliedTo[] {
  const { name, namespace } = metadata;
  return listIn(metadata, 'managedFields')
    .filter(({ manager, operation }) => manager === fieldManager && operation === 'Apply')
    .map(({ subresource }) => {
      const part = typeof subresource === 'string' && subresource !== '' ? subresource : undefined;
      return defined({ kind, apiVersion, name, namespace, subresource: part });
    });
}

/** Applies nothing: the server then removes the fields that only Lull owned. */
export function withdrawal({ kind, apiVersion, namespace, name, subresource }: AppliedTo): Call {
  const path = objectPath(apiKindOf(kind), name, namespace);
  return {
    method: 'PATCH',
    path: subresource === undefined ? path : `${path}/${subresource}`,
    query: { fieldManager, force: 'true' },
    body: { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } },
    contentType: applyPatch,
  };
}
