// A real node drained in drive: a pod that ignores SIGTERM, a preStop hook, and a volume that stays attached. KWOK only pretends these.
import { expect, it } from 'vitest';
import { type RealNode, startNode, workloadImage } from '../cluster/node/node.ts';
import { evictedTwice, lullUser } from './story/audit.ts';
import type { KubeObject } from './story/hand.ts';
import { deployment, nodepool } from './story/objects.ts';
import { describeOnNode } from './story/onNode.ts';
import { claimsOf, type Roll, release, runningPods } from './story/roll.ts';

/** PRESTOP=120 npx vitest run --config vitest.e2e.config.ts 63-real: a hook of two minutes. */
const hookSeconds = Number(process.env.PRESTOP ?? 12);
/** How long each pod may take to terminate; the stubborn one takes all of it. */
const grace = { polite: 30, stubborn: 15, hooked: hookSeconds + 20 } as const;
const apps = ['polite', 'stubborn', 'hooked'] as const;
type App = (typeof apps)[number];

/** Below a path that the node keeps in memory (cluster/node/init.sh). */
const evidence = '/var/log/evidence';
const note = (name: string): string => `date +%s >${evidence}/${name}`;
const loop = 'while :; do sleep 0.2; done';
const scripts = {
  polite: `trap '${note('polite-term')}; exit 0' TERM; ${loop}`,
  stubborn: `trap '${note('stubborn-term')}' TERM; while :; do ${note('stubborn-alive')}; sleep 0.2; done`,
  hooked: `trap '${note('hooked-term')}; exit 0' TERM; ${loop}`,
} as const;
const preStop = {
  exec: { command: ['sh', '-c', `${note('hook-begins')}; sleep ${hookSeconds}; ${note('hook-ends')}`] },
};

const workload = (name: App): object =>
  deployment({
    name,
    replicas: 1,
    spread: false,
    graceSeconds: grace[name],
    spec: {
      volumes: [{ name: 'evidence', hostPath: { path: evidence, type: 'DirectoryOrCreate' } }],
      containers: [
        {
          name: 'main',
          image: workloadImage,
          command: ['sh', '-c', scripts[name]],
          volumeMounts: [{ name: 'evidence', mountPath: evidence }],
          resources: { requests: { cpu: '100m', memory: '32Mi' } },
          ...(name === 'hooked' && { lifecycle: { preStop } }),
        },
      ],
    },
  });

/** As the attacher of a storage driver creates it. Deleting it detaches the volume. */
const attachment = (nodeName: string): object => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: 'slow-volume' },
  spec: { attacher: 'storage.example.com', nodeName, source: { persistentVolumeName: 'data-1' } },
});

describeOnNode('real-drain', { install: ['--set', 'role=drive'] }, (story) => {
  let node: RealNode;
  let roll: Roll;
  const old = new Map<App, string>();

  const podsOf = async (): Promise<readonly KubeObject[]> =>
    (await Promise.all(apps.map((app) => runningPods(story, app)))).flat();
  const isReal = ({ status }: KubeObject): boolean =>
    status.containerStatuses?.[0]?.containerID?.startsWith('containerd://') && status.containerStatuses[0].ready;
  const read = async (name: string): Promise<number> => Number(await node.enter('cat', `${evidence}/${name}`));
  const timesOf = (app: App, user: string, verb: string, resource: string): readonly number[] =>
    story
      .audit()
      .filter((it) => it.user === user && it.verb === verb && it.resource === resource && it.code < 300)
      .filter((it) => it.name === old.get(app))
      .map(({ at }) => Date.parse(at));
  const evictedAt = (app: App): number => timesOf(app, lullUser, 'create', 'pods/eviction')[0] ?? Number.NaN;
  const endedAt = (app: App): number => timesOf(app, 'kubelet', 'delete', 'pods')[0] ?? Number.NaN;

  it('a node that Karpenter has created is taken over by a real kubelet, which runs its pods', async () => {
    const parts = { budgets: [{ nodes: '1' }], karpenterBudgets: [{ nodes: '0' }], zones: ['test-zone-a'] };
    await story.apply(nodepool(parts), ...apps.map(workload));
    await story.until('a pod of each is bound', async () => (await podsOf()).length === apps.length);
    const name = await story.until('their node is Initialized', async () => {
      const [claim] = await claimsOf(story);
      const { conditions = [], nodeName } = claim?.status ?? {};
      return conditions.some((it: Condition) => it.type === 'Initialized' && it.status === 'True') && nodeName;
    });
    expect(await claimsOf(story)).toHaveLength(1);
    // KWOK keeps a node until it is restarted, and would continue to renew its lease.
    const kwok = story.cluster.component('kwok');
    await kwok.stop('SIGKILL');
    await story.patch('Node', name, { metadata: { annotations: { 'kwok.x-k8s.io/node': null } } });
    await story.remove('Lease', `kube-node-lease/${name}`);
    node = await startNode(story.cluster, { name, taints: [] });
    await kwok.start();
    await story.until('its pods run in containers', async () => (await podsOf()).filter(isReal).length === apps.length);
    for (const app of apps) old.set(app, (await runningPods(story, app))[0]?.metadata.name ?? '');
  });

  it('Lull replaces the node: it evicts each pod once, and the kubelet ends them as they allow', async () => {
    await story.apply(attachment(node.name));
    await story.startLull({ role: 'drive' });
    roll = await release(story, 'two');
    await story.until('the kubelet has ended all three', () => apps.every((app) => endedAt(app) > 0), {
      within: hookSeconds + 120,
    });
    for (const app of apps) story.say(`${app} ended ${(endedAt(app) - evictedAt(app)) / 1000} s after its eviction`);
    expect(evictedTwice(story.audit())).toEqual([]);
    for (const app of apps) expect(timesOf(app, lullUser, 'delete', 'pods')).toEqual([]);
  });

  it('the pod that ignores SIGTERM had its whole grace period', async () => {
    expect(await read('stubborn-term')).toBeGreaterThan(0);
    expect(endedAt('stubborn') - evictedAt('stubborn')).toBeGreaterThanOrEqual(grace.stubborn * 1000);
  });

  it('the preStop hook ran to its end before SIGTERM came', async () => {
    const [begins, ends, term] = await Promise.all([read('hook-begins'), read('hook-ends'), read('hooked-term')]);
    expect(ends - begins).toBeGreaterThanOrEqual(hookSeconds);
    expect(term).toBeGreaterThanOrEqual(ends);
  });

  it('only then was the claim deleted, and Karpenter waits for the volume', async () => {
    const [name] = roll.old;
    const waiting = await story.until('Karpenter waits for the volume', async () => {
      const { conditions = [] } = (await story.read('NodeClaim', name ?? ''))?.status ?? {};
      return conditions.find((it: Condition) => it.type === 'VolumesDetached' && it.status === 'Unknown');
    });
    expect(waiting.reason).toBe('AwaitingVolumeDetachment');
    const deleted = story
      .audit()
      .filter((it) => it.user === lullUser && it.verb === 'delete' && it.resource === 'nodeclaims' && it.code < 300);
    expect(deleted.map((it) => it.name)).toEqual([name]);
    // This may be a moment before the kubelet removes the last pod: it reports earlier that the containers have ended.
    const lastSeen = await Promise.all(['polite-term', 'stubborn-alive', 'hooked-term'].map(read));
    expect(Date.parse(deleted[0]?.at ?? '')).toBeGreaterThanOrEqual(Math.max(...lastSeen) * 1000);
    story.say((await story.lull('why', node.name)).stdout);
    expect(await story.read('Node', node.name)).toBeDefined();
  });

  it('once the volume is detached, the node is deleted, and the pods run on its replacement', async () => {
    await story.remove('VolumeAttachment', 'slow-volume');
    await story.until('the node is gone', async () => !(await story.read('Node', node.name)));
    await story.until('all three pods run', async () => (await podsOf()).length === apps.length);
    await story.until('its claim is gone', async () => (await roll.gone()) === 1);
    expect(await claimsOf(story)).toHaveLength(1);
  });
});

interface Condition {
  readonly type: string;
  readonly status: string;
}
