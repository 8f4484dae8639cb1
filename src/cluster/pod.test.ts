// Predicates on pods, the cost of a pod, and tolerations.
import { describe, expect, it } from 'vitest';
import { noon, pod as plainPod } from '../../test/build.ts';
import { readObject } from '../kinds/readObject.ts';
import type { Pod } from './model.ts';
import { isActive, isEvictable, isOnItsWay, isReschedulable, podCost, tolerates } from './pod.ts';

function pod(parts: Parameters<typeof plainPod>[2]): Pod {
  const read = readObject(plainPod('p1', 'n1', parts));
  if (read.kind !== 'Pod') throw new Error(read.kind);
  return read.record;
}

describe('E11: what counts', () => {
  const everything = [{ operator: 'Exists' }];
  it.each([
    { it: 'a running pod', parts: {}, active: true, reschedulable: true, evictable: true },
    { it: 'a pending pod', parts: { phase: 'Pending' }, active: true, reschedulable: true, evictable: true },
    { it: 'a pod without an owner', parts: { owner: '' }, active: true, reschedulable: true, evictable: true },
    { it: 'a failed pod', parts: { phase: 'Failed' }, active: false, reschedulable: false, evictable: false },
    { it: 'a finished pod', parts: { phase: 'Succeeded' }, active: false, reschedulable: false, evictable: false },
    { it: 'a terminating pod', parts: { deleted: noon }, active: false, reschedulable: false, evictable: false },
    {
      it: "a StatefulSet's terminating pod",
      parts: { deleted: noon, owner: 'StatefulSet/db' },
      active: false,
      reschedulable: true,
      evictable: false,
    },
    { it: 'a DaemonSet pod', parts: { owner: 'DaemonSet/log' }, active: true, reschedulable: false, evictable: true },
    { it: 'a mirror pod', parts: { owner: 'Node/n1' }, active: true, reschedulable: false, evictable: false },
    {
      it: 'a pod that tolerates everything',
      parts: { spec: { tolerations: everything } },
      active: true,
      reschedulable: true,
      evictable: false,
    },
    {
      it: "a pod that tolerates Karpenter's taint",
      parts: { spec: { tolerations: [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }] } },
      active: true,
      reschedulable: true,
      evictable: false,
    },
    {
      it: "a pod that tolerates Lull's taint",
      parts: { spec: { tolerations: [{ key: 'lull.dev/disrupted', operator: 'Exists', effect: 'NoSchedule' }] } },
      active: true,
      reschedulable: true,
      evictable: false,
    },
  ])('$it: active $active, reschedulable $reschedulable, evictable $evictable', ({ parts, ...want }) => {
    const it = pod(parts);
    expect({ active: isActive(it), reschedulable: isReschedulable(it), evictable: isEvictable(it) }).toMatchObject({
      active: want.active,
      reschedulable: want.reschedulable,
      evictable: want.evictable,
    });
  });
});

describe('G6: a drain waits', () => {
  it.each([
    { it: 'for a terminating pod', parts: { deleted: noon }, waits: true },
    { it: 'not for one that is not terminating', parts: {}, waits: false },
    { it: 'not for one that has ended', parts: { deleted: noon, phase: 'Succeeded' }, waits: false },
    { it: 'not for a mirror pod', parts: { deleted: noon, owner: 'Node/n1' }, waits: false },
    {
      it: 'not for one that tolerates the taint',
      parts: { deleted: noon, spec: { tolerations: [{ operator: 'Exists' }] } },
      waits: false,
    },
  ])('$it', ({ parts, waits }) => {
    expect(isOnItsWay(pod(parts))).toBe(waits);
  });
});

describe('F3: the cost of a pod', () => {
  const annotated = (cost: string) => ({ annotations: { 'karpenter.sh/disruption-cost': cost } });
  it.each([
    { it: 'that says nothing', parts: {}, cost: 1 },
    { it: 'of a high priority', parts: { spec: { priority: 2 ** 25 } }, cost: 2 },
    { it: 'of a low priority', parts: { spec: { priority: -(2 ** 24) } }, cost: 0.5 },
    { it: 'with a cost of its own', parts: annotated(String(2 ** 27)), cost: 2 },
    { it: 'with both', parts: { ...annotated(String(2 ** 26)), spec: { priority: 2 ** 24 } }, cost: 2 },
    { it: 'above the bound', parts: { spec: { priority: 2_000_000_000 } }, cost: 10 },
    { it: 'below the bound', parts: annotated('-2147483648'), cost: 0 },
    { it: 'with a cost beyond 32 bits', parts: annotated('2147483648'), cost: 1 },
    { it: 'with a cost that is not whole', parts: annotated('1.5'), cost: 1 },
    {
      it: "with Kubernetes' deletion cost",
      parts: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': String(2 ** 27) } },
      cost: 2,
    },
    {
      it: 'with both names, of which karpenter.sh takes precedence',
      parts: {
        annotations: { 'karpenter.sh/disruption-cost': '0', 'controller.kubernetes.io/pod-deletion-cost': '99' },
      },
      cost: 1,
    },
  ])('$it is $cost', ({ parts, cost }) => {
    expect(podCost(pod(parts))).toBe(cost);
  });
});

describe('F6: a toleration', () => {
  const taint = { key: 'team', value: 'a', effect: 'NoSchedule' };
  it.each([
    { toleration: { key: 'team', operator: 'Equal', value: 'a', effect: 'NoSchedule' }, tolerated: true },
    { toleration: { key: 'team', value: 'a' }, tolerated: true },
    { toleration: { key: 'team', value: 'b' }, tolerated: false },
    { toleration: { key: 'team' }, tolerated: false },
    { toleration: { key: 'team', operator: 'Exists' }, tolerated: true },
    { toleration: { key: 'team', operator: 'Exists', effect: 'NoExecute' }, tolerated: false },
    { toleration: { operator: 'Exists' }, tolerated: true },
    { toleration: { operator: 'Exists', effect: 'NoSchedule' }, tolerated: true },
    { toleration: { value: 'a' }, tolerated: false },
    { toleration: { key: 'other', operator: 'Exists' }, tolerated: false },
    { toleration: { key: 'team', operator: 'Lt', value: 'a' }, tolerated: false },
  ])('$toleration: $tolerated', ({ toleration, tolerated }) => {
    expect(tolerates([toleration], taint)).toBe(tolerated);
  });

  it('without a value meets a taint without one', () => {
    expect(tolerates([{ key: 'spot' }], { key: 'spot', effect: 'NoSchedule' })).toBe(true);
  });
});
