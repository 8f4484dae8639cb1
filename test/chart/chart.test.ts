// Tests that the chart matches the code, that Helm renders it, and that its pods are locked down.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { chartFiles } from '../../scripts/chart/chartFiles.ts';
import type { Manifest } from '../../src/cli/install/manifests/manifest.ts';
import { readSettingsText } from '../../src/cli/install/manifests/manifest.ts';
import { settingKeys } from '../../src/cluster/settings.ts';
import { binary, chart, helm, render } from './helm.ts';

const image = { 'image.repository': 'registry.example.com/lull' };
interface Made extends Manifest {
  readonly spec: object;
  readonly data: Readonly<Record<string, string>>;
}

const find = (manifests: readonly Manifest[], kind: string, name?: string): Made => {
  const found = manifests.find((it) => it.kind === kind && (name === undefined || it.metadata.name === name));
  if (!found) throw new Error(`The chart creates no ${kind}`);
  return found as Made;
};
const selectorOf = ({ spec }: Made): unknown => ('selector' in spec ? spec.selector : undefined);
const kindsOf = (manifests: readonly Manifest[]): readonly string[] => [...new Set(manifests.map(({ kind }) => kind))];

describe('deploy/chart', () => {
  const files = chartFiles();

  it.each(Object.keys(files))('%s is up to date (`npm run reference`)', (name) =>
    expect(readFileSync(join(chart, name), 'utf8')).toBe(files[name]),
  );

  it('has no other generated files', () => {
    const there = readdirSync(join(chart, 'files'), { recursive: true, encoding: 'utf8' });
    const yaml = there.filter((it) => it.endsWith('.yaml')).map((it) => `files/${it.replaceAll('\\', '/')}`);
    expect(yaml.toSorted()).toEqual(
      Object.keys(files)
        .filter((it) => it.startsWith('files/'))
        .toSorted(),
    );
  });

  it('names every setting in values.yaml and in the schema', () => {
    const schema = JSON.parse(files['values.schema.json'] as string);
    expect(Object.keys(schema.properties.settings.properties)).toEqual(settingKeys);
    for (const key of settingKeys) expect(files['values.yaml']).toMatch(new RegExp(`^ {2}(# )?${key}:`, 'm'));
  });
});

describe.skipIf(binary === undefined)('Helm', () => {
  it.each([
    { it: 'v1', role: 'guide', apis: ['v1', 'v1beta1'], made: ['v1', 'v1'] },
    { it: 'v1beta1', role: 'guide', apis: ['v1beta1'], made: ['v1beta1', 'v1beta1'] },
    { it: 'neither', role: 'guide', apis: [], made: [] },
    { it: 'v1, but not to guide', role: 'observe', apis: ['v1'], made: [] },
  ])('N2: new nodes are parked at creation if the server serves $it', ({ role, apis, made }) => {
    const kinds = apis.map((version) => `admissionregistration.k8s.io/${version}/MutatingAdmissionPolicy`);
    const policies = render({ 'settings.role': role }, 'lull-system', kinds).filter(({ kind }) =>
      kind.startsWith('Mutating'),
    );
    expect(policies.map(({ apiVersion }) => apiVersion.split('/')[1])).toEqual(made);
  });

  it('lints the chart without a finding', () => {
    const said = helm(['lint', '--strict', chart]);
    expect(said).toContain('0 chart(s) failed');
    expect(said).not.toMatch(/WARNING|ERROR/);
  });

  it.each([
    { set: 'settings.role=overlord', says: 'role' },
    { set: 'settings.drainTimout=1h', says: 'drainTimout' },
    { set: 'settings.drainTimeout=soon', says: 'drainTimeout' },
    { set: 'settings.repairBreaker=120%', says: 'repairBreaker' },
    { set: 'replicas=-1', says: 'replicas' },
    { set: 'imge.tag=1', says: 'imge' },
    { set: 'release.staleAfter=1day', says: 'staleAfter' },
  ])('refuses $set', ({ set, says }) => expect(() => helm(['template', 'lull', chart, '--set', set])).toThrow(says));

  it.each(['role: overlord', 'drainTimout: 1h', 'drainTimeout: soon', 'repairBreaker: 120%'])(
    'M: the program rejects %s too',
    (text) => expect(readSettingsText(text, [])).toBeUndefined(),
  );

  it.each([
    ['settings.expireLead', 'auto'],
    ['settings.expireLead', '36h'],
    ['settings.windowMargin', '1h30m'],
    ['settings.repairBreaker', 3],
    ['settings.repairBreaker', '100%'],
    ['settings.pools', 'team in (a, b)'],
    ['settings.pools', { matchLabels: { team: 'a' } }],
    ['settings.catalogue', [{ name: 'm', cpu: '4', offerings: [{ zone: 'a', capacityType: 'spot', price: 0.1 }] }]],
  ])('takes %s as %j, and puts it into the settings', (key, value) => {
    const { data } = find(render({ [key]: value }), 'ConfigMap');
    expect(data['settings.yaml']).toContain(`${key.slice('settings.'.length)}:`);
    expect(readSettingsText(data['settings.yaml'] ?? '', [])).toBeDefined();
  });
});

describe.skipIf(binary === undefined)('what the chart creates', () => {
  it('without an image: CRDs, RBAC, policies and settings, and no workload', () =>
    expect(kindsOf(render()).toSorted()).toEqual([
      'ClusterRole',
      'ClusterRoleBinding',
      'ConfigMap',
      'CustomResourceDefinition',
      'Role',
      'RoleBinding',
      'ServiceAccount',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ]));

  it('N1: the default role is observe', () => {
    const { data } = find(render(), 'ConfigMap');
    expect(data['settings.yaml']).toBe('role: observe\n');
  });

  it('its CRDs stay when it is uninstalled, and are left out on request', () => {
    const crds = render().filter(({ kind }) => kind === 'CustomResourceDefinition');
    expect(crds).toHaveLength(4);
    for (const { metadata } of crds) expect(metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' });
    expect(kindsOf(render({ 'crds.install': false }))).not.toContain('CustomResourceDefinition');
  });

  it('every pod is locked down, and has a token only because it asks for one', () => {
    const manifests = render(image);
    const pods = manifests.flatMap(({ kind, spec }) => {
      const it = spec as { template?: unknown; jobTemplate?: { spec: { template: unknown } } } | undefined;
      return ['Deployment', 'Job', 'CronJob'].includes(kind) ? [it?.template ?? it?.jobTemplate?.spec.template] : [];
    });
    expect(pods).toHaveLength(3);
    for (const pod of pods)
      expect(pod).toMatchObject({
        spec: {
          automountServiceAccountToken: true,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        },
      });
    for (const account of manifests.filter(({ kind }) => kind === 'ServiceAccount'))
      expect(account).toMatchObject({ automountServiceAccountToken: false });
  });

  it('N10: before it is uninstalled, a job stops it and releases everything; the job is not part of the release itself', () => {
    const job = find(render(image, 'there'), 'Job');
    expect(job.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-delete' });
    expect(JSON.stringify(job.spec)).toContain('["release","--stop","there/lull","--yes"]');
    expect(kindsOf(render({ ...image, 'release.onDelete': false }))).not.toContain('Job');
  });

  it('the NetworkPolicy selects every pod of Lull, and allows egress only to the API server, DNS and the metrics of Karpenter', () => {
    const { spec } = find(render({ ...image, 'networkPolicy.apiServerPorts': [6443] }), 'NetworkPolicy');
    expect(spec).toEqual({
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'lull' } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        {
          ports: [{ protocol: 'TCP', port: 7727 }],
          from: [expect.anything(), expect.anything()],
        },
      ],
      egress: [
        { ports: [{ protocol: 'TCP', port: 6443 }] },
        {
          ports: [
            { protocol: 'UDP', port: 53 },
            { protocol: 'TCP', port: 53 },
          ],
          to: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
              podSelector: {
                matchExpressions: [
                  { key: 'k8s-app', operator: 'In', values: ['kube-dns', 'coredns', 'node-local-dns'] },
                ],
              },
            },
            { ipBlock: { cidr: '169.254.20.10/32' } },
          ],
        },
        {
          to: [{ namespaceSelector: {}, podSelector: { matchLabels: { 'app.kubernetes.io/name': 'karpenter' } } }],
          ports: [{ protocol: 'TCP', port: 8080 }],
        },
      ],
    });
  });

  interface Policy {
    readonly ingress: readonly { readonly from?: readonly Record<string, { matchExpressions?: unknown }>[] }[];
    readonly egress: readonly unknown[];
  }

  it('T4: only scrapers and ingress controllers reach the server, by namespace and label together', () => {
    const { ingress } = find(render(image), 'NetworkPolicy').spec as Policy;
    const peers = ingress.flatMap(({ from }) => from ?? []);
    expect(peers).toHaveLength(2);
    for (const { namespaceSelector, podSelector } of peers) {
      expect(namespaceSelector?.matchExpressions).toEqual([
        { key: 'kubernetes.io/metadata.name', operator: 'In', values: expect.arrayContaining([expect.any(String)]) },
      ]);
      expect(podSelector?.matchExpressions).toEqual([
        { key: 'app.kubernetes.io/name', operator: 'In', values: expect.arrayContaining([expect.any(String)]) },
      ]);
    }
  });

  it('T4: without peers no pod reaches it; other peers can be added, and the address of the API server set', () => {
    const none = { 'networkPolicy.scrapers': [], 'networkPolicy.ingresses': [] };
    expect(find(render({ ...image, ...none }), 'NetworkPolicy').spec).toMatchObject({ ingress: [] });
    const peer = { namespaceSelector: {} };
    const cidrs = { 'networkPolicy.apiServerCidrs': ['10.0.0.1/32', 'fd00::1/128'] };
    const { ingress, egress } = find(
      render({ ...image, ...none, 'networkPolicy.from': [peer], ...cidrs }),
      'NetworkPolicy',
    ).spec as Policy;
    expect(ingress).toEqual([{ ports: [{ protocol: 'TCP', port: 7727 }], from: [peer] }]);
    expect(egress[0]).toMatchObject({
      to: [{ ipBlock: { cidr: '10.0.0.1/32' } }, { ipBlock: { cidr: 'fd00::1/128' } }],
    });
    expect(() => render({ ...image, 'networkPolicy.apiServerCidrs': ['10.0.0.1'] })).toThrow('apiServerCidrs');
  });

  it('T2: creates two independent tokens, and passes the second to pods if it exists', () => {
    const { data } = find(render(image), 'Secret');
    expect(Object.keys(data)).toEqual(['token', 'read-token']);
    const [write = '', read = ''] = Object.values(data).map((it) => Buffer.from(it, 'base64').toString());
    expect([write.length, read.length]).toEqual([64, 64]);
    expect(write).not.toBe(read);
    const { spec } = find(render({ ...image, 'server.tokenSecret': 'ours' }), 'Deployment');
    expect(spec).toMatchObject({
      template: {
        spec: {
          containers: [
            {
              env: [
                { name: 'LULL_TOKEN', valueFrom: { secretKeyRef: { name: 'ours', key: 'token' } } },
                {
                  name: 'LULL_READ_TOKEN',
                  valueFrom: { secretKeyRef: { name: 'ours', key: 'read-token', optional: true } },
                },
                { name: 'LULL_POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              ],
            },
          ],
        },
      },
    });
  });

  it('T3: serves HTTPS with the certificate of a Secret, and its clients use HTTPS', () => {
    const manifests = render({ ...image, 'server.tls.secret': 'lull-tls', 'serviceMonitor.enabled': true }, 'there');
    const { spec } = find(manifests, 'Deployment');
    const files = ['--tls-cert-file', '/etc/lull-tls/tls.crt', '--tls-key-file', '/etc/lull-tls/tls.key'];
    expect(spec).toMatchObject({
      template: {
        spec: {
          containers: [
            {
              args: expect.arrayContaining(files),
              volumeMounts: [{ name: 'settings' }, { name: 'tls', mountPath: '/etc/lull-tls', readOnly: true }],
            },
          ],
          volumes: [{ name: 'settings' }, { name: 'tls', secret: { secretName: 'lull-tls' } }],
        },
      },
    });
    expect(find(manifests, 'Service').spec).toMatchObject({ ports: [{ appProtocol: 'https' }] });
    const ca = { secret: { name: 'lull-tls', key: 'ca.crt' } };
    expect(find(manifests, 'ServiceMonitor').spec).toMatchObject({
      endpoints: [{ scheme: 'https', tlsConfig: { serverName: 'lull.there.svc', ca } }],
    });
    expect(JSON.stringify(render(image))).not.toContain('lull-tls');
    expect(find(render(image), 'Service').spec).toMatchObject({ ports: [{ appProtocol: 'http' }] });
  });

  it('sends requests only to the leader, and scrapes every pod', () => {
    const manifests = render({ ...image, 'serviceMonitor.enabled': true });
    const pods = { 'app.kubernetes.io/name': 'lull', 'app.kubernetes.io/component': 'controller' };
    const [service, metrics] = [find(manifests, 'Service', 'lull'), find(manifests, 'Service', 'lull-metrics')];
    expect(service.spec).toMatchObject({ selector: { ...pods, 'lull.dev/leader': 'true' } });
    expect(metrics.spec).toMatchObject({ clusterIP: 'None' });
    expect(selectorOf(metrics)).toEqual(pods);
    const scraped = { 'app.kubernetes.io/name': 'lull', 'app.kubernetes.io/component': 'metrics' };
    expect(selectorOf(find(manifests, 'ServiceMonitor'))).toEqual({ matchLabels: scraped });
    expect(find(manifests, 'ServiceMonitor').spec).toMatchObject({ jobLabel: 'app.kubernetes.io/name' });
    expect(metrics.metadata.labels).toMatchObject(scraped);
    expect(service.metadata.labels).not.toMatchObject(scraped);
    // No pod starts as the leader.
    expect(JSON.stringify(find(manifests, 'Deployment'))).not.toContain('lull.dev/leader');
  });

  it('is probed from the moment it listens', () => {
    const httpGet = { path: '/healthz', port: 'probes' };
    expect(find(render(image), 'Deployment').spec).toMatchObject({
      template: {
        spec: { containers: [{ startupProbe: { httpGet, failureThreshold: 30 }, livenessProbe: { httpGet } }] },
      },
    });
    expect(JSON.stringify(render(image))).not.toContain('initialDelaySeconds');
  });

  it('T2: a ServiceMonitor is created on request, with the read-only token', () => {
    expect(kindsOf(render(image))).not.toContain('ServiceMonitor');
    const { spec } = find(
      render({ ...image, 'serviceMonitor.enabled': true, 'server.tokenSecret': 'ours' }),
      'ServiceMonitor',
    );
    expect(spec).toMatchObject({
      endpoints: [{ path: '/metrics', authorization: { credentials: { name: 'ours', key: 'read-token' } } }],
    });
  });

  it('the alerts are created on request, with the rules tested elsewhere and a configurable runbook URL', () => {
    expect(kindsOf(render(image))).not.toContain('PrometheusRule');
    const runbook = 'https://wiki.example.com/lull';
    const { spec } = find(render({ ...image, 'alerts.enabled': true, 'alerts.runbook': runbook }), 'PrometheusRule');
    const file = readFileSync('deploy/monitoring/alerts.yaml', 'utf8');
    expect(spec).toEqual(parse(file.replaceAll('docs/guide/runbook.md#', `${runbook}#`)));
  });

  it('creates no Secret if one is named', () =>
    expect(kindsOf(render({ ...image, 'server.tokenSecret': 'ours' }))).not.toContain('Secret'));

  it.each([
    [{}, 'registry.example.com/lull:0.1.0'],
    [{ 'image.tag': '9' }, 'registry.example.com/lull:9'],
    [
      { 'image.tag': '9', 'image.digest': `sha256:${'a'.repeat(64)}` },
      `registry.example.com/lull@sha256:${'a'.repeat(64)}`,
    ],
  ])('with %j it runs %s', (pairs, named) => {
    const { spec } = find(render({ ...image, ...pairs }), 'Deployment');
    expect(spec).toMatchObject({ template: { spec: { containers: [{ image: named }] } } });
  });

  it('the settings for its pods reach them', () => {
    const asked = {
      nodeSelector: { a: 'b' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      priorityClassName: '',
      podLabels: { team: 'x' },
      podAnnotations: { note: 'y' },
      resources: { limits: { memory: '1Gi' } },
      'image.pullSecrets': [{ name: 'key' }],
    };
    const { spec } = find(render({ ...image, ...asked }), 'Deployment');
    expect(spec).toMatchObject({
      template: {
        metadata: { labels: { team: 'x' }, annotations: { note: 'y' } },
        spec: {
          nodeSelector: { a: 'b' },
          tolerations: [{ operator: 'Exists' }],
          affinity: { nodeAffinity: {} },
          imagePullSecrets: [{ name: 'key' }],
          containers: [{ resources: { limits: { memory: '1Gi' } } }],
        },
      },
    });
    expect(JSON.stringify(spec)).not.toContain('priorityClassName');
  });
});
