// The loop's requests as HTTP calls, and the meaning of the replies. One request, one call; no retries here (G8).
import { defined } from '../cluster/defined.ts';
import { ledgerSpec, writeLedger } from '../kinds/read/disruptionLedger.ts';
import { isMap } from '../kinds/read/reader.ts';
import type { ApiRequest, ApiResponse, Commit } from '../runtime/port.ts';
import { apiKindOf, collectionPath, ledgerKind, ledgerName, objectPath } from './apiKind.ts';
import { type ApiReply, messageOf } from './apiReply.ts';
import { fieldManager } from './apply.ts';
import type { Call } from './client.ts';

export type ActionRequest = Exclude<ApiRequest, Commit>;

const jsonPatch = 'application/json-patch+json';
const query = { fieldManager };

export function callFor(request: ApiRequest): Call {
  if (request.verb === 'commit') return commitCall(request);
  const { kind, namespace, name, preconditions, graceSeconds } = request;
  const apiKind = apiKindOf(kind);
  const path = objectPath(apiKind, name, namespace);
  switch (request.verb) {
    case 'create':
      return { method: 'POST', path: collectionPath(apiKind, namespace), query, body: request.object };
    case 'patch':
      return { method: 'PATCH', path, query, body: operationsOf(request), contentType: jsonPatch };
    case 'delete': {
      const options = defined({ preconditions, gracePeriodSeconds: graceSeconds });
      return { method: 'DELETE', path, body: { apiVersion: 'v1', kind: 'DeleteOptions', ...options } };
    }
    case 'evict': {
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
      const body = { ...eviction, ...(preconditions && { deleteOptions: { preconditions } }) };
      return { method: 'POST', path: `${path}/eviction`, query, body };
    }
  }
}

/** A patch's only preconditions are its tests. */
function operationsOf({ patch = [], preconditions = {} }: ActionRequest): readonly unknown[] {
  const test = ([field, value]: [string, unknown]) => ({ op: 'test', path: `/metadata/${field}`, value });
  return [...Object.entries(preconditions).map(test), ...patch];
}

export const ledgerCall: Call = { method: 'GET', path: objectPath(apiKindOf(ledgerKind), ledgerName) };

/**
 * Compare and swap (G2): the server compares the written resourceVersion, and answers 409 if it differs. Only the spec is written
 * with it, so that fields of others stay (K4); an unchanged spec keeps the version.
 */
function commitCall({ ledger, version }: Commit): Call {
  if (version === undefined)
    return { method: 'POST', path: collectionPath(apiKindOf(ledgerKind)), query, body: writeLedger(ledger) };
  const body = [
    { op: 'replace', path: '/metadata/resourceVersion', value: version },
    { op: 'add', path: '/spec', value: ledgerSpec(ledger) },
  ];
  return { ...ledgerCall, method: 'PATCH', query, body, contentType: jsonPatch };
}

export function answerTo(request: ApiRequest, reply: ApiReply): ApiResponse {
  if (reply.kind === 'silence') return { status: 'away', message: reply.message };
  const { code, body, retryAfter } = reply;
  if (code >= 200 && code < 300) return { status: 'done' };
  const message = messageOf(body);
  // A server that cannot serve requests now is treated as absent: the whole loop waits.
  return isRefusal(request, code, message)
    ? { status: 'refused', code, message }
    : { status: 'away', message: `${code}: ${message}`, ...(retryAfter && { retryAfter }) };
}

/** Whether the refusal is about this request. */
function isRefusal(request: ApiRequest, code: number, message: string): boolean {
  switch (request.verb) {
    case 'commit':
      // Another controller was faster, or someone deleted it. Any other refusal would be repeated at once.
      return code === 409 || (code === 404 && request.version !== undefined);
    case 'evict':
      // 429: a PDB forbids it. 500: several PDBs match the pod.
      if (code === 429) return /disruption budget/i.test(message);
      if (code === 500) return /more than one PodDisruptionBudget/i.test(message);
      return code < 500 && code !== 401;
    default:
      return code < 500 && code !== 429 && code !== 401;
  }
}

/** A deletion that completed at once returns a Status with the UID of the object. */
export function uidGone(body: unknown): string | undefined {
  if (!isMap(body) || body.kind !== 'Status' || !isMap(body.details)) return undefined;
  return typeof body.details.uid === 'string' ? body.details.uid : undefined;
}
