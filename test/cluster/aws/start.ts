// AWS beside a test cluster: the fake AWS with an account, the unmodified controller of karpenter-provider-aws, and nodes for its instances.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { awsModule, isBuilt, whyNoCluster } from '../binaries.ts';
import { type Cluster, ready } from '../cluster.ts';
import { kubeconfigOf } from '../keys.ts';
import { share } from '../places.ts';
import { type Runnable, start } from '../running.ts';
import { type Account, awsCluster, furnish, nodeRole, openAccount } from './account.ts';
import { isInstalled, python, whyNoPython } from './python.ts';
import { region } from './wire.ts';

/** EC2NodeClass, and NodePool and NodeClaim as the provider ships them. */
export const awsCrds = join(share, 'aws-crds');
/** In a cluster's folder: the address of its account. */
export const accountFile = 'aws-account.json';
/** The image that the account has from the start. */
const firstImage = 'v20261001';

/** Why no AWS can run beside a cluster here; undefined = it can. */
export function whyNoAws(): string | undefined {
  const why = whyNoCluster();
  if (why || (isBuilt(awsModule) && isInstalled())) return why;
  return whyNoPython() ?? "AWS's Karpenter and the fake AWS are not built. Run: npm run cluster:build -- --aws";
}

/** The cluster must have been started without Karpenter and with `awsCrds`. All processes end with it: the slash after the folder marks them as its own. */
export async function startAws(cluster: Cluster): Promise<Account> {
  const { folder, server, api, karpenterPorts, token } = cluster;
  const port = cluster.sparePorts.at(-1);
  const endpoint = `http://127.0.0.1:${port}`;
  const run = async (runnable: Runnable, health: string): Promise<void> => {
    start(folder, runnable);
    await ready(folder, { name: runnable.name, health }, token);
  };
  const { major, minor } = await api.must({ method: 'GET', path: '/version' });
  const options = { endpoint, kubernetes: `${major}.${minor}` };
  const file = (name: string): string => join(import.meta.dirname, name);
  await run(
    { name: 'fake-aws', program: python, flags: [file('fakeAws.py'), `${port}`, `${folder}/`] },
    `${endpoint}/moto-api/`,
  );
  writeFileSync(join(folder, accountFile), JSON.stringify(options));
  await furnish(options);
  const account = openAccount(options);
  await account.publishImage(firstImage);
  start(folder, {
    name: 'aws-nodes',
    program: process.execPath,
    flags: [file('joinNodes.ts'), `${folder}/`, endpoint, options.kubernetes],
  });
  const { metrics, probe } = karpenterPorts;
  const karpenter = { name: 'karpenter-aws', flags: [`--metrics-port=${metrics}`, `--health-probe-port=${probe}`] };
  await run({ ...karpenter, env: environment(folder, { server, endpoint }) }, `http://127.0.0.1:${probe}/readyz`);
  await api.must({ method: 'POST', path: '/apis/karpenter.k8s.aws/v1/ec2nodeclasses', body: nodeClass });
  return account;
}

export const imageOf = (version: string) => [{ alias: `al2023@${version}` }];
const found = [{ tags: { 'karpenter.sh/discovery': awsCluster } }];

const nodeClass = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: {
    role: nodeRole,
    amiSelectorTerms: imageOf(firstImage),
    subnetSelectorTerms: found,
    securityGroupSelectorTerms: found,
  },
};

function environment(
  folder: string,
  { server, endpoint }: { server: string; endpoint: string },
): Record<string, string> {
  return {
    KUBECONFIG: kubeconfigOf(folder, 'karpenter'),
    SYSTEM_NAMESPACE: 'kube-system',
    DISABLE_LEADER_ELECTION: 'true',
    LOG_LEVEL: 'debug',
    CLUSTER_NAME: awsCluster,
    CLUSTER_ENDPOINT: server,
    INTERRUPTION_QUEUE: awsCluster,
    // On-demand prices then are those that the provider ships: moto has no price list.
    ISOLATED_VPC: 'true',
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}
