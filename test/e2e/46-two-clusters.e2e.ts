// Two real clusters on one machine: every command answers for the cluster that is meant, and names it (L8).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cluster, startCluster } from '../cluster/cluster.ts';
import { contextOf } from '../cluster/keys.ts';
import { type Printed, type RunningLull, runLull } from './story/lull.ts';
import { nodepool } from './story/objects.ts';
import { describeStory } from './story/story.ts';

interface Named {
  readonly cluster?: { readonly kind: string; readonly name: string; readonly uid?: string };
}

describeStory('two-clusters', { install: ['--set', 'role=observe'], karpenter: false }, (story) => {
  let other: Cluster;
  let lull: RunningLull;
  let uids: readonly [string, string];

  beforeAll(async () => {
    other = await startCluster({ name: 'e2e-two-clusters-2', controllers: false });
    expect(await runLull(other, ['install'])).toMatchObject({ code: 0 });
  });
  afterAll(() => other.stop());

  it('a Lull runs on the one; a pool of another name is in the other', async () => {
    await story.apply(nodepool({ name: 'here' }));
    await other.api.must({ method: 'POST', path: pools, body: nodepool({ name: 'there' }) });
    lull = await story.startLull({ role: 'observe' });
    uids = [await uidOf(story.cluster), await uidOf(other)];
    expect(uids[0]).not.toBe(uids[1]);
    expect(contextOf(story.cluster.name)).not.toBe(contextOf(other.name));
    expect(JSON.parse((await lull.get('/api/cluster')).text)).toMatchObject({ kind: 'cluster', uid: uids[0] });
  });

  it('L8: why and forecast ask the Lull of the chosen cluster, and never another one', async () => {
    const here = await ask(story.cluster, 'why', 'pool/here', '-o', 'json');
    expect((JSON.parse(here.stdout) as Named).cluster).toMatchObject({ uid: uids[0] });
    for (const [cluster, uid, words] of [
      [story.cluster, uids[0], ['forecast']],
      [other, uids[1], ['why', 'pool/there']],
      [other, uids[1], ['forecast']],
      [other, uids[1], ['decide']],
    ] as const) {
      const { stdout, stderr } = await ask(cluster, ...words, '-o', 'json');
      expect(JSON.parse(stdout || stderr), words.join(' ')).toMatchObject({
        cluster: { kind: 'cluster', name: contextOf(cluster.name), uid },
      });
    }
  });

  it('a name of the other cluster is not found, and one line names the other Lull', async () => {
    const { code, stdout, stderr } = await ask(other, 'why', 'pool/here');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`a Lull for cluster ${contextOf(story.cluster.name)}`);
    expect(stderr).toContain(`--server ${lull.url} asks it`);
    const insisted = await ask(other, 'why', 'pool/here', '--server', lull.url);
    expect(insisted.stdout).toContain(`in cluster ${contextOf(story.cluster.name)}`);
  });

  it('a pause is refused if both are possible, and sent to the one that is named', async () => {
    const unsure = await ask(other, 'pause');
    expect(unsure).toMatchObject({ code: 2, stderr: expect.stringContaining('Two clusters are possible') });
    expect(await pausesOf(story.cluster)).toBe(0);
    expect(await pausesOf(other)).toBe(0);
    const { stdout } = await ask(other, 'pause', '--context', contextOf(other.name));
    expect(stdout).toContain(`in cluster ${contextOf(other.name)} (${other.server})`);
    expect(await pausesOf(story.cluster)).toBe(0);
    expect(await pausesOf(other)).toBe(1);
    expect((await ask(story.cluster, 'pause')).stdout).toContain(`in cluster ${contextOf(story.cluster.name)}`);
    expect(await pausesOf(story.cluster)).toBe(1);
  });

  it("K7: a kubeconfig that acts as another user has only that user's rights, and the audit log names both", async () => {
    const asJane = (groups: readonly string[], ...words: string[]): Promise<Printed> => {
      const file = join(story.cluster.folder, 'jane.kubeconfig');
      const config = JSON.parse(readFileSync(story.cluster.kubeconfig, 'utf8'));
      Object.assign(config.users[0].user, { as: 'jane', 'as-groups': groups });
      writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
      return runLull(story.cluster, words, undefined, { KUBECONFIG: file, LULL_PORT: new URL(lull.url).port });
    };
    const { stdout, stderr } = await asJane(['system:masters'], 'why', 'pool/here');
    expect(stderr).not.toContain('via the Lull');
    expect(stdout).toContain(
      `in cluster ${contextOf(story.cluster.name)} (${story.cluster.server}), acting as jane (group system:masters)`,
    );
    expect(await asJane([], 'resume', '--context', contextOf(story.cluster.name))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"jane" cannot delete'),
    });
    expect(await pausesOf(story.cluster)).toBe(1);
    const seen = story.audit().filter(({ actsAs }) => actsAs === 'jane');
    expect(new Set(seen.map(({ user }) => user))).toEqual(new Set(['admin']));
    expect(seen).toContainEqual(expect.objectContaining({ resource: 'nodepools', code: 200 }));
    expect(seen).toContainEqual(expect.objectContaining({ verb: 'delete', resource: 'maintenancewindows', code: 403 }));
  });

  /** As a user of that kubeconfig, on a machine where the Lull listens on the default port. */
  const ask = (cluster: Cluster, ...words: string[]): Promise<Printed> =>
    runLull(cluster, words, undefined, { LULL_PORT: new URL(lull.url).port });
});

const uidOf = async ({ api }: Cluster): Promise<string> => {
  const { metadata } = await api.must({ method: 'GET', path: '/api/v1/namespaces/kube-system' });
  return (metadata as { uid: string }).uid;
};

const pools = '/apis/karpenter.sh/v1/nodepools';
const windows = '/apis/karpenter.sh/v1alpha1/maintenancewindows';

const pausesOf = async ({ api }: Cluster): Promise<number> =>
  ((await api.must({ method: 'GET', path: windows })).items as readonly unknown[]).length;
