// node joinNodes.ts FOLDER ENDPOINT KUBERNETES: creates a Node for each running EC2 instance from its user data, and removes it with the instance.
// Replaces the kubelet's registration and the cloud's node lifecycle controller; KWOK plays the kubelet from then on.
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { openApi } from '../api.ts';
import { kubeconfigOf } from '../keys.ts';
import { type Instance, openAccount } from './account.ts';
import { readUserData } from './userData.ts';

const [folder = '', endpoint = '', kubernetes = ''] = process.argv.slice(2);
const every = 500;

interface Listed {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec?: { readonly providerID?: string };
  readonly status?: { readonly providerID?: string; readonly capacity?: object; readonly allocatable?: object };
}

const { clusters, users } = JSON.parse(readFileSync(kubeconfigOf(folder, 'kwok'), 'utf8'));
const { server, 'certificate-authority-data': ca } = clusters[0].cluster;
const { token } = users[0].user;
const api = openApi({ server, token, ca: Buffer.from(ca, 'base64').toString('utf8') });
const account = openAccount({ endpoint, kubernetes });

const list = async (path: string): Promise<readonly Listed[]> => {
  const { items } = (await api.must({ method: 'GET', path })) as { items: Listed[] };
  return items;
};

const providerIdOf = ({ zone, id }: Instance): string => `aws:///${zone}/${id}`;
const architectures: Readonly<Record<string, string>> = { x86_64: 'amd64', arm64: 'arm64' };

async function join(instance: Instance, claim: Listed): Promise<void> {
  const { labels, taints } = readUserData(await account.userDataOf(instance.id));
  const { dnsName: name, zone, type, architecture } = instance;
  const own = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': architectures[architecture] ?? architecture,
    'node.kubernetes.io/instance-type': type,
    'topology.kubernetes.io/region': zone.slice(0, -1),
    'topology.kubernetes.io/zone': zone,
  };
  const { capacity, allocatable } = claim.status ?? {};
  const body = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, annotations: { 'kwok.x-k8s.io/node': 'fake' }, labels: { ...labels, ...own } },
    spec: { providerID: providerIdOf(instance), taints },
    // There is no machine to measure: the capacity that Karpenter expects of the instance type.
    status: { capacity, allocatable },
  };
  await api.must({ method: 'POST', path: '/api/v1/nodes', body });
  say(`${name} joins: ${instance.id}, ${type}, ${zone}, ${instance.image}`);
}

const say = (sentence: string): void => void process.stdout.write(`${new Date().toISOString()} ${sentence}\n`);
const ended = new Set(['terminated', 'stopped', undefined]);

async function look(): Promise<void> {
  const [instances, nodes, claims] = await Promise.all([
    account.instances(),
    list('/api/v1/nodes'),
    list('/apis/karpenter.sh/v1/nodeclaims'),
  ]);
  const joined = new Map(nodes.map((node) => [node.spec?.providerID, node]));
  const states = new Map(instances.map((instance) => [providerIdOf(instance), instance.state]));
  for (const [providerId, { metadata }] of joined) {
    if (!providerId || metadata.deletionTimestamp || !ended.has(states.get(providerId))) continue;
    await api.must({ method: 'DELETE', path: `/api/v1/nodes/${metadata.name}` });
    say(`${metadata.name} is removed: its instance is gone`);
  }
  for (const instance of instances) {
    const claim = claims.find(({ status }) => status?.providerID === providerIdOf(instance));
    if (instance.state === 'running' && claim && !joined.has(providerIdOf(instance))) await join(instance, claim);
  }
}

for (;;) {
  await look().catch((error) => say(String(error)));
  await setTimeout(every);
}
