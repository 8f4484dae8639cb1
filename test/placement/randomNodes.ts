// Random nodes: zones, shapes, taints, cordons, missing labels, and volume limits.
import type { KubeObject } from '../../src/sim/kubeObject.ts';
import type { Random } from '../../src/sim/random.ts';
import { zoneLabel, zones } from './names.ts';

export const driver = 'disk.csi.example.com';
export const otherDriver = 'file.csi.example.com';

/** How much of each kind of irregularity there is in one cluster. */
export interface Mood {
  readonly random: Random;
  readonly zones: readonly string[];
  /** From 0 to 1: how often a pod has special requirements. */
  readonly storm: number;
}

export function randomMood(random: Random): Mood {
  return { random, zones: zones.slice(0, 1 + random.whole(zones.length)), storm: random.pick([0.15, 0.3, 0.5]) };
}

const shapes = [
  { type: 'm.small', cpu: '2', memory: '4Gi' },
  { type: 'm.large', cpu: '3920m', memory: '15Gi' },
  { type: 'm.xlarge', cpu: '8', memory: '30Gi' },
  { type: 'r.large', cpu: '2', memory: '16Gi' },
] as const;

export function randomNode(name: string, mood: Mood): KubeObject {
  const { random } = mood;
  const shape = random.pick(shapes);
  const allocatable = {
    cpu: shape.cpu,
    memory: shape.memory,
    pods: random.chance(0.25) ? String(3 + random.whole(5)) : '110',
    'ephemeral-storage': '40Gi',
    ...(random.chance(0.3) && { 'example.com/gpu': String(1 + random.whole(3)) }),
  };
  const taints = taintsFor(random);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: labelsFor(name, shape.type, mood) },
    spec: { ...(taints.length > 0 && { taints }), ...(random.chance(0.08) && { unschedulable: true }) },
    status: {
      capacity: allocatable,
      allocatable,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'KubeletReady',
          message: 'kubelet is posting ready status',
          lastHeartbeatTime: '2026-11-16T00:00:00Z',
          lastTransitionTime: '2026-11-16T00:00:00Z',
        },
      ],
    },
  };
}

function labelsFor(name: string, type: string, { random, zones: own }: Mood): Record<string, string> {
  return {
    ...(!random.chance(0.06) && { 'kubernetes.io/hostname': name }),
    ...(!random.chance(0.1) && { [zoneLabel]: random.pick(own) }),
    ...(random.chance(0.6) && { 'topology.kubernetes.io/region': 'r1' }),
    'node.kubernetes.io/instance-type': type,
    ...(random.chance(0.7) && { 'example.com/disk': random.pick(['ssd', 'hdd']) }),
    ...(random.chance(0.7) && { 'example.com/generation': random.pick(['3', '5', '7', 'new']) }),
    ...(random.chance(0.8) && { 'example.com/rack': random.pick(['r-1', 'r-2', 'r-3', 'r-4']) }),
  };
}

const possible = [
  { key: 'example.com/team', value: 'a', effect: 'NoSchedule' },
  { key: 'example.com/team', value: 'b', effect: 'NoSchedule' },
  { key: 'example.com/old', effect: 'NoExecute' },
  { key: 'example.com/slow', value: 'yes', effect: 'PreferNoSchedule' },
] as const;

function taintsFor(random: Random): readonly object[] {
  if (!random.chance(0.35)) return [];
  const first = random.pick(possible);
  const second = random.pick(possible);
  const isOther = random.chance(0.2) && (first.key !== second.key || first.effect !== second.effect);
  return isOther ? [first, second] : [first];
}

/** Not every node has reported its attach limits, and not for every driver. */
export function randomCsiNode(name: string, { random }: Mood): readonly KubeObject[] {
  if (random.chance(0.2)) return [];
  const drivers = [driver, otherDriver].flatMap((each) => {
    if (random.chance(0.25)) return [];
    const count = 1 + random.whole(3);
    return [{ name: each, nodeID: name, topologyKeys: [], ...(random.chance(0.75) && { allocatable: { count } }) }];
  });
  return [{ apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name }, spec: { drivers } }];
}
