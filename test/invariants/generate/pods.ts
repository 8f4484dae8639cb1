// Random pods of all kinds of owners, with opt-outs, schedules, sizes and constraints.
import { type PlainPod, rackKey, type Texts, zoneKey } from '../plain.ts';
import { badCrons, badZones, neverCron, schedule } from './schedules.ts';
import { ago, near, odd, type World } from './world.ts';

export const namespaces = ['default', 'shop', 'batch'];
export const apps = ['web', 'api', 'db', 'job'];

const owners = ['ReplicaSet', 'ReplicaSet', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', undefined];

export function pod(world: World, name: string, nodeName: string | undefined): PlainPod {
  const { dice } = world;
  const app = dice.pick(apps);
  const kind = odd(world, 0.02) ? 'Node' : dice.pick(world.theme === 'full' ? owners.slice(0, 4) : owners);
  const started = ago(world, 1, dice.pick([30, 600, 3000]));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: dice.pick(namespaces),
      uid: `pod-${name}`,
      creationTimestamp: started,
      labels: { app, ...(dice.chance(0.3) && { tier: dice.pick(['front', 'back']) }) },
      ...podAnnotations(world),
      ...(kind && { ownerReferences: [owner(kind, app)] }),
      ...(odd(world, 0.03) && { deletionTimestamp: near(world, 1) }),
    },
    spec: {
      ...(nodeName && { nodeName }),
      containers: [{ name: 'main', resources: { requests: { ...requests(world, kind), ...manyResources(started) } } }],
      ...tastes(world, kind),
      ...(odd(world, 0.05) && { priority: dice.pick([-100, 1000, 2_000_000_000]) }),
    },
    status: nodeName ? running(world, started) : { phase: 'Pending' },
  };
}

/** A pod without a node, half of them nominated to one. */
export function pendingPod(world: World, name: string, nodes: readonly string[]): PlainPod {
  const waiting = pod(world, name, undefined);
  if (!world.dice.chance(0.5) || nodes.length === 0) return waiting;
  return { ...waiting, status: { ...waiting.status, nominatedNodeName: world.dice.pick(nodes) } };
}

const groupOf = (kind: string): string => (kind === 'Node' ? 'v1' : kind === 'Job' ? 'batch/v1' : 'apps/v1');

const owner = (kind: string, app: string) =>
  ({ apiVersion: groupOf(kind), kind, name: app, uid: `${kind}-${app}`, controller: true }) as const;

/** For a few pods, more resources than a namespace may request (decision 0008). */
const manyResources = (started: string): Texts =>
  Date.parse(started) % 97_000 === 0
    ? Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`example.com/r-${i}`, '0']))
    : {};

function requests({ dice, theme }: World, kind: string | undefined): Texts {
  if (kind === 'DaemonSet' || kind === 'Node') return { cpu: '100m', memory: '64Mi' };
  // Three of them fill the smallest node, and leave no room for a fourth.
  if (theme === 'full') return { cpu: dice.pick(['500m', '550m', '600m']), memory: '1Gi' };
  return { cpu: dice.pick(['100m', '250m', '500m', '1', '1500m', '3']), memory: dice.pick(['128Mi', '512Mi', '2Gi']) };
}

function running(world: World, startTime: string): PlainPod['status'] {
  const { dice } = world;
  const phase = odd(world, 0.03) ? dice.pick(['Succeeded', 'Failed', 'Pending']) : 'Running';
  const status = odd(world, 0.08) ? 'False' : 'True';
  return {
    phase,
    ...(!odd(world, 0.02) && { startTime }),
    conditions: [{ type: 'Ready', status }],
  };
}

/** Often enough that some nodes have a pod that fits on no other node. */
const nowhere = Array<string>(3).fill('nowhere');

function tastes(world: World, kind: string | undefined): Partial<PlainPod['spec']> {
  const { dice, zones } = world;
  const affinity = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: rackKey, operator: 'In', values: ['r1'] }] }],
      },
    },
  };
  return {
    ...(odd(world, 0.2) && { nodeSelector: { [zoneKey]: dice.pick([...zones, ...nowhere]) } }),
    ...(odd(world, 0.04) && { affinity }),
    ...(kind === 'DaemonSet' && dice.chance(0.3) && { tolerations: [{ operator: 'Exists' }] }),
    ...(odd(world, 0.05) && {
      tolerations: [{ key: dice.pick(['example.com/dedicated', 'karpenter.sh/disrupted']), operator: 'Exists' }],
    }),
  };
}

function podAnnotations(world: World): { annotations?: Texts } {
  const { dice } = world;
  const texts: Texts = {};
  if (odd(world, 0.06)) Object.assign(texts, optOut(world));
  if (odd(world, 0.04)) Object.assign(texts, ownSchedule(world, 'schedule', 'schedule-duration'));
  if (odd(world, 0.03)) Object.assign(texts, ownSchedule(world, 'block-schedule', 'block-duration'));
  if (odd(world, 0.03)) texts['controller.kubernetes.io/pod-deletion-cost'] = dice.pick(['100', '-2000000000', 'x']);
  return Object.keys(texts).length > 0 ? { annotations: texts } : {};
}

/** do-not-disrupt or do-not-evict, with or without reasons, some of the values invalid (E1, E3). */
function optOut({ dice }: World): Texts {
  const values = ['true', 'true', '20m', '8h', '60h', '60h', 'perhaps'];
  return {
    ...(dice.chance(0.85)
      ? { 'karpenter.sh/do-not-disrupt': dice.pick(values) }
      : { 'karpenter.sh/do-not-evict': 'true' }),
    ...(dice.chance(0.5) && {
      'karpenter.sh/do-not-disrupt-reasons': dice.pick([
        'Underutilized,Empty',
        'drift',
        'Drifted, Expired',
        'nonsense',
      ]),
    }),
  };
}

/** A pod's own allow or block schedule, some of the crons, durations and zones invalid (E4–E6). */
function ownSchedule(world: World, key: string, durationKey: string): Texts {
  const { dice } = world;
  const one = schedule(world);
  const two = schedule(world);
  const prefix = 'karpenter.sh/disruption-';
  const crons = dice.pick([
    one.cron,
    one.cron,
    `${one.cron};${two.cron}`,
    `${dice.pick(badCrons)}; ${one.cron}`,
    dice.pick(badCrons),
    neverCron,
  ]);
  const durations = dice.pick([
    undefined,
    one.duration,
    one.duration,
    `${one.duration};${two.duration}`,
    'long',
    '200h',
  ]);
  const zone = dice.chance(0.1) ? dice.pick(badZones) : one.timeZone;
  return {
    [`${prefix}${key}`]: crons,
    ...(durations && { [`${prefix}${durationKey}`]: durations }),
    ...(zone && { [`${prefix}schedule-timezone`]: zone }),
  };
}
