import { describe, expect, it } from 'vitest';
import { runInMemory } from '../../../test/inMemory.ts';
import type { ApiReply } from '../../kube/apiReply.ts';
import type { Call, Client } from '../../kube/client.ts';
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import { stopDeployment } from './releasing.ts';

const answer = (code: number, body: unknown): ApiReply => ({ kind: 'answer', code, body, headers: {} }) as ApiReply;
const scale = answer(200, { spec: { replicas: 0 }, status: { replicas: 2, selector: 'app=lull' } });
const podsIn = (...namespaces: readonly string[]): ApiReply =>
  answer(200, { items: namespaces.map((namespace) => ({ metadata: { name: 'p', namespace } })) });

/** Answers in turn; the last one for good. */
function cluster(...replies: readonly ApiReply[]) {
  const asked: Call[] = [];
  let waits = 0;
  const client: Pick<Client, 'request'> = {
    request: async (call) => {
      asked.push(call);
      return replies[Math.min(asked.length, replies.length) - 1] as ApiReply;
    },
  };
  const io = { wait: async () => void waits++ } as unknown as Io;
  const stop = () => stopDeployment(client as Client, { namespace: 'lull-system', name: 'lull' }, io);
  return { asked, stop, waits: () => waits };
}

describe('N10: the Lull that runs is stopped before it is released', () => {
  it('scales its Deployment to nothing, and waits for its own pods alone', async () => {
    const { asked, stop, waits } = cluster(
      scale,
      podsIn('lull-system', 'other'),
      podsIn('lull-system'),
      podsIn('other'),
    );
    await stop();
    expect(asked[0]).toMatchObject({
      method: 'PATCH',
      path: '/apis/apps/v1/namespaces/lull-system/deployments/lull/scale',
      body: { spec: { replicas: 0 } },
    });
    expect(asked.slice(1).map(({ query }) => query)).toEqual(Array(3).fill({ labelSelector: 'app=lull' }));
    expect(waits()).toBe(2);
  });

  it('goes on where there is no such Deployment', async () => {
    const { asked, stop } = cluster(answer(404, {}));
    await stop();
    expect(asked).toHaveLength(1);
  });

  it('goes on after a while where a pod never ends: the lease says whether it leads', async () => {
    const { stop, waits } = cluster(scale, podsIn('lull-system'));
    await stop();
    expect(waits()).toBe(90);
  });

  it('says so where it may not', async () => {
    const { stop } = cluster(answer(403, { message: 'forbidden' }));
    await expect(stop()).rejects.toThrow(Failure);
  });

  it.each(['lull', 'a/b/c', '/lull', 'ns/'])('is named with its namespace, and not as %s', async (word) => {
    const { status, stderr } = await runInMemory(['release', '--stop', word, '--yes']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('namespace/name')]);
  });
});
