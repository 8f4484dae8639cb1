import { describe, expect, it } from 'vitest';
import type { Call, Client, Reply } from './client.ts';
import { lookForKarpenter, objectionsTo, sayKarpenter } from './karpenterSeen.ts';

interface World {
  readonly apis?: readonly string[];
  readonly deployments?: readonly unknown[];
  readonly pools?: readonly unknown[];
  /** What the server says to everything. */
  readonly only?: Reply;
  readonly mayReadDeployments?: boolean;
}

function clientOf({ apis = ['v1'], deployments = [], pools = [], only, mayReadDeployments = true }: World): Client {
  const answers: Record<string, Reply> = {
    '/apis/karpenter.sh': apis.length > 0 ? said(200, { versions: apis.map((version) => ({ version })) }) : said(404),
    '/apis/apps/v1/deployments': mayReadDeployments ? said(200, { items: deployments }) : said(403),
    '/apis/karpenter.sh/v1/nodepools': said(200, { items: pools }),
  };
  return { request: async ({ path }: Call) => only ?? answers[path] ?? said(404) } as unknown as Client;
}

const said = (code: number, body: unknown = { kind: 'Status' }): Reply => ({ kind: 'answer', code, body });

const deployment = (image: string, { labels = {}, ready = 2 }: { labels?: object; ready?: number } = {}) => ({
  metadata: { namespace: 'kube-system', name: 'karpenter', labels },
  spec: { replicas: 2, template: { spec: { containers: [{ image }] } } },
  status: ready > 0 ? { readyReplicas: ready } : {},
});

const pool = (name: string, { hash = 'v3', generation = 3, observed = 3 } = {}) => ({
  metadata: { name, generation, annotations: { 'karpenter.sh/nodepool-hash-version': hash } },
  status: { conditions: [{ type: 'Ready', status: 'True', observedGeneration: observed }] },
});

const own = deployment('registry.example/karpenter/controller:1.15.0@sha256:abc');

describe('N11: which Karpenter is there', () => {
  it.each<{ name: string; world: World; says: string }>([
    {
      name: 'by the tag of its image',
      world: { deployments: [own], pools: [pool('web')] },
      says: 'Karpenter 1.15.0 (Deployment kube-system/karpenter, 2 of 2 ready), karpenter.sh/v1, hash v3',
    },
    {
      name: 'by its label, which counts first',
      world: { deployments: [deployment('karpenter:dev', { labels: { 'app.kubernetes.io/version': '1.9.2' } })] },
      says: 'Karpenter 1.9.2 (Deployment kube-system/karpenter, 2 of 2 ready), karpenter.sh/v1; Lull was tried with 1.15',
    },
    {
      name: 'of an image without a version',
      world: { deployments: [deployment('localhost:5000/karpenter')] },
      says: 'Karpenter of a version that cannot be told (Deployment kube-system/karpenter, 2 of 2 ready), karpenter.sh/v1',
    },
    {
      name: 'where Deployments may not be read',
      world: { deployments: [own], mayReadDeployments: false, pools: [pool('web')] },
      says: 'Karpenter of a version that cannot be told (no Deployment of it is seen, so that it cannot be told whether it is alive), karpenter.sh/v1, hash v3',
    },
    { name: 'none', world: { apis: [] }, says: 'No Karpenter is seen: the server knows nothing of karpenter.sh.' },
  ])('$name', async ({ world, says }) => {
    expect(sayKarpenter(await lookForKarpenter(clientOf(world)))).toBe(says);
  });
});

describe('N11: what stands against acting beside it', () => {
  it.each<{ name: string; world: World; against: readonly RegExp[] }>([
    { name: 'nothing, where all is as tried', world: { deployments: [own], pools: [pool('web')] }, against: [] },
    { name: 'nothing, where it cannot be told whether it is alive', world: { pools: [pool('web')] }, against: [] },
    { name: 'nothing, where there is no pool yet', world: {}, against: [] },
    { name: 'no Karpenter at all', world: { apis: [] }, against: [/^The server knows nothing of karpenter.sh/] },
    {
      name: 'an older API',
      world: { apis: ['v1beta1'] },
      against: [/serves karpenter.sh\/v1beta1 here, and Lull knows v1/],
    },
    {
      name: 'a hash of another form',
      world: { pools: [pool('web'), pool('batch', { hash: 'v4' })] },
      against: [/^NodePool batch carries a hash of version v4, and Lull knows v3/],
    },
    {
      name: 'another major version',
      world: { deployments: [deployment('k:2.0.0')] },
      against: [/^Karpenter 2.0.0 is here/],
    },
    {
      name: 'a Karpenter of which no pod is ready',
      world: { deployments: [deployment('k:1.15.0', { ready: 0 })] },
      against: [/^None of the 2 wanted pods of Deployment kube-system\/karpenter is ready: Karpenter is away/],
    },
  ])('$name', async ({ world, against }) => {
    const objections = objectionsTo(await lookForKarpenter(clientOf(world)));
    expect(objections).toHaveLength(against.length);
    for (const [index, words] of against.entries()) expect(objections[index]).toMatch(words);
  });

  it('a pool to which nobody answers, but not before it was so for two looks', async () => {
    const late = clientOf({ pools: [pool('web', { generation: 4, observed: 3 })] });
    const first = await lookForKarpenter(late);
    expect(objectionsTo(first)).toEqual([]);
    const second = await lookForKarpenter(late, first);
    expect(objectionsTo(second)).toEqual([
      'Nobody has answered to NodePool web since it was changed: Karpenter is away.',
    ]);
    const other = await lookForKarpenter(clientOf({ pools: [pool('web', { generation: 5, observed: 4 })] }), second);
    expect(objectionsTo(other)).toEqual([]);
  });

  it('conditions of others are no sign of life', async () => {
    const conditions = [{ type: 'LullTurn', status: 'True', observedGeneration: 3 }];
    const silent = clientOf({ pools: [{ ...pool('web'), status: { conditions } }] });
    expect(objectionsTo(await lookForKarpenter(silent, await lookForKarpenter(silent)))).toHaveLength(1);
  });

  it.each<{ name: string; only: Reply }>([
    { name: 'silence', only: { kind: 'silence', message: 'refused' } },
    { name: 'a server that cannot now', only: said(503) },
  ])('K2: $name says nothing', async ({ only }) => {
    expect(await lookForKarpenter(clientOf({ only }))).toMatchObject({ isAnswered: false });
  });
});
