// The chart's values with descriptions and schemas: values.yaml, its schema and the reference page are generated from this tree.
import { defaultSettings, settingKeys, settingTable } from '../../src/cluster/settings.ts';
import { formatSettings } from '../../src/kinds/readSettings.ts';
import { goDuration, type Schema, settingSchema } from './settingSchemas.ts';

/** A value, or a map of them. */
export interface Value {
  readonly description: string;
  readonly schema: Schema;
  readonly defaultValue: unknown;
  /** Written as a comment, so that a newer Lull's default applies unless the user sets the value. */
  readonly isCommented?: boolean;
}

export interface Group {
  readonly description: string;
  readonly values: Values;
}

export interface Values {
  readonly [key: string]: Value | Group;
}

export const isGroup = (value: Value | Group): value is Group => 'values' in value;

const text = (description: string, defaultValue = '', schema: Schema = {}): Value => ({
  description,
  defaultValue,
  schema: { type: 'string', ...schema },
});
const flag = (description: string, defaultValue: boolean): Value => ({
  description,
  defaultValue,
  schema: { type: 'boolean' },
});
const list = (
  description: string,
  defaultValue: readonly unknown[] = [],
  items: Schema = { type: 'object' },
): Value => ({
  description,
  defaultValue,
  schema: { type: 'array', items },
});
const map = (description: string, defaultValue: object = {}): Value => ({
  description,
  defaultValue,
  schema: { type: 'object' },
});

const settings: Values = Object.fromEntries(
  settingKeys.map((key) => [
    key,
    {
      description: settingTable[key].description,
      defaultValue: formatSettings(defaultSettings)[key],
      schema: settingSchema(key),
      isCommented: key !== 'role',
    },
  ]),
);

const port: Schema = { type: 'integer', minimum: 1, maximum: 65_535 };

const namespaceName = 'kubernetes.io/metadata.name';

const inNamespaces = (namespaces: readonly string[], names: readonly string[]): unknown => ({
  namespaceSelector: { matchExpressions: [{ key: namespaceName, operator: 'In', values: namespaces }] },
  podSelector: { matchExpressions: [{ key: 'app.kubernetes.io/name', operator: 'In', values: names }] },
});

export const values: Values = {
  image: {
    description:
      'The image to run. None is published: build one (docs/guide/installing.md). Without a repository the chart installs CRDs, RBAC and policies, but no Deployment.',
    values: {
      repository: text('The repository, such as registry.example.com/lull.'),
      tag: text('The tag. Empty: the version of the chart.'),
      digest: text('Takes precedence over the tag, such as sha256:….', '', { pattern: '^(|sha256:[0-9a-f]{64})$' }),
      pullPolicy: text('The image pull policy.', 'IfNotPresent', { enum: ['Always', 'IfNotPresent', 'Never'] }),
      pullSecrets: list('Secrets for pulling the image.'),
    },
  },
  settings: {
    description: "Settings of Lull. A setting that is absent has the program's default: docs/reference/settings.md.",
    values: settings,
  },
  replicas: {
    description: 'The number of pods. One is the leader; the others wait for its lease.',
    defaultValue: 2,
    schema: { type: 'integer', minimum: 0, maximum: 10 },
  },
  crds: {
    description:
      "Lull's own CRDs. They are upgraded with the chart, and kept when it is uninstalled: deleting them would delete every window and schedule.",
    values: { install: flag('Whether the chart installs the CRDs. False: apply deploy/crds yourself.', true) },
  },
  server: {
    description: 'The dashboard, the API and /metrics. Every client needs a token.',
    values: {
      tokenSecret: text(
        'Your own Secret with the keys `token` (may read, pause, resume and pass turns) and `read-token` (may only read). Empty: the chart creates lull-token once, with random values. Set your own if manifests are rendered outside the cluster (Argo CD, helm template): there the chart cannot see the Secret it created before.',
      ),
      tls: {
        description: 'HTTPS instead of HTTP. Probes use a separate port without TLS.',
        values: {
          secret: text(
            'Your own Secret with the keys `tls.crt` and `tls.key`, as cert-manager creates it, for the name lull.NAMESPACE.svc. A new certificate is used without a restart. Empty: plain HTTP.',
          ),
        },
      },
    },
  },
  release: {
    description: 'How nodes are released when Lull no longer runs: without it, parked nodes would stay parked.',
    values: {
      onDelete: flag('A job before `helm uninstall` that stops Lull and removes everything it wrote.', true),
      ifStale: flag('A job every hour that does the same if no Lull has run for `staleAfter`.', true),
      staleAfter: text('How long no Lull must have run.', '24h', { pattern: goDuration }),
      schedule: text('When the job runs, as a cron schedule.', '17 * * * *', { minLength: 9 }),
    },
  },
  networkPolicy: {
    description:
      "Who may connect to the server: scrapers, ingress controllers and the peers you add. Lull itself may connect to the API server, DNS and Karpenter's metrics. On most networks `kubectl port-forward` and probes are not affected.",
    values: {
      enabled: flag('Has an effect only if the network plugin supports NetworkPolicies.', true),
      scrapers: list(
        'Peers that read /metrics. A label alone is not enough, since every tenant can set it on a pod: the namespace must match too.',
        [
          inNamespaces(
            [
              'monitoring',
              'observability',
              'prometheus',
              'kube-prometheus-stack',
              'victoria-metrics',
              'cattle-monitoring-system',
              'openshift-monitoring',
              'openshift-user-workload-monitoring',
            ],
            ['prometheus', 'vmagent', 'alloy', 'opentelemetry-collector'],
          ),
        ],
      ),
      ingresses: list('Ingress controllers in front of the dashboard. The chart creates no Ingress.', [
        inNamespaces(
          ['ingress-nginx', 'nginx-ingress', 'traefik', 'haproxy-controller', 'envoy-gateway-system', 'istio-ingress'],
          ['ingress-nginx', 'nginx-ingress', 'traefik', 'kubernetes-ingress', 'envoy', 'istio-ingress'],
        ),
      ]),
      from: list(
        'More peers that may connect to the server, as in a NetworkPolicy. `- namespaceSelector: {}` is every pod in the cluster.',
      ),
      apiServerPorts: list(
        'Ports of the API server. Add yours if it is a different one.',
        [443, 6443, 8443, 16443],
        port,
      ),
      apiServerCidrs: list(
        'Addresses of the API server, such as 10.0.0.1/32 (`kubectl get endpointslices -l kubernetes.io/service-name=kubernetes`). Empty: every address on these ports, since the addresses of a managed API server change.',
        [],
        { type: 'string', pattern: '/[0-9]{1,3}$' },
      ),
      dns: list('DNS servers: the pods in the cluster, and the address of NodeLocal DNSCache.', [
        {
          namespaceSelector: { matchLabels: { [namespaceName]: 'kube-system' } },
          podSelector: {
            matchExpressions: [{ key: 'k8s-app', operator: 'In', values: ['kube-dns', 'coredns', 'node-local-dns'] }],
          },
        },
        { ipBlock: { cidr: '169.254.20.10/32' } },
      ]),
      karpenterPorts: list(
        "Metrics ports of Karpenter's pods, from which Lull reads prices. Empty: Lull may not connect to them.",
        [8080],
        port,
      ),
    },
  },
  serviceMonitor: {
    description: 'A ServiceMonitor for the Prometheus operator.',
    values: {
      enabled: flag('Needs the CRDs of the Prometheus operator.', false),
      interval: text('How often Prometheus scrapes /metrics.', '30s'),
      labels: map('Labels with which your Prometheus selects it.'),
      tlsConfig: map(
        'How the scraper verifies the certificate, with server.tls. Empty: with `ca.crt` of its Secret, for the name lull.NAMESPACE.svc.',
      ),
    },
  },
  alerts: {
    description:
      'Alert rules for the Prometheus operator, as in deploy/monitoring/alerts.yaml. Each links to its section of the runbook.',
    values: {
      enabled: flag('Needs the CRDs of the Prometheus operator.', false),
      labels: map('Labels with which your Prometheus selects them.'),
      runbook: text('The URL of the runbook, without the anchor.', 'docs/guide/runbook.md'),
    },
  },
  podDisruptionBudget: {
    description: 'A PodDisruptionBudget that lets one of its pods be evicted at a time.',
    values: { enabled: flag('Has no effect with a single replica.', true) },
  },
  resources: map('Resources of the container.', {
    requests: { cpu: '100m', memory: '256Mi' },
    limits: { memory: '2Gi' },
  }),
  priorityClassName: text('The priority class of its pods. Empty: none.', 'system-cluster-critical'),
  nodeSelector: map('The node selector of its pods.'),
  tolerations: list('Tolerations of its pods.', [{ key: 'CriticalAddonsOnly', operator: 'Exists' }]),
  affinity: map(
    'The affinity of its pods. Empty: pods on different nodes, preferably on nodes that no NodePool created.',
  ),
  podLabels: map('Additional labels of its pods.'),
  podAnnotations: map('Additional annotations of its pods.'),
};
