import { describe, expect, it } from 'vitest';
import { type Asked, evictedTwice, lullUser } from './audit.ts';

const asked = (user: string, resource: string, code = 201): Asked => ({
  user,
  verb: 'create',
  resource,
  group: '',
  namespace: 'default',
  name: 'web-0',
  code,
  decision: 'allow',
  at: '2026-07-08T12:00:00Z',
});

describe('G2: pods that were evicted twice', () => {
  const bound = asked('kube-scheduler', 'pods/binding');
  const byKarpenter = asked('karpenter', 'pods/eviction');
  const byLull = asked(lullUser, 'pods/eviction');
  it.each<[string, Asked[], number]>([
    ['once', [bound, byKarpenter], 0],
    ['refused, then granted', [bound, asked('karpenter', 'pods/eviction', 429), byKarpenter], 0],
    ['asked again by Karpenter while the pod ends', [bound, byKarpenter, byKarpenter, bound], 0],
    ['moved twice', [bound, byKarpenter, bound, byKarpenter], 2],
    ['moved twice, and asked again', [bound, byKarpenter, byKarpenter, bound, byKarpenter], 2],
    ['twice by Lull', [bound, byLull, byLull], 2],
    ['by both', [bound, byLull, byKarpenter], 2],
  ])('%s', (_, requests, times) => {
    expect(evictedTwice(requests).map((sentence) => sentence.match(/evicted (\d+) times/)?.[1])).toEqual(
      times ? [`${times}`] : [],
    );
  });
});
