// Tests the outcome of server-side apply, from the server's replies alone; test/e2e uses a real server.
import { describe, expect, it } from 'vitest';
import type { ApiReply } from './apiReply.ts';
import { type Application, applyObject, removeObject } from './apply.ts';
import type { Call, Client } from './client.ts';

const answer = (code: number, body: unknown = {}): ApiReply => ({ kind: 'answer', code, body });
const silence: ApiReply = { kind: 'silence', message: 'connection refused' };

/** A client that gives these replies in turn, and records the calls. */
function scripted(...replies: readonly ApiReply[]): { readonly client: Client; readonly calls: readonly Call[] } {
  const calls: Call[] = [];
  const request = async (call: Call): Promise<ApiReply> => {
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
    { it: 'is created if there was none', replies: [answer(404), answer(201)], outcome: 'created' },
    {
      it: 'is unchanged if only its status and the server’s metadata differ',
      replies: [answer(200, found('1', 'a')), answer(200, found('2', 'a', { status: { ready: true } }))],
      outcome: 'unchanged',
    },
    {
      it: 'is changed if its content differs',
      replies: [answer(200, found('1', 'a')), answer(200, found('2', 'b'))],
      outcome: 'changed',
    },
    {
      it: 'is in conflict if another manager owns its fields',
      replies: [answer(200, found('1', 'a')), answer(409, { message: 'conflict with "kubectl": .data' })],
      outcome: 'conflict',
      message: 'conflict with "kubectl": .data',
    },
    {
      it: 'failed if it may not be read',
      replies: [answer(403, { message: 'forbidden' })],
      outcome: 'failed',
      message: '403: forbidden',
    },
    {
      it: 'failed if the server refuses it',
      replies: [answer(404), answer(422, { message: 'invalid' })],
      outcome: 'failed',
      message: '422: invalid',
    },
    {
      it: 'failed if the server does not answer',
      replies: [silence],
      outcome: 'failed',
      message: 'connection refused',
    },
    {
      it: 'failed if the server stops answering',
      replies: [answer(404), silence],
      outcome: 'failed',
      message: 'connection refused',
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
  ])('takes over fields of others only with force: $force', async ({ force, query }) => {
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
    {
      it: 'failed if the server does not answer',
      reply: silence,
      left: { outcome: 'failed', message: 'connection refused' },
    },
  ])('$it', async ({ reply, left }) => expect(await removeObject(scripted(reply).client, application)).toEqual(left));
});
