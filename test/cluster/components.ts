// The processes of a real cluster, one row each, in start order: their flags, and when they are ready.
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { join } from 'node:path';
import { caFile, kubeconfigOf } from './keys.ts';
import { share } from './places.ts';

const componentNames = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'karpenter',
] as const;
export type ComponentName = (typeof componentNames)[number];

export interface Component {
  readonly name: ComponentName;
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Answers 200 once it is ready. */
  readonly health: string;
}

export interface Plan {
  readonly folder: string;
  readonly ports: readonly number[];
  readonly audit: boolean;
  readonly stages: readonly string[];
  /** More flags of a component; Kubernetes takes the last of two that say the same. */
  readonly flags: Readonly<Partial<Record<ComponentName, readonly string[]>>>;
}

const here = '127.0.0.1';
const fast = ['--kube-api-qps=500', '--kube-api-burst=1000', '--leader-elect=false', `--bind-address=${here}`];

export function karpenterPortsOf(ports: readonly number[]): { readonly metrics: number; readonly probe: number } {
  const [metrics = 0, probe = 0] = ports.slice(6);
  return { metrics, probe };
}

export function componentsOf(plan: Plan): readonly Component[] {
  const { folder } = plan;
  const [client, peer, api, manager, scheduler, kwok] = plan.ports;
  const { metrics, probe } = karpenterPortsOf(plan.ports);
  const file = (name: string): string => join(folder, name);
  const etcd = `http://${here}:${client}`;
  const self = `http://${here}:${peer}`;
  const rows: readonly Component[] = [
    {
      name: 'etcd',
      flags: [
        `--data-dir=${file('etcd')}`,
        // A test's data need not survive the machine; they do survive the process.
        '--unsafe-no-fsync',
        `--listen-client-urls=${etcd}`,
        `--advertise-client-urls=${etcd}`,
        `--listen-peer-urls=${self}`,
        `--initial-advertise-peer-urls=${self}`,
        `--initial-cluster=default=${self}`,
        '--log-level=warn',
      ],
      health: `${etcd}/health`,
    },
    {
      name: 'kube-apiserver',
      flags: [
        `--etcd-servers=${etcd}`,
        `--bind-address=${here}`,
        `--advertise-address=${here}`,
        `--secure-port=${api}`,
        '--endpoint-reconciler-type=none',
        `--cert-dir=${file('certs')}`,
        `--token-auth-file=${file('tokens.csv')}`,
        '--authorization-mode=RBAC',
        '--service-account-issuer=https://kubernetes.default.svc',
        `--service-account-key-file=${file('service-accounts.key')}`,
        `--service-account-signing-key-file=${file('service-accounts.key')}`,
        '--service-cluster-ip-range=10.0.0.0/16',
        ...(plan.audit
          ? [`--audit-policy-file=${file('audit-policy.json')}`, `--audit-log-path=${file('audit.log')}`]
          : []),
      ],
      health: `https://${here}:${api}/readyz`,
    },
    {
      name: 'kube-controller-manager',
      flags: [
        `--kubeconfig=${kubeconfigOf(folder, 'kube-controller-manager')}`,
        `--secure-port=${manager}`,
        `--root-ca-file=${caFile(folder)}`,
        `--service-account-private-key-file=${file('service-accounts.key')}`,
        ...fast,
      ],
      health: `https://${here}:${manager}/healthz`,
    },
    {
      name: 'kube-scheduler',
      flags: [`--kubeconfig=${kubeconfigOf(folder, 'kube-scheduler')}`, `--secure-port=${scheduler}`, ...fast],
      health: `https://${here}:${scheduler}/healthz`,
    },
    {
      name: 'kwok',
      flags: [
        `--kubeconfig=${kubeconfigOf(folder, 'kwok')}`,
        '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
        '--node-lease-duration-seconds=40',
        `--server-address=${here}:${kwok}`,
        ...plan.stages.map((stage) => `--config=${join(share, 'stages', stage)}`),
      ],
      health: `http://${here}:${kwok}/healthz`,
    },
    {
      name: 'karpenter',
      flags: ['--disable-leader-election=true', `--metrics-port=${metrics}`, `--health-probe-port=${probe}`],
      env: { KUBECONFIG: kubeconfigOf(folder, 'karpenter'), SYSTEM_NAMESPACE: 'kube-system' },
      health: `http://${here}:${probe}/readyz`,
    },
  ];
  return rows.map((row) => ({ ...row, flags: [...row.flags, ...(plan.flags[row.name] ?? [])] }));
}

/** Each uses a self-signed certificate and serves its health without authentication, except the API server. */
export const isHealthy = ({ health }: Pick<Component, 'health'>, token: string): Promise<boolean> =>
  new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    const ask = health.startsWith('https:') ? secureRequest : plainRequest;
    const asked = ask(health, { headers, rejectUnauthorized: false, timeout: 2000 }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200));
      response.on('error', () => resolve(false));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.end();
  });
