import { describe, expect, it } from 'vitest';
import { emptyLedger } from '../cluster/ledger.ts';
import type { ApiRequest } from '../runtime/port.ts';
import { asDuration } from '../time/instant.ts';
import type { ApiReply } from './apiReply.ts';
import { answerTo, callFor } from './requests.ts';

const query = { fieldManager: 'lull' };
const patch: ApiRequest = {
  verb: 'patch',
  kind: 'Node',
  name: 'n1',
  patch: [{ op: 'add', path: '/spec/taints', value: [] }],
  preconditions: { uid: 'u' },
};
const evict: ApiRequest = { verb: 'evict', kind: 'Pod', namespace: 'shop', name: 'p1' };
const remove: ApiRequest = { verb: 'delete', kind: 'NodeClaim', name: 'c1' };
const commit: ApiRequest = { verb: 'commit', ledger: emptyLedger, version: '7' };
const commitNew: ApiRequest = { verb: 'commit', ledger: emptyLedger };

describe('G8: a request over HTTP', () => {
  it.each([
    {
      name: 'a patch, whose preconditions are tests',
      request: patch,
      call: {
        method: 'PATCH',
        path: '/api/v1/nodes/n1',
        query,
        contentType: 'application/json-patch+json',
        body: [
          { op: 'test', path: '/metadata/uid', value: 'u' },
          { op: 'add', path: '/spec/taints', value: [] },
        ],
      },
    },
    {
      name: 'a creation',
      request: { verb: 'create', kind: 'NodeClaim', name: 'c1', object: { kind: 'NodeClaim' } } as const,
      call: { method: 'POST', path: '/apis/karpenter.sh/v1/nodeclaims', query, body: { kind: 'NodeClaim' } },
    },
    {
      name: 'a deletion',
      request: { ...remove, preconditions: { uid: 'u' } },
      call: {
        method: 'DELETE',
        path: '/apis/karpenter.sh/v1/nodeclaims/c1',
        body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u' } },
      },
    },
    {
      name: 'H2: the deletion of a pod, with no grace at all',
      request: { verb: 'delete', kind: 'Pod', namespace: 'shop', name: 'p1', graceSeconds: 0 } as const,
      call: {
        method: 'DELETE',
        path: '/api/v1/namespaces/shop/pods/p1',
        body: { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 },
      },
    },
    {
      name: 'an eviction',
      request: { ...evict, preconditions: { uid: 'u', resourceVersion: '9' } },
      call: {
        method: 'POST',
        path: '/api/v1/namespaces/shop/pods/p1/eviction',
        query,
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: 'p1', namespace: 'shop' },
          deleteOptions: { preconditions: { uid: 'u', resourceVersion: '9' } },
        },
      },
    },
    {
      name: 'G2: the ledger, compared and swapped',
      request: commit,
      call: {
        method: 'PATCH',
        path: '/apis/lull.dev/v1alpha1/disruptionledgers/lull',
        query,
        contentType: 'application/json-patch+json',
        body: [
          { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
          { op: 'add', path: '/spec', value: { version: 1, commands: [], turns: [], backoffs: [] } },
        ],
      },
    },
    {
      name: 'G2: the first ledger',
      request: commitNew,
      call: {
        method: 'POST',
        path: '/apis/lull.dev/v1alpha1/disruptionledgers',
        query,
        body: {
          apiVersion: 'lull.dev/v1alpha1',
          kind: 'DisruptionLedger',
          metadata: { name: 'lull' },
          spec: { version: 1, commands: [], turns: [], backoffs: [] },
        },
      },
    },
  ])('$name', ({ request, call }) => {
    expect(callFor(request)).toEqual(call);
  });

  it('a name cannot change the path', () => {
    expect(callFor({ ...remove, name: '../nodes/n1?x' }).path).toBe(
      '/apis/karpenter.sh/v1/nodeclaims/..%2Fnodes%2Fn1%3Fx',
    );
  });

  it('of an unknown kind is a defect', () => {
    expect(() => callFor({ ...remove, kind: 'Secret' })).toThrow('Secret');
  });
});

const says = (code: number, message = 'no'): ApiReply => ({
  kind: 'answer',
  code,
  body: { kind: 'Status', code, message },
  retryAfter: asDuration(1000),
});
const budget = "Cannot evict pod as it would violate the pod's disruption budget.";
const twoBudgets = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

describe('what an answer means', () => {
  it.each<{ name: string; request: ApiRequest; reply: ApiReply; status: 'done' | 'refused' | 'away' }>([
    { name: '200', request: patch, reply: says(200), status: 'done' },
    { name: '201', request: evict, reply: says(201), status: 'done' },
    { name: '404: gone', request: remove, reply: says(404), status: 'refused' },
    { name: '409: another, or another version', request: remove, reply: says(409), status: 'refused' },
    { name: '422: a test failed', request: patch, reply: says(422), status: 'refused' },
    { name: '403: a policy forbids just this', request: patch, reply: says(403), status: 'refused' },
    { name: '401: not authenticated', request: patch, reply: says(401), status: 'away' },
    { name: '429: the server is overloaded', request: patch, reply: says(429), status: 'away' },
    { name: '500', request: patch, reply: says(500, 'etcdserver: request timed out'), status: 'away' },
    { name: '503', request: remove, reply: says(503), status: 'away' },
    { name: 'no answer', request: patch, reply: { kind: 'silence', message: 'reset' }, status: 'away' },
    { name: 'G6: an eviction, 429 by its PDB', request: evict, reply: says(429, budget), status: 'refused' },
    { name: 'an eviction, 429 by a busy server', request: evict, reply: says(429, 'too many'), status: 'away' },
    { name: 'E10: an eviction, 500 by two PDBs', request: evict, reply: says(500, twoBudgets), status: 'refused' },
    { name: 'an eviction, 500 by etcd', request: evict, reply: says(500, 'etcdserver'), status: 'away' },
    { name: 'G2: a commit that lost', request: commit, reply: says(409), status: 'refused' },
    { name: 'G2: a first commit that lost', request: commitNew, reply: says(409), status: 'refused' },
    { name: 'G2: a ledger that is gone', request: commit, reply: says(404), status: 'refused' },
    { name: 'a first commit without the CRD', request: commitNew, reply: says(404), status: 'away' },
    { name: 'a commit that is forbidden', request: commit, reply: says(403), status: 'away' },
    { name: 'a commit that the CRD rejects', request: commit, reply: says(422), status: 'away' },
  ])('$name: $status', ({ request, reply, status }) => {
    expect(answerTo(request, reply).status).toBe(status);
  });

  it('a refusal has its code and the message of the server', () => {
    expect(answerTo(evict, says(429, budget))).toEqual({ status: 'refused', code: 429, message: budget });
  });
});
