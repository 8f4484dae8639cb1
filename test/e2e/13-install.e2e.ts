// Installing, upgrading, releasing and uninstalling Lull on one cluster: repeatable, nothing of others is touched, nothing is left behind.
// Past 300 lines: one story on one cluster, each step building on the one before.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { apiKindFor, type Manifest } from '../../src/cli/install/manifests/manifest.ts';
import { emptyLedger } from '../../src/cluster/ledger.ts';
import { writeLedger } from '../../src/kinds/read/disruptionLedger.ts';
import { objectPath } from '../../src/kube/apiKind.ts';
import { kubeconfig } from '../cluster/keys.ts';
import type { KubeObject } from './story/hand.ts';
import type { Printed } from './story/lull.ts';
import { describeStory, type Story } from './story/story.ts';

interface Installed {
  readonly role: string;
  readonly objects: readonly { readonly object: string; readonly outcome: string; readonly message?: string }[];
  readonly notes: readonly string[];
}

const outcomes = ({ objects }: Installed): readonly string[] => [...new Set(objects.map(({ outcome }) => outcome))];
const changed = ({ objects }: Installed): readonly string[] =>
  objects.filter(({ outcome }) => outcome !== 'unchanged').map(({ object, outcome }) => `${outcome} ${object}`);

const kinds = [
  'ClusterRole',
  'ClusterRoleBinding',
  'ConfigMap',
  'CronJob',
  'CustomResourceDefinition',
  'Deployment',
  'Lease',
  'Namespace',
  'Role',
  'RoleBinding',
  'Secret',
  'ServiceAccount',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
];

/** Kubernetes keeps objects of its own (leases, default accounts, bootstrap roles), and adds some of them after the cluster is ready. */
const isOfKubernetes = ({ metadata: { managedFields = [] } }: KubeObject): boolean =>
  managedFields.every(({ manager }) => /^(kube-.*|clusterrole-aggregation-controller)$/.test(manager));

/** The objects that anyone but Kubernetes itself has written, by kind and name. */
async function everything(story: Story): Promise<readonly string[]> {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const written = (await story.list(kind)).filter((object) => !isOfKubernetes(object));
      return written.map(({ metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);
    }),
  );
  return lists.flat().toSorted();
}

/** Runs `lull` with the release job's token. */
async function asJob({ cluster, lull }: Story, ...words: readonly string[]): Promise<Printed> {
  const path = '/api/v1/namespaces/lull-system/serviceaccounts/lull-release/token';
  const { status } = await cluster.api.must({ method: 'POST', path, body: { spec: { expirationSeconds: 3600 } } });
  const { token } = status as { token: string };
  const ca = readFileSync(cluster.caFile).toString('base64');
  const file = join(cluster.folder, 'release.kubeconfig');
  writeFileSync(
    file,
    kubeconfig({
      cluster: cluster.name,
      server: cluster.server,
      ca,
      token,
      user: 'lull-release',
      namespace: 'lull-system',
    }),
  );
  return lull(...words, '--kubeconfig', file);
}

describeStory('install', { karpenter: false, install: false }, (story) => {
  let before: readonly string[];

  it('a cluster without Lull gets everything, and the second time nothing', async () => {
    before = await everything(story);
    const first = await story.lullJson<Installed>('install');
    expect([first.role, outcomes(first)]).toEqual(['observe', ['created']]);
    const second = await story.lullJson<Installed>('install');
    expect(outcomes(second)).toEqual(['unchanged']);
  });

  it('another role brings other permissions, policies and settings; without flags they stay', async () => {
    const guide = await story.lullJson<Installed>('install', '--set', 'role=guide');
    expect(changed(guide)).toEqual([
      'changed ValidatingAdmissionPolicy/lull-restraint-nodes',
      'changed ValidatingAdmissionPolicy/lull-restraint-pods',
      'changed ValidatingAdmissionPolicy/lull-restraint-nodeclaims',
      'changed ValidatingAdmissionPolicy/lull-restraint-nodepools',
      'changed ValidatingAdmissionPolicy/lull-restraint-disruptionledgers',
      'changed ClusterRole/lull',
      'changed Role/lull-system/lull',
      'created MutatingAdmissionPolicy/lull-born-parked',
      'created MutatingAdmissionPolicyBinding/lull-born-parked',
      'changed ConfigMap/lull-system/lull-settings',
    ]);
    const again = await story.lullJson<Installed>('install');
    expect([again.role, outcomes(again)]).toEqual(['guide', ['unchanged']]);
    expect(again.notes.join()).toContain('Kept as installed: the settings');
  });

  it('an image brings the Deployment, which keeps its image and its token', async () => {
    const made = await story.lullJson<Installed>('install', '--image', 'example.com/lull:1');
    expect(changed(made)).toEqual(
      expect.arrayContaining(['created Deployment/lull-system/lull', 'created CronJob/lull-system/lull-release']),
    );
    const token = (await story.read('Secret', 'lull-system/lull-token'))?.data;
    expect(outcomes(await story.lullJson<Installed>('install'))).toEqual(['unchanged']);
    expect((await story.read('Secret', 'lull-system/lull-token'))?.data).toEqual(token);
    // As an older Lull created it, with one token (T2).
    await story.cluster.api.must({
      method: 'PATCH',
      path: '/api/v1/namespaces/lull-system/secrets/lull-token',
      body: { data: { 'read-token': null } },
      contentType: 'application/merge-patch+json',
    });
    expect(changed(await story.lullJson<Installed>('install'))).toEqual(['changed Secret/lull-system/lull-token']);
    const { token: kept, 'read-token': read } = (await story.read('Secret', 'lull-system/lull-token'))?.data ?? {};
    expect(kept).toBe(token?.token);
    expect(read).toMatch(/^[A-Za-z0-9+/=]{80,}$/);
    const settings = await story.lullJson<Installed>('install', '--set', 'drainTimeout=2h');
    expect(changed(settings)).toEqual([
      'changed ConfigMap/lull-system/lull-settings',
      'changed Deployment/lull-system/lull',
    ]);
    await story.until(
      'its pods are created',
      async () => (await story.list('Pod', 'app.kubernetes.io/name=lull')).length >= 2,
    );
  });

  it('fields of another manager are reported, and taken over only on request', async () => {
    const labels = { 'app.kubernetes.io/name': 'ours' };
    await story.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'lull-settings', namespace: 'lull-system', labels },
    });
    const refused = await story.lull('install');
    expect(refused.code).toBe(2);
    expect(refused.stdout).toContain('conflict');
    expect(refused.stderr).toContain('ConfigMap/lull-system/lull-settings');
    expect(refused.stderr).toContain('--force-conflicts');
    expect((await story.read('ConfigMap', 'lull-system/lull-settings'))?.metadata.labels).toMatchObject(labels);
    const forced = await story.lullJson<Installed>('install', '--force-conflicts');
    expect(changed(forced)).toEqual(['changed ConfigMap/lull-system/lull-settings']);
  });

  it('the manifests of a dry run are accepted by the API server, to the last field', async () => {
    const { code, stdout } = await story.lull(
      'install',
      '--set',
      'role=drive',
      '--image',
      'a.example.com/b:2',
      '--dry-run',
    );
    expect(code).toBe(0);
    for (const document of parseAllDocuments(stdout, { version: '1.1' })) {
      const manifest = document.toJS() as Manifest;
      const { name, namespace } = manifest.metadata;
      const query = 'fieldManager=lull-install&fieldValidation=Strict&dryRun=All';
      await story.cluster.api.must({
        method: 'PATCH',
        path: `${objectPath(apiKindFor(manifest), name, namespace)}?${query}`,
        body: manifest,
        contentType: 'application/apply-patch+yaml',
      });
    }
  });

  it("N9: Karpenter's NodePool is patched only on request, and once", async () => {
    const crd = 'CustomResourceDefinition/nodepools.karpenter.sh';
    const patched = await story.lullJson<Installed>('install', '--patch-nodepool-crd');
    expect(changed(patched)).toEqual([`changed ${crd}`]);
    expect(patched.notes.join()).toContain('lull.dev/budgets-seen');
    const again = await story.lullJson<Installed>('install', '--patch-nodepool-crd');
    expect(outcomes(again)).toEqual(['unchanged']);
  });

  it('N10: the job releases everything of a Lull that has been gone for a day, with only its own permissions', async () => {
    const noon = '2026-11-14T12:00:00Z';
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'lull', namespace: 'lull-system', annotations: { 'lull.dev/settings': '{}' } },
      spec: { holderIdentity: 'gone', leaseDurationSeconds: 1, renewTime: '2026-11-10T12:00:00.000000Z' },
    };
    const parked = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': noon };
    const nodeClassRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };
    const spec = { nodeClassRef, requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] };
    const claim = { 'karpenter.sh/nodepool-hash': 'lull-x', 'lull.dev/nodepool-hash-before': '123' };
    const pool = 'a';
    const labels = { 'karpenter.sh/nodepool': pool };
    await story.apply(
      {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'n1', labels, annotations: parked },
        spec: { providerID: 'kwok://n1' },
      },
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: pool, annotations: { 'lull.dev/budgets-seen': '[]' } },
        spec: { template: { spec } },
      },
      { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name: 'c1', labels, annotations: claim }, spec },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p1', namespace: 'default', annotations: parked },
        spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'pause' }] },
      },
      {
        apiVersion: 'karpenter.sh/v1alpha1',
        kind: 'MaintenanceWindow',
        metadata: { name: 'lull-pause' },
        spec: { mode: 'Block' },
      },
      {
        apiVersion: 'karpenter.sh/v1alpha1',
        kind: 'MaintenanceWindow',
        metadata: { name: 'theirs' },
        spec: { mode: 'Block' },
      },
      {
        apiVersion: 'karpenter.sh/v1alpha1',
        kind: 'PodDisruptionSchedule',
        metadata: { name: 'theirs' },
        spec: { selector: { matchLabels: { app: 'web' } }, schedule: '0 2 * * *', duration: '1h' },
      },
      writeLedger(emptyLedger),
    );
    const fresh = await asJob(story, 'release', '--if-stale', '24h', '--yes');
    expect([fresh.code, fresh.stdout]).toEqual([0, expect.stringContaining('nothing was released')]);
    await story.apply(lease);
    await statusByLull(story, 'karpenter.sh/v1', 'nodepools', { name: pool, kind: 'NodePool' });
    await statusByLull(story, 'karpenter.sh/v1alpha1', 'maintenancewindows', {
      name: 'theirs',
      kind: 'MaintenanceWindow',
    });
    await statusByLull(story, 'karpenter.sh/v1alpha1', 'poddisruptionschedules', {
      name: 'theirs',
      kind: 'PodDisruptionSchedule',
    });
    const { code, stderr } = await asJob(story, 'release', '--if-stale', '24h', '--yes');
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect((await story.read('Node', 'n1'))?.metadata.annotations ?? {}).not.toHaveProperty('lull.dev/parked');
    expect((await story.read('Pod', 'p1'))?.metadata.annotations ?? {}).not.toHaveProperty('lull.dev/parked');
    expect((await story.read('NodeClaim', 'c1'))?.metadata.annotations).toEqual({
      'karpenter.sh/nodepool-hash': '123',
    });
    expect((await story.read('NodePool', pool))?.status?.conditions ?? []).toEqual([]);
    expect(await story.read('MaintenanceWindow', 'lull-pause')).toBeUndefined();
    expect(await story.read('DisruptionLedger', 'lull')).toBeUndefined();
    // As old as before, so that the next job finds nodes that were created parked meanwhile.
    expect(await story.read('Lease', 'lull-system/lull')).toBeDefined();
    const refused = story.audit().filter(({ user, code: answer }) => user.endsWith(':lull-release') && answer === 403);
    expect(refused).toEqual([]);
  });

  it('N10: the job reports a pool that it leaves parked, every time', async () => {
    const labels = { 'karpenter.sh/nodepool': 'free' };
    const annotations = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': '2026-11-14T12:00:00Z' };
    const nodeClassRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };
    const requirements = [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }];
    await story.apply(
      {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'n2', labels, annotations },
        spec: { providerID: 'kwok://n2' },
      },
      {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: 'free' },
        // A pool without a limit of its own.
        spec: {
          disruption: { consolidateAfter: '1h', budgets: [{ nodes: '100%' }] },
          template: { spec: { nodeClassRef, requirements } },
        },
      },
    );
    for (const count of [1, 2]) {
      expect(await asJob(story, 'release', '--if-stale', '24h', '--yes')).toMatchObject({ code: 3 });
      const events = (await story.list('Event')).filter(({ reason }) => reason === 'StaysParked');
      expect(events).toMatchObject([{ involvedObject: { kind: 'NodePool', name: 'free' }, count }]);
    }
    await story.remove('Node', 'n2');
    await story.remove('NodePool', 'free');
  });

  it('a user pauses and resumes a Lull that has only the permissions of observe', async () => {
    await story.lullJson('install', '--set', 'role=observe');
    const { url, kill } = await story.startLull({ role: 'observe' });
    for (const length of ['1h', '2h'])
      expect(await story.lull('pause', '--server', url, '--for', length)).toMatchObject({ code: 0 });
    expect(await story.read('MaintenanceWindow', 'lull-pause')).toBeDefined();
    expect(await story.lull('resume', '--server', url)).toMatchObject({ code: 0 });
    expect(await story.read('MaintenanceWindow', 'lull-pause')).toBeUndefined();
    await kill('SIGTERM');
  });

  it('a namespace that existed before is not changed', async () => {
    await story.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'theirs' } });
    const elsewhere = await story.lullJson<Installed>(
      'install',
      '--namespace',
      'theirs',
      '--image',
      'a.example.com/b:2',
    );
    expect(elsewhere.objects).toContainEqual(expect.objectContaining({ object: 'Namespace/theirs', outcome: 'kept' }));
    const gone = await story.lullJson<Installed>('uninstall', '--namespace', 'theirs', '--yes');
    expect(gone.objects).toContainEqual(expect.objectContaining({ object: 'Namespace/theirs', outcome: 'kept' }));
    expect((await story.read('Namespace', 'theirs'))?.status.phase).toBe('Active');
    await story.remove('Namespace', 'theirs');
  });

  it('uninstall asks first, and leaves the windows that users wrote', async () => {
    await story.lullJson('install', '--image', 'a.example.com/b:2');
    const asked = await story.lull('uninstall');
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    const gone = await story.lullJson<Installed>('uninstall', '--yes');
    expect(gone.objects.filter(({ outcome }) => outcome !== 'removed')).toEqual([
      {
        object: 'CustomResourceDefinition/maintenancewindows.karpenter.sh',
        outcome: 'kept',
        message: expect.stringContaining('MaintenanceWindow theirs would be deleted with it'),
      },
      {
        object: 'CustomResourceDefinition/poddisruptionschedules.karpenter.sh',
        outcome: 'kept',
        message: expect.stringContaining('PodDisruptionSchedule theirs would be deleted with it'),
      },
    ]);
    expect(await story.read('MaintenanceWindow', 'theirs')).toBeDefined();
  });

  it('uninstall leaves nothing behind', async () => {
    await story.lullJson('uninstall', '--with-crds', '--yes');
    // The namespace controller waits up to a minute between two attempts, and a kind that disappears meanwhile fails one.
    const isAsBefore = async () => {
      expect(await everything(story)).toEqual(before);
      return true;
    };
    await story.until('the namespaces are gone', isAsBefore, { within: 300 });
    expect(await story.lullJson('uninstall', '--yes')).toMatchObject({ released: [], objects: [] });
  });
});

/** As a running Lull would have written it. */
async function statusByLull(
  { cluster }: Story,
  apiVersion: string,
  plural: string,
  { name, kind }: { readonly name: string; readonly kind: string },
): Promise<void> {
  const condition = {
    type: 'LullReady',
    status: 'True',
    reason: 'Because',
    message: '',
    lastTransitionTime: '2026-11-14T12:00:00Z',
  };
  await cluster.api.must({
    method: 'PATCH',
    path: `/apis/${apiVersion}/${plural}/${name}/status?fieldManager=lull&force=true`,
    body: { apiVersion, kind, metadata: { name }, status: { conditions: [condition] } },
    contentType: 'application/apply-patch+yaml',
  });
}
