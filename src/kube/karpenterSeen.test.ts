import { describe, expect, it } from 'vitest';
import type { ApiReply } from './apiReply.ts';
import type { Call, Client } from './client.ts';
import { describeKarpenter, lookForKarpenter, objectionsTo } from './karpenterSeen.ts';

interface World {
  readonly apis?: readonly string[];
  readonly deployments?: readonly unknown[];
  readonly pools?: readonly unknown[];
  /** The response of the server to everything. */
  readonly only?: ApiReply;
  readonly mayReadDeployments?: boolean;
}

function clientOf({ apis = ['v1'], deployments = [], pools = [], only, mayReadDeployments = true }: World): Client {
  const answers: Record<string, ApiReply> = {
    '/apis/karpenter.sh': apis.length > 0 ? said(200, { versions: apis.map((version) => ({ version })) }) : said(404),
    '/apis/apps/v1/deployments': mayReadDeployments ? said(200, { items: deployments }) : said(403),
    '/apis/karpenter.sh/v1/nodepools': said(200, { items: pools }),
  };
  return { request: async ({ path }: Call) => only ?? answers[path] ?? said(404) } as unknown as Client;
}

const said = (code: number, body: unknown = { kind: 'Status' }): ApiReply => ({ kind: 'answer', code, body });

const deployment = (image: string, { labels = {}, ready = 2 }: { labels?: object; ready?: number } = {}) => ({
  metadata: { namespace: 'kube-system', name: 'karpenter', labels },
  spec: { replicas: 2, template: { spec: { containers: [{ image }] } } },
  status: ready > 0 ? { readyReplicas: ready } : {},
});

const pool = (name: string, { hash = 'v3', generation = 3, observed = 3, group = 'karpenter.k8s.aws' } = {}) => ({
  metadata: { name, generation, annotations: { 'karpenter.sh/nodepool-hash-version': hash } },
  spec: { template: { spec: { nodeClassRef: { group, kind: 'NodeClass', name: 'default' } } } },
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
      says: 'Karpenter 1.9.2 (Deployment kube-system/karpenter, 2 of 2 ready), karpenter.sh/v1; Lull is tested with 1.15',
    },
    {
      name: 'of an image without a version',
      world: { deployments: [deployment('localhost:5000/karpenter')] },
      says: 'Karpenter of unknown version (Deployment kube-system/karpenter, 2 of 2 ready), karpenter.sh/v1',
    },
    {
      name: 'if Deployments may not be read',
      world: { deployments: [own], mayReadDeployments: false, pools: [pool('web')] },
      says: 'Karpenter of unknown version (no Deployment found, so Lull cannot tell whether it runs), karpenter.sh/v1, hash v3',
    },
    {
      name: 'of a provider whose releases are numbered like the core',
      world: { deployments: [deployment('k:1.14.2')], pools: [pool('web', { group: 'karpenter.azure.com' })] },
      says: 'Karpenter 1.14.2 (Deployment kube-system/karpenter, 2 of 2 ready), karpenter.sh/v1, hash v3; Lull is tested with 1.15',
    },
    {
      name: 'of a provider with version numbers of its own',
      world: { deployments: [deployment('k:0.5.0')], pools: [pool('web', { group: 'karpenter.k8s.gcp' })] },
      says: 'Karpenter 0.5.0 (Deployment kube-system/karpenter, 2 of 2 ready), karpenter.sh/v1, hash v3; 0.5.0 is the version of the provider of karpenter.k8s.gcp, its core is unknown',
    },
    { name: 'none', world: { apis: [] }, says: 'No Karpenter found: the API server does not serve karpenter.sh.' },
  ])('$name', async ({ world, says }) => {
    expect(describeKarpenter(await lookForKarpenter(clientOf(world)))).toBe(says);
  });
});

describe('N11: objections to acting beside it', () => {
  it.each<{ name: string; world: World; against: readonly RegExp[] }>([
    { name: 'nothing, if it is as tested', world: { deployments: [own], pools: [pool('web')] }, against: [] },
    { name: 'nothing, if it is unknown whether it runs', world: { pools: [pool('web')] }, against: [] },
    { name: 'nothing, if there is no pool yet', world: {}, against: [] },
    { name: 'no Karpenter at all', world: { apis: [] }, against: [/^The API server does not serve karpenter.sh/] },
    {
      name: 'an older API',
      world: { apis: ['v1beta1'] },
      against: [/serves karpenter.sh\/v1beta1; Lull supports v1/],
    },
    {
      name: 'a hash of another form',
      world: { pools: [pool('web'), pool('batch', { hash: 'v4' })] },
      against: [/^NodePool batch has a hash of version v4; Lull supports v3/],
    },
    {
      name: 'another major version',
      world: { deployments: [deployment('k:2.0.0')] },
      against: [/^Karpenter 2.0.0 is installed/],
    },
    {
      name: 'an older major version',
      world: { deployments: [deployment('k:0.37.0')], pools: [pool('web')] },
      against: [/^Karpenter 0.37.0 is installed; Lull supports 1.x/],
    },
    {
      name: 'nothing, if 0.x is the number of a provider with a core of 1.x',
      world: { deployments: [deployment('k:0.5.0')], pools: [pool('web', { group: 'karpenter.k8s.gcp' })] },
      against: [],
    },
    {
      name: 'a Karpenter of which no pod is ready',
      world: { deployments: [deployment('k:1.15.0', { ready: 0 })] },
      against: [/^None of the 2 desired pods of Deployment kube-system\/karpenter is ready: Karpenter is not running/],
    },
  ])('$name', async ({ world, against }) => {
    const objections = objectionsTo(await lookForKarpenter(clientOf(world)));
    expect(objections).toHaveLength(against.length);
    for (const [index, words] of against.entries()) expect(objections[index]).toMatch(words);
  });

  it('a pool that no controller has processed at two checks in a row', async () => {
    const late = clientOf({ pools: [pool('web', { generation: 4, observed: 3 })] });
    const first = await lookForKarpenter(late);
    expect(objectionsTo(first)).toEqual([]);
    const second = await lookForKarpenter(late, first);
    expect(objectionsTo(second)).toEqual([
      'No controller has processed the last change of NodePool web: Karpenter is not running.',
    ]);
    const other = await lookForKarpenter(clientOf({ pools: [pool('web', { generation: 5, observed: 4 })] }), second);
    expect(objectionsTo(other)).toEqual([]);
  });

  it('conditions of other controllers do not show that it runs', async () => {
    const conditions = [{ type: 'LullTurn', status: 'True', observedGeneration: 3 }];
    const silent = clientOf({ pools: [{ ...pool('web'), status: { conditions } }] });
    expect(objectionsTo(await lookForKarpenter(silent, await lookForKarpenter(silent)))).toHaveLength(1);
  });

  it.each<{ name: string; only: ApiReply }>([
    { name: 'silence', only: { kind: 'silence', message: 'refused' } },
    { name: 'an unavailable server', only: said(503) },
  ])('K2: $name counts as no answer', async ({ only }) => {
    expect(await lookForKarpenter(clientOf({ only }))).toMatchObject({ isAnswered: false });
  });
});
