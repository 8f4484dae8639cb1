// Tests that an unused permission and a refused request are found.
import { describe, expect, it } from 'vitest';
import type { Permission } from '../../src/kube/permissions.ts';
import { needless, type Request, refusedTo, unusedBy } from './usedPermissions.ts';

const lull = 'system:serviceaccount:lull-system:lull';

const request = (verb: string, resource: string, rest: Partial<Request> = {}): Request => ({
  user: lull,
  verb,
  group: '',
  resource,
  code: 200,
  decision: 'allow',
  ...rest,
});

const right = (resource: string, ...verbs: Permission['verbs']): Permission => ({
  apiGroup: '',
  resource,
  verbs,
  duties: ['guide'],
  why: '',
});

const granted = [right('nodes', 'watch', 'patch'), right('pods/eviction', 'create')];

describe('a granted permission', () => {
  it.each([
    {
      it: 'is reported if it was never used',
      requests: [],
      unused: ['create core/pods/eviction', 'patch core/nodes', 'watch core/nodes'],
    },
    {
      it: 'is used by a request that was answered, whatever the response',
      requests: [
        request('watch', 'nodes'),
        request('patch', 'nodes', { code: 422 }),
        request('create', 'pods/eviction', { code: 429 }),
      ],
      unused: [],
    },
    {
      it: 'is not used by other clients',
      requests: granted.flatMap(({ resource, verbs }) => verbs.map((verb) => request(verb, resource, { user: 'ann' }))),
      unused: ['create core/pods/eviction', 'patch core/nodes', 'watch core/nodes'],
    },
    {
      it: 'is not that of another group, or of the resource itself',
      requests: [request('watch', 'nodes', { group: 'x' }), request('create', 'pods'), request('patch', 'nodes')],
      unused: ['create core/pods/eviction', 'watch core/nodes'],
    },
  ])('$it', ({ requests, unused }) => expect(unusedBy(lull, granted, { requests, excuses: [] })).toEqual(unused));

  it.each(['nodes', '*'])('may be excused by name, or with its whole group (%s)', (resource) => {
    const excuses = [{ group: '', resource, verb: 'watch', why: 'because' }];
    const requests = [request('patch', 'nodes'), request('create', 'pods/eviction')];
    expect(unusedBy(lull, granted, { requests, excuses })).toEqual([]);
    expect(needless(lull, granted, { requests, excuses })).toEqual([]);
    expect(needless(lull, granted, { requests: [...requests, request('watch', 'nodes')], excuses })).toEqual([
      `watch core/${resource}`,
    ]);
  });
});

it('a refused request is reported once, with its count, and only for Lull', () => {
  const requests = [
    request('patch', 'nodes', { code: 403, decision: 'forbid' }),
    request('patch', 'nodes', { code: 403, decision: 'allow' }),
    request('watch', 'nodes', { decision: 'forbid', code: 0 }),
    request('delete', 'nodes', { user: 'ann', code: 403 }),
    request('create', 'pods', { code: 429 }),
  ];
  expect(refusedTo(lull, requests)).toEqual(['patch core/nodes: refused 2 times', 'watch core/nodes: refused 1 times']);
});
