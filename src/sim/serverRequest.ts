// What does the API server do with a controller's request? Carries it out, or says no and why. The one way in: actors write by themselves.
import { ledgerSpec, writeLedger } from '../kinds/disruptionLedger.ts';
import type { Commit, Request } from '../runtime/port.ts';
import type { PatchOperation } from './jsonPatch.ts';
import { type KubeObject, keyAt } from './kubeObject.ts';
import type { Objects } from './objects.ts';
import { conflictWith, done, notFound, type Result } from './result.ts';

export const ledgerKind = 'DisruptionLedger';
export const ledgerName = 'lull';

type Action = Exclude<Request, Commit>;

export function carryOut(objects: Objects, request: Request, by: string): Result {
  if (request.verb === 'commit') return commitLedger(objects, request, by);
  const { kind, namespace, name, preconditions, graceSeconds } = request;
  const key = keyAt(namespace, name);
  switch (request.verb) {
    case 'create':
      return objects.create(asCreated(request.object as KubeObject), by);
    case 'patch':
      return objects.patch(kind, key, operationsOf(request), by);
    case 'delete':
      return objects.delete(kind, key, by, { ...preconditions, ...(graceSeconds !== undefined && { graceSeconds }) });
    case 'evict':
      return objects.evict(key, by, preconditions);
  }
}

/** These are for the server to say; what a client says of them is passed over in silence. */
function asCreated({ status: _status, ...object }: KubeObject): KubeObject {
  const {
    uid: _uid,
    resourceVersion: _version,
    generation: _generation,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    ...metadata
  } = object.metadata;
  return { ...object, metadata } as KubeObject;
}

/** A patch has no other preconditions than its tests. The status has a door of its own: what is written to it here is lost. */
function operationsOf({ patch = [], preconditions = {} }: Action): readonly PatchOperation[] {
  const tests = Object.entries(preconditions).map(
    ([field, value]): PatchOperation => ({ op: 'test', path: `/metadata/${field}`, value }),
  );
  return [...tests, ...patch.filter(({ op, path }) => op === 'test' || !/^\/status(\/|$)/.test(path))];
}

/** G2: compare and swap. Only the spec is written, so that what others put beside it stays (K4). */
function commitLedger(objects: Objects, { ledger, version }: Commit, by: string): Result {
  const current = objects.get(ledgerKind, ledgerName);
  if (version === undefined) return objects.create(writeLedger(ledger) as unknown as KubeObject, by);
  if (!current) return notFound(ledgerKind, ledgerName);
  const conflict = conflictWith(current, { resourceVersion: version });
  if (conflict) return conflict;
  const spec = ledgerSpec(ledger);
  return done(objects.write(ledgerKind, ledgerName, by, (object) => ({ ...object, spec })) ?? current);
}
