// How is an object made to be as it is wanted, whoever else writes it too? By server-side apply; what is another's is told, and not taken.
import { isMap, type Json } from '../kinds/reader.ts';
import { type ApiKind, objectPath } from './apiKind.ts';
import type { Client, Reply } from './client.ts';
import { messageOf, sayReply } from './status.ts';

export type Applied =
  | { readonly outcome: 'created' | 'changed' | 'unchanged' }
  /** Fields that another wrote otherwise. Nothing was written. */
  | { readonly outcome: 'conflict'; readonly message: string }
  | { readonly outcome: 'failed'; readonly message: string };

export interface Application {
  readonly kind: ApiKind;
  readonly object: { readonly metadata: { readonly name: string; readonly namespace?: string } };
  readonly manager: string;
  /** Takes fields from whoever has them. */
  readonly force?: boolean;
}

/** Of server-side apply. */
export const applyPatch = 'application/apply-patch+yaml';

export async function applyObject(
  client: Client,
  { kind, object, manager, force = false }: Application,
): Promise<Applied> {
  const { name, namespace } = object.metadata;
  const path = objectPath(kind, name, namespace);
  const before = await client.request({ method: 'GET', path });
  if (before.kind === 'silence' || (before.code !== 200 && before.code !== 404)) return failed(before);
  const query = { fieldManager: manager, ...(force && { force: 'true' }) };
  const after = await client.request({ method: 'PATCH', path, query, body: object, contentType: applyPatch });
  if (after.kind === 'silence') return failed(after);
  if (after.code === 409) return { outcome: 'conflict', message: messageOf(after.body) };
  if (after.code !== 200 && after.code !== 201) return failed(after);
  if (after.code === 201 || before.code === 404) return { outcome: 'created' };
  return { outcome: meaningOf(before.body) === meaningOf(after.body) ? 'unchanged' : 'changed' };
}

const failed = (reply: Reply): Extract<Applied, { outcome: 'failed' }> => ({
  outcome: 'failed',
  message: sayReply(reply),
});

/** Without what the server keeps for itself: it changes while nobody changes anything. */
function meaningOf(body: unknown): string {
  if (!isMap(body)) return '';
  const { status: _status, metadata, ...rest } = body;
  const { resourceVersion: _version, generation: _generation, managedFields: _managed, ...kept } = asMap(metadata);
  return JSON.stringify({ ...rest, metadata: kept });
}

const asMap = (value: unknown): Json => (isMap(value) ? value : {});

export type Removed =
  | { readonly outcome: 'removed' | 'absent' }
  | { readonly outcome: 'failed'; readonly message: string };

/** What hangs on it goes with it, first. */
export async function removeObject(
  client: Client,
  { kind, object }: Pick<Application, 'kind' | 'object'>,
): Promise<Removed> {
  const { name, namespace } = object.metadata;
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Foreground' };
  const reply = await client.request({ method: 'DELETE', path: objectPath(kind, name, namespace), body });
  if (reply.kind === 'answer' && reply.code === 404) return { outcome: 'absent' };
  return reply.kind === 'answer' && reply.code < 300 ? { outcome: 'removed' } : failed(reply);
}
