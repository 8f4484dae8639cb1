// What became of an object that was applied? Told from the answers alone; test/e2e asks a real server.
import { describe, expect, it } from 'vitest';
import { type Application, applyObject, removeObject } from './apply.ts';
import type { Call, Client, Reply } from './client.ts';

const answer = (code: number, body: unknown = {}): Reply => ({ kind: 'answer', code, body });
const silence: Reply = { kind: 'silence', message: 'nobody is there' };

/** Answers in turn, and keeps what was asked. */
function scripted(...replies: readonly Reply[]): { readonly client: Client; readonly calls: readonly Call[] } {
  const calls: Call[] = [];
  const request = async (call: Call): Promise<Reply> => {
    calls.push(call);
    return replies[calls.length - 1] ?? silence;
  };
  return { client: { request } as Client, calls };
}

const application: Application = {
  kind: { kind: 'ConfigMap', apiVersion: 'v1', plural: 'configmaps', isNamespaced: true },
  object: { metadata: { name: 'settings', namespace: 'lull-system' } },
  manager: 'lull-install',
};

const found = (version: string, data: string, rest: object = {}): unknown => ({
  kind: 'ConfigMap',
  metadata: { name: 'settings', resourceVersion: version, generation: Number(version), managedFields: [version] },
  data,
  ...rest,
});

describe('an object that is applied', () => {
  it.each([
    { it: 'is created where there was none', replies: [answer(404), answer(201)], outcome: 'created' },
    {
      it: 'is unchanged where only the server kept its books meanwhile',
      replies: [answer(200, found('1', 'a')), answer(200, found('2', 'a', { status: { ready: true } }))],
      outcome: 'unchanged',
    },
    {
      it: 'is changed where it says something else',
      replies: [answer(200, found('1', 'a')), answer(200, found('2', 'b'))],
      outcome: 'changed',
    },
    {
      it: 'is in conflict where others have written it',
      replies: [answer(200, found('1', 'a')), answer(409, { message: 'conflict with "kubectl": .data' })],
      outcome: 'conflict',
      message: 'conflict with "kubectl": .data',
    },
    {
      it: 'failed where it may not even be read',
      replies: [answer(403, { message: 'forbidden' })],
      outcome: 'failed',
      message: '403: forbidden',
    },
    {
      it: 'failed where the server says no',
      replies: [answer(404), answer(422, { message: 'invalid' })],
      outcome: 'failed',
      message: '422: invalid',
    },
    { it: 'failed where nobody answers', replies: [silence], outcome: 'failed', message: 'nobody is there' },
    {
      it: 'failed where nobody answers any more',
      replies: [answer(404), silence],
      outcome: 'failed',
      message: 'nobody is there',
    },
  ])('$it', async ({ replies, outcome, message }) => {
    expect(await applyObject(scripted(...replies).client, application)).toEqual({
      outcome,
      ...(message !== undefined && { message }),
    });
  });

  it.each([
    { force: false, query: { fieldManager: 'lull-install' } },
    { force: true, query: { fieldManager: 'lull-install', force: 'true' } },
  ])('takes fields of others only where told to (force: $force)', async ({ force, query }) => {
    const { client, calls } = scripted(answer(404), answer(201));
    await applyObject(client, { ...application, force });
    expect(calls[1]).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/namespaces/lull-system/configmaps/settings',
      contentType: 'application/apply-patch+yaml',
      query,
    });
  });
});

describe('an object that is removed', () => {
  it.each([
    { it: 'is gone', reply: answer(200), left: { outcome: 'removed' } },
    { it: 'was not there', reply: answer(404), left: { outcome: 'absent' } },
    {
      it: 'may not be removed',
      reply: answer(403, { message: 'no' }),
      left: { outcome: 'failed', message: '403: no' },
    },
    { it: 'is asked for in vain', reply: silence, left: { outcome: 'failed', message: 'nobody is there' } },
  ])('$it', async ({ reply, left }) => expect(await removeObject(scripted(reply).client, application)).toEqual(left));
});
