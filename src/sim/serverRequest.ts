// The API server's handling of controller requests: carries them out or refuses them. Actors write without requests.
import { ledgerSpec, writeLedger } from '../kinds/read/disruptionLedger.ts';
import { ledgerKind, ledgerName } from '../runtime/mirror.ts';
import type { ApiRequest, Commit } from '../runtime/port.ts';
import { conflictWith, done, notFound, type WriteResult } from './eviction.ts';
import type { RawPatchOperation } from './jsonPatch.ts';
import { type KubeObject, keyAt } from './kubeObject.ts';
import type { Objects } from './objects.ts';

type ObjectRequest = Exclude<ApiRequest, Commit>;

export function carryOut(objects: Objects, request: ApiRequest, by: string): WriteResult {
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

/** Drops the fields that only the server sets. */
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

/** Preconditions become `test` operations. Changes of the status are dropped, because it is a subresource. */
function operationsOf({ patch = [], preconditions = {} }: ObjectRequest): readonly RawPatchOperation[] {
  const tests = Object.entries(preconditions).map(
    ([field, value]): RawPatchOperation => ({ op: 'test', path: `/metadata/${field}`, value }),
  );
  return [...tests, ...patch.filter(({ op, path }) => op === 'test' || !/^\/status(\/|$)/.test(path))];
}

/** Compare-and-swap on the ledger (G2). Only the spec is written, so that fields of other writers remain (K4). */
function commitLedger(objects: Objects, { ledger, version }: Commit, by: string): WriteResult {
  const current = objects.get(ledgerKind, ledgerName);
  if (version === undefined) return objects.create(writeLedger(ledger), by);
  if (!current) return notFound(ledgerKind, ledgerName);
  const conflict = conflictWith(current, { resourceVersion: version });
  if (conflict) return conflict;
  const spec = ledgerSpec(ledger);
  return done(objects.write(ledgerKind, ledgerName, by, (object) => ({ ...object, spec })) ?? current);
}
