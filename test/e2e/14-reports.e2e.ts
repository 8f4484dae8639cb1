// What kubectl shows (J2, J5, D8, E6): statuses that survive Karpenter's writes, and events for what changed.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { program } from '../cluster/places.ts';
import { lullUser } from './story/audit.ts';
import type { KubeObject } from './story/hand.ts';
import type { RunningLull } from './story/lull.ts';
import { deployment, nodepool, zoneKey } from './story/objects.ts';
import { describeStory } from './story/story.ts';

const budgets = [{ nodes: '1', topologyKey: zoneKey, sequential: true }];

const freeze = {
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'MaintenanceWindow',
  metadata: { name: 'freeze' },
  spec: { actions: ['Drift'], note: 'ask Ann' },
};
const never = {
  ...freeze,
  metadata: { name: 'never' },
  spec: { actions: ['Repair'], schedules: [{ cron: '0 0 30 2 *', duration: '1h' }] },
};
const nights = {
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'PodDisruptionSchedule',
  metadata: { name: 'nights' },
  spec: { selector: { matchLabels: { app: 'nobody' } }, schedule: '0 2 * * *' },
};
const oddRule = { 'karpenter.sh/disruption-schedule': '61 * * * *' };

describeStory('reports', { install: ['--set', 'role=guide'] }, (story) => {
  let lull: RunningLull;

  const kubectl = async (...words: string[]): Promise<string> => {
    const env = { ...process.env, KUBECONFIG: story.cluster.kubeconfig };
    return (await promisify(execFile)(program('kubectl'), words, { env })).stdout;
  };
  const condition = async (type: string) => {
    const conditions: KubeObject[] = (await story.read('NodePool', 'web'))?.status?.conditions ?? [];
    return conditions.find((it) => it.type === type);
  };
  const told = async (reason: string): Promise<readonly KubeObject[]> =>
    (await story.list('Event')).filter((it) => it.source?.component === 'lull' && it.reason === reason);

  it("J2: a pool's status shows what may be disrupted, beside Karpenter's conditions", async () => {
    await story.apply(nodepool({ budgets }), deployment({ replicas: 3, annotations: oddRule }), freeze, never, nights);
    await story.until('there are three nodes', async () => (await story.list('Node')).length === 3);
    lull = await story.startLull();
    await story.until('the turn is reported', () => condition('LullTurn'));
    expect(await condition('LullReady')).toMatchObject({ status: 'True', reason: 'Guide' });
    expect(await condition('LullTurn')).toMatchObject({ status: 'True', reason: 'Rolled' });
    expect((await condition('LullDisruptionAllowed'))?.message).toMatch(/Drifted per zone: test-zone-a 1 of 1/);
    await story.until('Karpenter calls it Ready', async () => (await condition('Ready'))?.status === 'True');
  });

  it('D8: the columns of kubectl get show what windows and schedules do', async () => {
    const table = await story.until('both are reported', async () => {
      const text = await kubectl('get', 'maintenancewindows,poddisruptionschedules');
      return /nights .*False|nights .*True/.test(text) && /never .*False/.test(text) ? text : undefined;
    });
    expect(table).toMatch(/NAME +MODE +OPEN +NEXT CHANGE +SELECTED +HOLDING +READY +AGE/);
    expect(table).toMatch(/\/freeze +Block +true +3 +0 +True /);
    expect(table).toMatch(/NAME +MODE +SCHEDULE +DURATION +OPEN +NEXT CHANGE +SELECTED +HOLDING +READY +AGE/);
    expect(table).toMatch(/\/nights +Allow +0 2 \* \* \* +1h +(true|false) +\S+T0[23]:00:00Z +0 +0 +True /);
  });

  it('D7, E6: an unreadable rule is reported on its object, once', async () => {
    await story.until('all are reported', async () => (await told('BadDisruptionRule')).length === 3);
    const [pod] = await story.list('Pod', 'app=web');
    expect(await kubectl('describe', 'pod', pod?.metadata.name ?? '')).toMatch(
      /Warning +BadDisruptionRule .* lull +metadata\.annotations\[karpenter\.sh\/disruption-schedule\]: "61 \* \* \* \*"/,
    );
    expect(await kubectl('describe', 'mw', 'never')).toMatch(/Warning +PolicyFault .* "0 0 30 2 \*" never fires/);
  });

  it('J5: a held node has an event with the reason', async () => {
    await story.patch('NodePool', 'web', { spec: { template: { metadata: { labels: { version: 'two' } } } } });
    await story.until('three nodes are held', async () => (await told('Held')).length === 3);
    const [node] = await story.list('Node');
    expect(await kubectl('describe', 'node', node?.metadata.name ?? '')).toMatch(
      /Normal +Held .* lull +Drifted is held: MaintenanceWindow freeze blocks it now \(ask Ann\)/,
    );
    await story.until(
      'the status of the window reports it',
      async () => (await story.read('MaintenanceWindow', 'freeze'))?.status.holding === 3,
    );
  });

  it('J5: another reason is another event, and a repeated one is counted', async () => {
    await story.apply({ ...freeze, metadata: { name: 'another' } });
    await story.until('three more are reported', async () => (await told('Held')).length === 6);
    await story.remove('MaintenanceWindow', 'another');
    await story.until(
      'the first are counted',
      async () => (await told('Held')).filter((it) => it.count === 2).length === 3,
    );
  });

  it('J5: the roll is reported step by step on nodes and claims, and as a whole on the pool', async () => {
    await story.remove('MaintenanceWindow', 'freeze');
    await story.until('three nodes are gone', async () => (await told('NodeGone')).length === 3, { within: 120 });
    await story.until('the last turn is passed', async () => (await told('TurnPassed')).length === 3, { within: 60 });
    expect(new Set((await told('Taken')).map((it) => it.involvedObject.kind))).toEqual(new Set(['Node', 'NodeClaim']));
    expect(await told('Offered')).toHaveLength(6);
    expect(await told('TurnTaken')).toHaveLength(3);
    const { text } = await lull.get('/metrics');
    expect(text).toContain('lull_command_steps_total{nodepool="web",reason="Drifted",step="taken"} 3\n');
    expect(text).toContain('lull_report_faults_total 0\n');
    story.say(await kubectl('describe', 'nodepool', 'web'));
  });

  it("N8: the conditions survive Karpenter's writes and its restart, and claims have none", async () => {
    await story.until('the roll is over', async () => (await condition('LullTurn'))?.reason === 'Rolled');
    const karpenter = story.cluster.component('karpenter');
    await karpenter.stop();
    await karpenter.start();
    await story.patch('NodePool', 'web', { spec: { weight: 7 } });
    await story.until(
      'Karpenter has seen it',
      async () => (await condition('ValidationSucceeded'))?.observedGeneration > 2,
    );
    await story.until('Karpenter calls it Ready', async () => (await condition('Ready'))?.status === 'True');
    expect((await condition('LullTurn'))?.reason).toBe('Rolled');
    const claims = await story.list('NodeClaim');
    const types = claims.flatMap(({ status }) => status.conditions.map((it: { type: string }) => it.type));
    expect(types.filter((it: string) => it.startsWith('Lull'))).toEqual([]);
  });

  it("K5: a restarted Lull repeats no event, and resets no condition's transition time", async () => {
    const events = async () =>
      (await story.list('Event'))
        .filter((it) => it.source?.component === 'lull')
        .map((it) => `${it.metadata.name} ${it.count}`)
        .sort();
    const before = { events: await events(), since: (await condition('LullReady'))?.lastTransitionTime };
    const requests = () =>
      story.audit().filter((it) => it.user === lullUser && it.resource === 'events' && it.code === 409).length;
    const asked = requests();
    await lull.kill();
    await lull.start();
    await story.until('it has reported again', async () => requests() > asked);
    await story.patch('NodePool', 'web', { metadata: { annotations: { 'lull.dev/budgets': '[{"nodes":"0"}]' } } });
    await story.until(
      'its status is written',
      async () => (await condition('LullDisruptionAllowed'))?.reason === 'Frozen',
    );
    expect(await condition('LullTurn')).toBeUndefined();
    expect({ events: await events(), since: (await condition('LullReady'))?.lastTransitionTime }).toEqual(before);
  });
});
