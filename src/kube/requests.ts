// How is a request of the loop said over HTTP, and what does the answer mean? One request, one call; nothing is tried again here (G8).
import { ledgerSpec, writeLedger } from '../kinds/disruptionLedger.ts';
import { isMap } from '../kinds/reader.ts';
import type { Answer, Commit, Request } from '../runtime/port.ts';
import { apiKindOf, collectionPath, ledgerKind, ledgerName, objectPath } from './apiKind.ts';
import type { Call, Reply } from './client.ts';
import { fieldManager } from './fieldManager.ts';
import { messageOf } from './status.ts';

export type Action = Exclude<Request, Commit>;

const jsonPatch = 'application/json-patch+json';
const query = { fieldManager };

export function callFor(request: Request): Call {
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
      const options = {
        ...(preconditions && { preconditions }),
        ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
      };
      return { method: 'DELETE', path, body: { apiVersion: 'v1', kind: 'DeleteOptions', ...options } };
    }
    case 'evict': {
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
      const body = { ...eviction, ...(preconditions && { deleteOptions: { preconditions } }) };
      return { method: 'POST', path: `${path}/eviction`, query, body };
    }
  }
}

/** A patch has no other preconditions than its tests. */
function operationsOf({ patch = [], preconditions = {} }: Action): readonly unknown[] {
  const tests = Object.entries(preconditions).map(([field, value]) => ({
    op: 'test',
    path: `/metadata/${field}`,
    value,
  }));
  return [...tests, ...patch];
}

export const ledgerCall: Call = { method: 'GET', path: objectPath(apiKindOf(ledgerKind), ledgerName) };

/**
 * G2: compare and swap. A resourceVersion that is written is compared by the server, which says 409 where it is another. Only the
 * spec is written beside it, so that what others put there stays (K4); written as it was, it stays the version it was.
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

export function answerTo(request: Request, reply: Reply): Answer {
  if (reply.kind === 'silence') return { status: 'away', message: reply.message };
  const { code, body, retryAfter } = reply;
  if (code >= 200 && code < 300) return { status: 'done' };
  const message = messageOf(body);
  // A server that cannot do anything now is as good as none: the whole loop leaves it alone for a while.
  return isRefusal(request, code, message)
    ? { status: 'refused', code, message }
    : { status: 'away', message: `${code}: ${message}`, ...(retryAfter && { retryAfter }) };
}

/** Whether the no is about this very request. */
function isRefusal(request: Request, code: number, message: string): boolean {
  switch (request.verb) {
    case 'commit':
      // Lost to another, or deleted by somebody. Any other no would be the same when asked again at once.
      return code === 409 || (code === 404 && request.version !== undefined);
    case 'evict':
      // 429 is the PDB's word, and 500 that there are two of them.
      if (code === 429) return /disruption budget/i.test(message);
      if (code === 500) return /more than one PodDisruptionBudget/i.test(message);
      return code < 500 && code !== 401;
    default:
      return code < 500 && code !== 429 && code !== 401;
  }
}

/** A deletion that was carried out at once is told by a Status, with the uid of what is gone. */
export function uidGone(body: unknown): string | undefined {
  if (!isMap(body) || body.kind !== 'Status' || !isMap(body.details)) return undefined;
  return typeof body.details.uid === 'string' ? body.details.uid : undefined;
}
