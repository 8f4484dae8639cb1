// Stories beside AWS's own Karpenter: a cluster with the provider's controller and a fake AWS account, an EC2NodeClass, pools and their nodes.
import { beforeAll, describe } from 'vitest';
import type { Account } from '../../cluster/aws/account.ts';
import { awsCrds, startAws, whyNoAws } from '../../cluster/aws/start.ts';
import type { KubeObject } from './hand.ts';
import { deployment, nodepool, type PoolParts } from './objects.ts';
import type { StoryOptions } from './openStory.ts';
import { claimsOf, runningPods } from './roll.ts';
import { describeStory, type Story } from './story.ts';

export function describeAwsStory(
  name: string,
  options: StoryOptions,
  tell: (story: Story, account: Account) => void,
): void {
  describe.skipIf(whyNoAws() !== undefined)('on AWS', () => {
    describeStory(name, { ...options, karpenter: false, crds: awsCrds }, (story) => {
      const account = {} as Account;
      beforeAll(async () => {
        Object.assign(account, await startAws(story.cluster));
      });
      tell(story, account);
    });
  });
}

export interface AwsPoolParts extends Omit<PoolParts, 'zones' | 'instanceTypes' | 'requirements' | 'nodeClassRef'> {
  /** Default: on-demand. */
  readonly capacityType?: 'on-demand' | 'spot';
  /** Default: 2. */
  readonly cores?: readonly string[];
}

const In = 'In';

/** Of c5 and m5 instances. */
export function awsPool({ capacityType = 'on-demand', cores = ['2'], ...parts }: AwsPoolParts = {}): object {
  return nodepool({
    ...parts,
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    requirements: [
      { key: 'kubernetes.io/arch', operator: In, values: ['amd64'] },
      { key: 'karpenter.sh/capacity-type', operator: In, values: [capacityType] },
      { key: 'karpenter.k8s.aws/instance-family', operator: In, values: ['c5', 'm5'] },
      { key: 'karpenter.k8s.aws/instance-cpu', operator: In, values: cores },
    ],
  });
}

/** A pool, and a pod for each of its nodes: more than half of an instance with two cores. */
export async function growOnAws(story: Story, parts: AwsPoolParts, replicas: number): Promise<void> {
  const name = parts.name ?? 'web';
  await story.apply(awsPool(parts), deployment({ name, pool: name, replicas, cpu: '1500m' }));
  await story.until(
    `${replicas} pods of ${name} run`,
    async () => (await runningPods(story, name)).length === replicas,
    {
      within: 120,
    },
  );
}

export const instanceOf = ({ status }: KubeObject): string => status.providerID.split('/').at(-1);
export const zoneOf = ({ metadata }: KubeObject): string => metadata.labels?.['topology.kubernetes.io/zone'] ?? '';
export const hasCondition = ({ status }: KubeObject, type: string, reason?: string): boolean =>
  (status?.conditions ?? []).some(
    (it: { type: string; status: string; reason: string }) =>
      it.type === type && it.status === 'True' && (reason === undefined || it.reason === reason),
  );

/** Every claim of the pool is Initialized and drifted for this reason. */
export async function allDrifted(story: Story, reason: string, pool = 'web'): Promise<boolean> {
  const claims = await claimsOf(story, pool);
  return claims.length > 0 && claims.every((claim) => hasCondition(claim, 'Drifted', reason));
}

/** Reasons of Karpenter's events on an object, oldest first. */
export async function eventsOn(story: Story, kind: 'Node' | 'NodeClaim', name: string): Promise<readonly KubeObject[]> {
  const events = await story.list('Event');
  return events.filter(({ involvedObject }) => involvedObject.kind === kind && involvedObject.name === name);
}
