// Installing and uninstalling with Helm: every object is accepted, the permissions suffice, and uninstall releases every node.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/cli/install/manifests/manifest.ts';
import { binary, chart, helm, helmOn } from '../chart/helm.ts';
import { kubeconfig } from '../cluster/keys.ts';
import { program } from '../cluster/places.ts';
import { type Printed, runLull } from './story/lull.ts';
import { describeStory, type Story } from './story/story.ts';

const namespace = 'lull-system';
const image = ['--set', 'image.repository=example.com/lull'];
const roles = ['observe', 'guide', 'drive'] as const;

const onIt = ({ cluster }: Story, ...words: readonly string[]): Promise<string> =>
  helmOn(cluster.kubeconfig, [...words, '--namespace', namespace]);

const upgrade = (story: Story, role: string): Promise<string> =>
  onIt(story, 'upgrade', 'lull', chart, ...image, '--set', `settings.role=${role}`);

/** Runs `lull` as the job does: with its account's token. */
async function asJob({ cluster }: Story, words: readonly string[]): Promise<Printed> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/lull-release/token`;
  const { status } = await cluster.api.must({ method: 'POST', path, body: { spec: { expirationSeconds: 3600 } } });
  const { token } = status as { token: string };
  const ca = readFileSync(cluster.caFile).toString('base64');
  const file = join(cluster.folder, 'release.kubeconfig');
  writeFileSync(
    file,
    kubeconfig({ cluster: cluster.name, server: cluster.server, ca, token, user: 'lull-release', namespace }),
  );
  return runLull(cluster, [...words, '--kubeconfig', file]);
}

const parked = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': '2026-11-14T12:00:00Z' };

const tell = (story: Story): void => {
  it('a cluster without Lull accepts the chart, with CRDs, RBAC and policies', async () => {
    await onIt(story, 'install', 'lull', chart, '--create-namespace', ...image);
    expect(await onIt(story, 'status', 'lull')).toContain('STATUS: deployed');
    await story.until('the pods of its Deployment are created', async () => {
      const pods = await story.list('Pod', 'app.kubernetes.io/component=controller');
      return pods.length === 2;
    });
  });

  it.each(roles)('the API server knows every field of it, for %s', (role) => {
    const rendered = helm(['template', 'lull', chart, '-n', namespace, ...image, '--set', `settings.role=${role}`]);
    const words = ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '--validate=strict', '-f', '-'];
    const said = execFileSync(program('kubectl'), words, {
      encoding: 'utf8',
      input: rendered,
      env: { ...process.env, KUBECONFIG: story.cluster.kubeconfig },
    });
    expect(said.trim().split('\n')).toHaveLength(rendered.match(/^kind: /gm)?.length ?? 0);
  });

  it.each(roles)('the permissions of %s are those of `lull install`, which the stories use', async (role) => {
    await upgrade(story, role);
    const words = ['--set', `role=${role}`, '--image', 'example.com/lull:1', '--dry-run'];
    const { items } = await story.lullJson<{ items: (Manifest & { rules: unknown; spec: unknown })[] }>(
      'install',
      ...words,
    );
    const rights = items.filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role');
    expect(rights).toHaveLength(4);
    for (const { kind, metadata, rules } of rights) {
      const key = kind === 'Role' ? `${namespace}/${metadata.name}` : metadata.name;
      expect((await story.read(kind, key))?.rules).toEqual(rules);
    }
    const policies = items.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
    expect(policies).toHaveLength(23);
    // The server leaves out an empty list of variables.
    for (const { kind, metadata, spec } of policies)
      expect({ variables: [], ...(await story.read(kind, metadata.name))?.spec }).toMatchObject(spec as object);
    for (const { kind, metadata, spec } of items.filter((it) => it.kind === 'ValidatingAdmissionPolicyBinding'))
      expect((await story.read(kind, metadata.name))?.spec).toMatchObject(spec as object);
  });

  it('an upgrade keeps the token, and `lull install` does not change what belongs to Helm', async () => {
    const token = (await story.read('Secret', `${namespace}/lull-token`))?.data;
    await upgrade(story, 'guide');
    expect((await story.read('Secret', `${namespace}/lull-token`))?.data).toEqual(token);
    // As an older chart created it, with one token (T2).
    await story.cluster.api.must({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}/secrets/lull-token`,
      body: { data: { 'read-token': null } },
      contentType: 'application/merge-patch+json',
    });
    await upgrade(story, 'guide');
    const { token: kept, 'read-token': read } = (await story.read('Secret', `${namespace}/lull-token`))?.data ?? {};
    expect(kept).toBe(token?.token);
    expect(read).toMatch(/^[A-Za-z0-9+/=]{80,}$/);
    // A user's own Secret with one token is enough: the notes show the key that exists.
    const metadata = { name: 'ours', namespace };
    await story.apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { token: 'x'.repeat(32) } });
    const own = ['--set', 'server.tokenSecret=ours', '--dry-run=server'];
    expect(await onIt(story, 'upgrade', 'lull', chart, ...image, ...own)).toContain(
      "secret ours -o jsonpath='{.data.token}'",
    );
    const refused = await story.lull('install', '--set', 'role=drive');
    expect([refused.code, refused.stdout]).toEqual([2, expect.stringContaining('conflict')]);
    expect((await story.read('ConfigMap', `${namespace}/lull-settings`))?.data['settings.yaml']).toBe('role: guide\n');
  });

  it('an uninstall whose job does not end removes nothing, and after a rollback there is a release again', async () => {
    await expect(onIt(story, 'uninstall', 'lull', '--timeout', '3s')).rejects.toThrow();
    expect(await story.read('Deployment', `${namespace}/lull`)).toBeDefined();
    await expect(upgrade(story, 'guide')).rejects.toThrow('has no deployed releases');
    await onIt(story, 'rollback', 'lull', '1');
    expect(await onIt(story, 'status', 'lull')).toContain('STATUS: deployed');
    await upgrade(story, 'guide');
    const job = `/apis/batch/v1/namespaces/${namespace}/jobs/lull-release-all`;
    await story.cluster.api.must({ method: 'DELETE', path: job, body: { propagationPolicy: 'Background' } });
    await story.until('the pod of that job is gone', async () =>
      (await story.list('Pod')).every(({ metadata }) => !metadata.name.startsWith('lull-release-all-')),
    );
  });

  it("N10: before it is uninstalled, Lull is stopped and every node released, with only the job's permissions", async () => {
    await story.apply(
      {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'n1', labels: { 'karpenter.sh/nodepool': 'a' }, annotations: parked },
        spec: { providerID: 'kwok://n1' },
      },
      {
        apiVersion: 'karpenter.sh/v1alpha1',
        kind: 'MaintenanceWindow',
        metadata: { name: 'theirs' },
        spec: { mode: 'Block' },
      },
    );
    // The job's container does not run here, so the story runs its command under the chart's account.
    const running = await story.startLull({ role: 'observe' });
    expect(await story.read('MutatingAdmissionPolicy', 'lull-born-parked')).toBeDefined();
    const uninstalled = onIt(story, 'uninstall', 'lull', '--timeout', '5m');
    const job = await story.until('the job of the hook is created', async () =>
      (await story.list('Pod')).find(({ metadata }) => metadata.name.startsWith('lull-release-all-')),
    );
    const released = asJob(story, job.spec.containers[0].args);
    await story.until('its Deployment is scaled to nothing', async () => {
      const deployment = await story.read('Deployment', `${namespace}/lull`);
      return deployment?.spec.replicas === 0;
    });
    await running.kill('SIGTERM');
    expect(await released).toMatchObject({ code: 0, stdout: expect.stringContaining('Karpenter decides alone again') });
    await story.cluster.api.must({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}/pods/${job.metadata.name}/status`,
      body: { status: { phase: 'Succeeded' } },
      contentType: 'application/merge-patch+json',
    });
    expect(await uninstalled).toContain('uninstalled');
    expect((await story.read('Node', 'n1'))?.metadata.annotations ?? {}).not.toHaveProperty(['lull.dev/parked']);
    expect(await story.read('Lease', `${namespace}/lull`)).toBeUndefined();
  });

  it('only its CRDs are left, and the windows that users wrote', async () => {
    for (const kind of ['ClusterRole', 'ClusterRoleBinding', 'ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy'])
      expect(
        (await story.list(kind)).map(({ metadata }) => metadata.name).filter((it) => it.startsWith('lull')),
      ).toEqual([]);
    expect(await story.read('Deployment', `${namespace}/lull`)).toBeUndefined();
    expect(await story.read('MaintenanceWindow', 'theirs')).toBeDefined();
    expect(await story.read('CustomResourceDefinition', 'maintenancewindows.karpenter.sh')).toBeDefined();
  });

  it('it can be installed again over the CRDs that it left', async () => {
    await onIt(story, 'install', 'lull', chart, ...image);
    expect(await onIt(story, 'status', 'lull')).toContain('STATUS: deployed');
  });
};

// The tests include Helm only for Linux on x64.
if (binary === undefined) describe.skip('chart (Helm is not installed)', () => it('is skipped', () => undefined));
else describeStory('chart', { karpenter: false, install: false }, tell);
