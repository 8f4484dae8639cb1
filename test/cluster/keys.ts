// Credentials of a real cluster: a token per component, so that the audit log can tell them apart, and their files.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const users = [
  'admin',
  'observer',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'karpenter',
  'kubelet',
  'kube-proxy',
] as const;
export type User = (typeof users)[number];
export type Tokens = Readonly<Record<User, string>>;

/** Requests of clients that no test examines: reads alone are most of the traffic. */
const unheard = ['kube-controller-manager', 'kube-scheduler', 'kwok', 'kubelet', 'kube-proxy', 'system:apiserver'];

const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    // Which pod ran when: a pod of a StatefulSet has the same name as its predecessor.
    {
      level: 'Metadata',
      users: ['kube-scheduler'],
      verbs: ['create'],
      resources: [{ group: '', resources: ['pods/binding'] }],
    },
    // When a pod has really terminated.
    { level: 'Metadata', users: ['kubelet'], verbs: ['delete'], resources: [{ group: '', resources: ['pods'] }] },
    { level: 'None', users: unheard },
    { level: 'None', users: ['karpenter', 'observer'], verbs: ['get', 'list', 'watch'] },
    { level: 'Metadata' },
  ],
};

/** Written once for a cluster, before its first start. */
export function writeKeys(folder: string): Tokens {
  const tokens = Object.fromEntries(users.map((user) => [user, randomBytes(16).toString('hex')])) as Tokens;
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text, { mode: 0o600 });
  write('tokens.csv', users.map((user) => `${tokens[user]},${user},${user},"system:masters"\n`).join(''));
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  write('service-accounts.key', privateKey);
  write('audit-policy.json', JSON.stringify(auditPolicy));
  return tokens;
}

export const caFile = (folder: string): string => join(folder, 'certs', 'apiserver.crt');
export const readCa = (folder: string): string => readFileSync(caFile(folder), 'utf8');
export const kubeconfigOf = (folder: string, user: User): string =>
  join(folder, user === 'admin' ? 'kubeconfig' : `${user}.kubeconfig`);

/** Self-contained, without paths: it can be copied elsewhere. The certificate exists once the API server has started. */
export function writeKubeconfigs(folder: string, server: string, { cluster, tokens }: Written): void {
  const ca = Buffer.from(readCa(folder)).toString('base64');
  for (const user of users) {
    writeFileSync(kubeconfigOf(folder, user), kubeconfig({ cluster, server, ca, token: tokens[user], user }), {
      mode: 0o600,
    });
  }
}

interface Written {
  /** Its name. */
  readonly cluster: string;
  readonly tokens: Tokens;
}

/** The names of its context, cluster and users in a kubeconfig: unique per cluster, so that files can be merged. */
export const contextOf = (cluster: string): string => `lull-${cluster}`;

export interface KubeconfigParts {
  /** The name of the cluster. */
  readonly cluster: string;
  readonly server: string;
  /** base64 */
  readonly ca: string;
  readonly token: string;
  readonly user: string;
  readonly namespace?: string;
  /** A name in the server's certificate, if the address is not in it. */
  readonly serverName?: string;
}

export function kubeconfig({ cluster, server, ca, token, user, namespace, serverName }: KubeconfigParts): string {
  const name = contextOf(cluster);
  const userName = `${name}-${user}`;
  const context = { cluster: name, user: userName, ...(namespace && { namespace }) };
  return `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': name,
      contexts: [{ name, context }],
      clusters: [
        {
          name,
          cluster: { server, 'certificate-authority-data': ca, ...(serverName && { 'tls-server-name': serverName }) },
        },
      ],
      users: [{ name: userName, user: { token } }],
    },
    null,
    2,
  )}\n`;
}
