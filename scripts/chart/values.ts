// Which values has the chart, what do they mean, and what may they be? One tree: values.yaml, its schema and the reference are written from it.
import { defaultSettings, settingMeanings } from '../../src/cluster/settings.ts';
import { formatSettings, settingKeys } from '../../src/kinds/settings.ts';
import { type Schema, settingSchemas } from './settingSchemas.ts';

/** A value, or a map of them. */
export interface Value {
  readonly says: string;
  readonly schema: Schema;
  readonly usual: unknown;
  /** Written as a comment, so that whoever leaves it alone gets what a newer Lull takes for usual. */
  readonly isUnsaid?: boolean;
}

export interface Group {
  readonly says: string;
  readonly values: Values;
}

export interface Values {
  readonly [key: string]: Value | Group;
}

export const isGroup = (value: Value | Group): value is Group => 'values' in value;

const text = (says: string, usual = '', schema: Schema = {}): Value => ({
  says,
  usual,
  schema: { type: 'string', ...schema },
});
const truth = (says: string, usual: boolean): Value => ({ says, usual, schema: { type: 'boolean' } });
const list = (says: string, usual: readonly unknown[] = [], items: Schema = { type: 'object' }): Value => ({
  says,
  usual,
  schema: { type: 'array', items },
});
const map = (says: string, usual: object = {}): Value => ({ says, usual, schema: { type: 'object' } });

const settings: Values = Object.fromEntries(
  settingKeys.map((key) => [
    key,
    {
      says: settingMeanings[key],
      usual: formatSettings(defaultSettings)[key],
      schema: settingSchemas[key],
      isUnsaid: key !== 'role',
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
    says: 'The image to run. None is published: build one (docs/guide/installing.md). Without a repository there are definitions, rights and policies, and no Lull that runs.',
    values: {
      repository: text('Such as registry.example.com/lull.'),
      tag: text('Empty: the version of the chart.'),
      digest: text('Stands before the tag, such as sha256:….', '', { pattern: '^(|sha256:[0-9a-f]{64})$' }),
      pullPolicy: text('As Kubernetes has it.', 'IfNotPresent', { enum: ['Always', 'IfNotPresent', 'Never'] }),
      pullSecrets: list('Secrets to pull it with.'),
    },
  },
  settings: {
    says: 'How Lull behaves. What is left out is as the program has it: docs/reference/settings.md.',
    values: settings,
  },
  replicas: {
    says: 'One leads, the others wait for its lease.',
    usual: 2,
    schema: { type: 'integer', minimum: 0, maximum: 10 },
  },
  crds: {
    says: "Lull's own kinds. They are upgraded with the chart, and stay when it is uninstalled: with them every window that people wrote would go.",
    values: { install: truth('False: somebody else applies deploy/crds.', true) },
  },
  server: {
    says: 'The dashboard, the API and /metrics. Every client needs a token.',
    values: {
      tokenSecret: text(
        'A Secret of yours with the keys `token` (may read, pause, resume and pass turns) and `read-token` (may only read). Empty: the chart makes lull-token, once, at random. Name your own where manifests are rendered elsewhere (Argo CD, helm template): there the chart cannot see the one it made before.',
      ),
      tls: {
        says: 'HTTPS instead of HTTP. Probes have a port of their own, without TLS.',
        values: {
          secret: text(
            'A Secret of yours with the keys `tls.crt` and `tls.key`, as cert-manager makes it, for the name lull.NAMESPACE.svc. A new certificate is used without a restart. Empty: plain HTTP.',
          ),
        },
      },
    },
  },
  release: {
    says: 'How nodes are let go of when Lull is gone: parked nodes would stay parked.',
    values: {
      onDelete: truth('A job before `helm uninstall` that stops Lull and takes off everything it wrote.', true),
      ifStale: truth('A job every hour that does so where no Lull has been seen for a while.', true),
      staleAfter: text('For how long.', '24h', { pattern: settingSchemas.drainTimeout.pattern }),
      schedule: text('When the job looks.', '17 * * * *', { minLength: 9 }),
    },
  },
  networkPolicy: {
    says: "Who reaches the server: scrapers, ingress controllers and whom you add. Lull itself reaches the API server, DNS and Karpenter's metrics. `kubectl port-forward` and probes do not pass through it on most networks.",
    values: {
      enabled: truth('Needs a network that knows NetworkPolicies; others ignore it.', true),
      scrapers: list(
        'Peers that read /metrics. A label alone is not enough, since every tenant can write it on a pod: the namespace must be one of these too.',
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
      ingresses: list('Peers that bring visitors of the dashboard; the chart makes no Ingress.', [
        inNamespaces(
          ['ingress-nginx', 'nginx-ingress', 'traefik', 'haproxy-controller', 'envoy-gateway-system', 'istio-ingress'],
          ['ingress-nginx', 'nginx-ingress', 'traefik', 'kubernetes-ingress', 'envoy', 'istio-ingress'],
        ),
      ]),
      from: list(
        'More peers that may ask the server, as a NetworkPolicy writes them. `- namespaceSelector: {}` is every pod of the cluster.',
      ),
      apiServerPorts: list(
        'Ports on which API servers answer. Add yours if it is another.',
        [443, 6443, 8443, 16443],
        port,
      ),
      apiServerCidrs: list(
        'Addresses of the API server, such as 10.0.0.1/32 (`kubectl get endpointslices -l kubernetes.io/service-name=kubernetes`). Empty: every address on these ports, since those of a managed API server change.',
        [],
        { type: 'string', pattern: '/[0-9]{1,3}$' },
      ),
      dns: list('Peers that answer DNS: the pods of the cluster, and the address of NodeLocal DNSCache.', [
        {
          namespaceSelector: { matchLabels: { [namespaceName]: 'kube-system' } },
          podSelector: {
            matchExpressions: [{ key: 'k8s-app', operator: 'In', values: ['kube-dns', 'coredns', 'node-local-dns'] }],
          },
        },
        { ipBlock: { cidr: '169.254.20.10/32' } },
      ]),
      karpenterPorts: list(
        'Ports on which pods of Karpenter print metrics, whose prices Lull reads. Empty: Lull does not reach them.',
        [8080],
        port,
      ),
    },
  },
  serviceMonitor: {
    says: 'For the Prometheus operator.',
    values: {
      enabled: truth('Needs its CRDs.', false),
      interval: text('How often it reads /metrics.', '30s'),
      labels: map('Labels by which your Prometheus finds it.'),
      tlsConfig: map(
        'How the scraper checks the certificate, with server.tls. Empty: by `ca.crt` of its Secret, for the name lull.NAMESPACE.svc.',
      ),
    },
  },
  alerts: {
    says: 'Rules for the Prometheus operator, as in deploy/monitoring/alerts.yaml. Each names its section of the runbook.',
    values: {
      enabled: truth('Needs its CRDs.', false),
      labels: map('Labels by which your Prometheus finds them.'),
      runbook: text('Where your people read the runbook: its address, without the anchor.', 'docs/guide/runbook.md'),
    },
  },
  podDisruptionBudget: {
    says: 'One of its pods may go at a time.',
    values: { enabled: truth('With a single replica it changes nothing.', true) },
  },
  resources: map('Of the container.', {
    requests: { cpu: '100m', memory: '256Mi' },
    limits: { memory: '2Gi' },
  }),
  priorityClassName: text('Empty: none.', 'system-cluster-critical'),
  nodeSelector: map('Where its pods may run.'),
  tolerations: list('Taints that its pods bear.', [{ key: 'CriticalAddonsOnly', operator: 'Exists' }]),
  affinity: map('Empty: apart from each other, and rather on nodes that no pool made.'),
  podLabels: map('More labels of its pods.'),
  podAnnotations: map('More annotations of its pods.'),
};
