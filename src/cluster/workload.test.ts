// The workload of a pod, and the count of its running pods (C13).
import { describe, expect, it } from 'vitest';
import { machine, noon, pod as plainPod, storeOf } from '../../test/build.ts';
import { readObject } from '../kinds/readObject.ts';
import type { Pod } from './model.ts';
import { countRunning, nameOfWorkload, workloadOf } from './workload.ts';

function pod(parts: Parameters<typeof plainPod>[2]): Pod {
  const read = readObject(plainPod('p1', 'n1', parts));
  if (read.kind !== 'Pod') throw new Error(read.kind);
  return read.record;
}

const hashed = (owner: string) => ({ owner, labels: { 'pod-template-hash': '7d9' } });

describe('C13: the workload of a pod', () => {
  it.each([
    {
      it: 'its Deployment, by the hash in the name',
      parts: hashed('ReplicaSet/my-web-7d9'),
      key: 'shop/Deployment/my-web',
    },
    { it: 'a ReplicaSet of another name', parts: hashed('ReplicaSet/web'), key: 'shop/ReplicaSet/web' },
    { it: 'a ReplicaSet without a hash', parts: { owner: 'ReplicaSet/web-7d9' }, key: 'shop/ReplicaSet/web-7d9' },
    { it: 'a StatefulSet', parts: hashed('StatefulSet/db-7d9'), key: 'shop/StatefulSet/db-7d9' },
    { it: 'none for a Job', parts: { owner: 'Job/once' }, key: undefined },
    { it: 'none for a DaemonSet', parts: { owner: 'DaemonSet/log' }, key: undefined },
    { it: 'none for a mirror pod', parts: { owner: 'Node/n1' }, key: undefined },
  ])('$it', ({ parts, key }) => {
    expect(workloadOf(pod(parts))).toBe(key);
  });

  it('is not there for a pod without an owner', () => {
    const { owner: _, ...alone } = pod({});
    expect(workloadOf(alone)).toBeUndefined();
  });

  it('has a name for people', () => {
    expect(nameOfWorkload('shop/Deployment/web')).toBe('Deployment shop/web');
  });
});

describe('C13: the pods of a workload that run', () => {
  it('are Running, Ready and not on their way out, wherever they are', () => {
    const store = storeOf(
      machine('n1'),
      machine('n2'),
      plainPod('a', 'n1'),
      plainPod('b', 'n2'),
      plainPod('c', 'n2', { ready: 'False' }),
      plainPod('d', 'n2', { phase: 'Pending' }),
      plainPod('e', 'n2', { deleted: noon }),
      plainPod('f', 'n2', { namespace: 'other' }),
      plainPod('g', 'n2', { owner: 'StatefulSet/web' }),
    );
    expect(countRunning('shop/ReplicaSet/web', store.nodes)).toBe(2);
    expect(countRunning('shop/ReplicaSet/none', store.nodes)).toBe(0);
  });
});
