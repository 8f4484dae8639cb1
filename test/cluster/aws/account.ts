// The AWS account of a test cluster: what Karpenter finds there, and what happens to it (new images, interruptions, shortages).
import { randomUUID } from 'node:crypto';
import { type Element, itemsOf, openWire, region, textOf, type Wire } from './wire.ts';

/** The name of the EKS cluster, its queue, and the tag by which subnets and security groups are found. */
export const awsCluster = 'lull';
export const nodeRole = 'KarpenterNodeRole';
const zones = ['a', 'b', 'c'].map((letter) => region + letter);
const accountId = '123456789012';
const discovery = { key: 'karpenter.sh/discovery', value: awsCluster };
/** Read by fakeAws.py: CreateFleet finds no capacity in a subnet with this tag. */
const shortageTag = 'test/shortage';

export interface Instance {
  readonly id: string;
  /** `running`, `terminated` … */
  readonly state: string;
  readonly zone: string;
  readonly type: string;
  readonly image: string;
  /** `x86_64` */
  readonly architecture: string;
  readonly dnsName: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** What EventBridge sends to the queue that Karpenter reads. */
export const notices = ['spot-interruption', 'rebalance', 'scheduled-change', 'stopping'] as const;
export type Notice = (typeof notices)[number];
export const isNotice = (text: string): text is Notice => notices.some((notice) => notice === text);

export interface Account {
  instances(): Promise<readonly Instance[]>;
  /** As EC2 keeps it: base64. */
  userDataOf(instance: string): Promise<string>;
  /** A new Amazon Linux 2023 image for EKS, as `v20261115`; returns its ID. */
  publishImage(version: string): Promise<string>;
  notify(notice: Notice, instance: string): Promise<void>;
  /** Whether EC2 has no capacity in a zone, whatever the instance type. */
  setShortage(zone: string, isShort: boolean): Promise<void>;
  /** Like a user of the AWS console: Karpenter gets no notice. */
  terminate(instance: string): Promise<void>;
}

interface AccountOptions {
  readonly endpoint: string;
  /** As `1.36`. */
  readonly kubernetes: string;
}

export function openAccount({ endpoint, kubernetes }: AccountOptions): Account {
  const wire = openWire(endpoint);
  return {
    instances: async () => {
      const answer = await wire.query('ec2', 'DescribeInstances', {});
      return itemsOf(answer, 'reservationSet').flatMap((it) => itemsOf(it, 'instancesSet').map(readInstance));
    },
    userDataOf: async (instance) => {
      const asked = { InstanceId: instance, Attribute: 'userData' };
      return textOf(await wire.query('ec2', 'DescribeInstanceAttribute', asked), 'userData', 'value');
    },
    publishImage: async (version) => {
      const name = `amazon-eks-node-al2023-x86_64-standard-${kubernetes}-${version}`;
      const parts = { Name: name, Architecture: 'x86_64', RootDeviceName: '/dev/xvda', VirtualizationType: 'hvm' };
      const Value = textOf(await wire.query('ec2', 'RegisterImage', parts), 'imageId');
      const folder = `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2023/x86_64/standard`;
      for (const alias of ['recommended', name]) {
        const parameter = { Name: `${folder}/${alias}/image_id`, Value, Type: 'String', Overwrite: true };
        await wire.json('ssm', 'AmazonSSM.PutParameter', parameter);
      }
      return Value;
    },
    notify: async (notice, instance) => {
      const message = {
        QueueUrl: `${endpoint}/${accountId}/${awsCluster}`,
        MessageBody: JSON.stringify(eventOf(notice, instance)),
      };
      await wire.json('sqs', 'AmazonSQS.SendMessage', message);
    },
    setShortage: async (zone, isShort) => {
      for (const subnet of await subnetsOf(wire, [zone])) {
        const change = { 'ResourceId.1': subnet, 'Tag.1.Key': shortageTag, ...(isShort && { 'Tag.1.Value': 'yes' }) };
        await wire.query('ec2', isShort ? 'CreateTags' : 'DeleteTags', change);
      }
    },
    terminate: async (instance) => {
      await wire.query('ec2', 'TerminateInstances', { 'InstanceId.1': instance });
    },
  };
}

/** What an administrator creates before Karpenter: tagged subnets and a security group, the nodes' role, the queue and the EKS cluster. */
export async function furnish({ endpoint, kubernetes }: AccountOptions): Promise<void> {
  const wire = openWire(endpoint);
  const subnets = await subnetsOf(wire, zones);
  const group = textOf(
    await wire.query('ec2', 'CreateSecurityGroup', { GroupName: 'nodes', GroupDescription: 'nodes of the cluster' }),
    'groupId',
  );
  const tagged = Object.fromEntries([...subnets, group].map((id, index) => [`ResourceId.${index + 1}`, id]));
  await wire.query('ec2', 'CreateTags', { ...tagged, 'Tag.1.Key': discovery.key, 'Tag.1.Value': discovery.value });
  const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [] });
  await wire.query('iam', 'CreateRole', { RoleName: nodeRole, AssumeRolePolicyDocument });
  await wire.json('sqs', 'AmazonSQS.CreateQueue', { QueueName: awsCluster });
  await wire.post('eks', '/clusters', {
    name: awsCluster,
    version: kubernetes,
    roleArn: `arn:aws:iam::${accountId}:role/eks`,
    resourcesVpcConfig: { subnetIds: subnets },
    kubernetesNetworkConfig: { serviceIpv4Cidr: '10.0.0.0/16' },
  });
}

async function subnetsOf(wire: Wire, wanted: readonly string[]): Promise<readonly string[]> {
  const answer = await wire.query('ec2', 'DescribeSubnets', {});
  const inZones = itemsOf(answer, 'subnetSet').filter((it) => wanted.includes(textOf(it, 'availabilityZone')));
  return inZones.map((it) => textOf(it, 'subnetId'));
}

function readInstance(element: Element): Instance {
  const tags = itemsOf(element, 'tagSet').map((it) => [textOf(it, 'key'), textOf(it, 'value')]);
  return {
    id: textOf(element, 'instanceId'),
    state: textOf(element, 'instanceState', 'name'),
    zone: textOf(element, 'placement', 'availabilityZone'),
    type: textOf(element, 'instanceType'),
    image: textOf(element, 'imageId'),
    architecture: textOf(element, 'architecture'),
    dnsName: textOf(element, 'privateDnsName'),
    tags: Object.fromEntries(tags),
  };
}

/** In EventBridge's format. */
function eventOf(notice: Notice, instance: string): object {
  const health = {
    service: 'EC2',
    eventTypeCode: 'AWS_EC2_INSTANCE_REBOOT_MAINTENANCE_SCHEDULED',
    eventTypeCategory: 'scheduledChange',
    affectedEntities: [{ entityValue: instance }],
  };
  const id = { 'instance-id': instance };
  const kinds: Readonly<Record<Notice, { type: string; source?: string; detail: object }>> = {
    'spot-interruption': {
      type: 'EC2 Spot Instance Interruption Warning',
      detail: { ...id, 'instance-action': 'terminate' },
    },
    rebalance: { type: 'EC2 Instance Rebalance Recommendation', detail: id },
    'scheduled-change': { type: 'AWS Health Event', source: 'aws.health', detail: health },
    stopping: { type: 'EC2 Instance State-change Notification', detail: { ...id, state: 'stopping' } },
  };
  const { type, source = 'aws.ec2', detail } = kinds[notice];
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': type,
    source,
    account: accountId,
    time: new Date().toISOString(),
    region,
    resources: [`arn:aws:ec2:${region}:${accountId}:instance/${instance}`],
    detail,
  };
}
