// The real cluster itself: it recovers from faults, its processes end with the tests, and the observer sees violations.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { whyNoCluster } from '../cluster/binaries.ts';
import { established, startCluster } from '../cluster/cluster.ts';
import { runFolder } from '../cluster/places.ts';
import { whoRuns } from '../cluster/running.ts';
import { brokenPdbs, exchanged, moreThan, replacedMoreThanOnce, zonesAtOnce } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { evictedTwice } from './story/audit.ts';
import { deployment, nodepool, pdb } from './story/objects.ts';
import { describeStory } from './story/story.ts';

describeStory('karpenter-alone', { install: false }, (story) => {
  const running = async (app: string) =>
    (await story.list('Pod', `app=${app}`)).filter(
      ({ status, metadata }) => status.phase === 'Running' && !metadata.deletionTimestamp,
    );

  it('Karpenter creates a node for each pod, in three zones', async () => {
    // A budget that lets the observer see two zones in flight: with one node at a time it never would.
    const pool = nodepool({ karpenterBudgets: [{ nodes: '5' }] });
    await story.apply(pool, deployment(), pdb('web', { minAvailable: 6 }));
    await story.until('nine pods run', async () => (await running('web')).length === 9);
    const zones = (await story.list('Node')).map(({ metadata }) => metadata.labels?.['topology.kubernetes.io/zone']);
    expect(zones.toSorted()).toEqual(['a', 'b', 'c'].flatMap((zone) => Array(3).fill(`test-zone-${zone}`)));
  });

  it('Karpenter rolls a changed template by itself, and the observer sees two zones in flight at a time', async () => {
    const old = new Set((await story.list('NodeClaim')).map(({ metadata }) => metadata.name));
    const since = Date.now();
    await story.patch('NodePool', 'web', { spec: { template: { metadata: { labels: { version: 'two' } } } } });
    await story.until(
      'every old claim is gone, and there are nine new nodes',
      async () => {
        const claims = await story.list('NodeClaim');
        return claims.length === 9 && claims.every(({ metadata }) => !old.has(metadata.name));
      },
      { within: 240 },
    );
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, since)}`);
    expect(zonesAtOnce(timeline)).not.toEqual([]);
    expect(moreThan(1, timeline)).not.toEqual([]);
    expect(moreThan(9, timeline)).toEqual([]);
    expect(brokenPdbs(timeline)).toEqual([]);
    expect(exchanged(timeline).taken).toHaveLength(9);
    expect(replacedMoreThanOnce(timeline)).toEqual([]);
    expect(evictedTwice(story.audit())).toEqual([]);
  });

  it('the observer sees a pod that is deleted against its PDB', async () => {
    await story.apply(pdb('web', { minAvailable: 9 }));
    await story.until('the observer knows that all nine are needed', async () =>
      (await story.observer.timeline()).lines.some((line) => line.kind === 'PodDisruptionBudget' && line.desired === 9),
    );
    expect(brokenPdbs(await story.observer.timeline())).toEqual([]);
    const [pod] = await running('web');
    await story.remove('Pod', pod?.metadata.name ?? '', { gracePeriodSeconds: 0 });
    expect(brokenPdbs(await story.observer.timeline())).toEqual([expect.stringContaining('8 are healthy, 9 required')]);
  });

  it('the API server and etcd come back with their data', async () => {
    const before = (await story.read('NodePool', 'web'))?.metadata.uid;
    await story.cluster.component('kube-apiserver').stop('SIGKILL');
    await story.cluster.component('etcd').stop('SIGKILL');
    await story.cluster.component('etcd').start();
    await story.cluster.component('kube-apiserver').start();
    expect((await story.read('NodePool', 'web'))?.metadata.uid).toBe(before);
    const since = Date.now();
    await story.patch('Deployment', 'web', { spec: { replicas: 10 } });
    await story.until('the controllers continue: a tenth pod runs', async () => (await running('web')).length === 10);
    const timeline = await story.observer.timeline();
    expect(timeline.lines.some((line) => line.kind === 'Pod' && line.at > since)).toBe(true);
  });

  it('a ServiceAccount gets a token, which permits nothing', async () => {
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const { status } = await story.cluster.api.must({ method: 'POST', path, body: { spec: {} } });
    const { token } = status as { token: string };
    const { openApi } = await import('../cluster/api.ts');
    const api = openApi({ server: story.cluster.server, token });
    expect(await api.ask({ method: 'GET', path: '/api/v1/nodes' })).toMatchObject({ code: 403 });
    api.close();
    const asked = story.audit().find(({ user }) => user === 'system:serviceaccount:default:default');
    expect(asked).toMatchObject({ verb: 'list', resource: 'nodes', code: 403, decision: 'forbid' });
  });
});

describe.skipIf(whyNoCluster() !== undefined)('A cluster', () => {
  it('several clusters run at the same time, each with its own ports and data', async () => {
    const clusters = await Promise.all(
      ['e2e-one', 'e2e-two'].map((name) => startCluster({ name, controllers: false })),
    );
    const [one, two] = clusters;
    expect(one?.server).not.toBe(two?.server);
    await one?.api.must({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'here' } } });
    expect((await two?.api.ask({ method: 'GET', path: '/api/v1/namespaces/here' }))?.code).toBe(404);
    await established(one?.api as NonNullable<typeof one>['api'], 'nodepools.karpenter.sh');
    await Promise.all(clusters.map((cluster) => cluster.stop()));
    for (const { folder } of clusters) expect(await whoRuns(folder)).toEqual([]);
  });

  it('ends with the process that started it, even if that is killed', async () => {
    const code = `
      import { startCluster } from ${JSON.stringify(join(import.meta.dirname, '../cluster/cluster.ts'))};
      await startCluster({ name: 'e2e-orphan', controllers: false });
      process.stdout.write('up');
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    expect(await whoRuns(runFolder('e2e-orphan'))).toEqual(['etcd', 'kube-apiserver']);
    child.kill('SIGKILL');
    await expect.poll(() => whoRuns(runFolder('e2e-orphan')), { timeout: 10_000 }).toEqual([]);
  });
});
