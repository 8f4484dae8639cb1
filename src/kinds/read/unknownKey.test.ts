import { describe, expect, it } from 'vitest';
import { type KeyPlace, lullKeys } from '../../cluster/names.ts';
import { readObject } from '../readObject.ts';
import { otherKarpenterKeys, steering, unknownAnnotation, unknownLabel } from './knownKeys.ts';

const places: readonly KeyPlace[] = ['pool', 'node', 'pod'];

describe('K4: annotations', () => {
  it.each<[string, KeyPlace, readonly string[]]>([
    ['lull.dev/budget', 'pool', ['lull.dev/budgets']],
    ['lull.dev/Budgets', 'pool', ['lull.dev/budgets']],
    ['lull.dev/expireAfter', 'pool', ['lull.dev/expire-after']],
    ['lul.dev/budgets', 'pool', ['lull.dev/budgets']],
    ['karpenter.sh/budgets', 'pool', ['lull.dev/budgets']],
    ['lull.dev/driftAfter', 'pool', ['lull.dev/drift-after']],
    ['lull.dev/pace', 'pool', []],
    ['lull.dev/hold', 'pool', []],
    ['lull.dev/holds', 'node', ['lull.dev/hold']],
    ['lull.dev/budgets', 'node', []],
    ['lull.dev/do-not-disrupt', 'pod', ['karpenter.sh/do-not-disrupt']],
    ['karpenter.sh/do-not-disrup', 'pod', ['karpenter.sh/do-not-disrupt']],
    ['karpenter.sh/do_not_disrupt', 'node', ['karpenter.sh/do-not-disrupt']],
    ['karpenter.k8s.aws/do-not-disrupt', 'pod', ['karpenter.sh/do-not-disrupt']],
    ['karpenter.sh/disruption-schedule-timeZone', 'pod', ['karpenter.sh/disruption-schedule-timezone']],
    ['karpeter.sh/disruption-schedule', 'pod', ['karpenter.sh/disruption-schedule']],
  ])('%s on a %s is not known', (key, place, meant) => {
    expect(unknownAnnotation(key, place)).toMatchObject({ meant });
  });

  it.each<[string, KeyPlace]>([
    ['karpenter.sh/something-new', 'pod'],
    ['karpenter.k8s.aws/ec2nodeclass-hash', 'node'],
    ['sim.lull.dev/runs', 'pod'],
    ['example.com/budgets', 'pool'],
    ['prometheus.io/scrape', 'pod'],
  ])('%s on a %s is none of ours', (key, place) => {
    expect(unknownAnnotation(key, place)).toBeUndefined();
  });

  it('knows all that Lull and Karpenter read and write', () => {
    for (const place of places) {
      for (const key of [...lullKeys[place].written, ...lullKeys[place].marks, ...otherKarpenterKeys])
        expect(unknownAnnotation(key, place)).toBeUndefined();
    }
    for (const key of Object.values(steering))
      expect(places.some((place) => unknownAnnotation(key, place) === undefined)).toBe(true);
  });

  it('says where a key belongs', () => {
    expect(unknownAnnotation('lull.dev/hold', 'pool')?.message).toBe(
      'lull.dev/hold has no effect on pools. Set it on nodes.',
    );
    expect(unknownAnnotation('lull.dev/pace', 'pool')?.message).toBe(
      'Unknown annotation lull.dev/pace, which is ignored. Known annotations on pools: lull.dev/budgets, lull.dev/expire-after, lull.dev/drift-after, lull.dev/roll-requested, lull.dev/approval, lull.dev/approved.',
    );
  });
});

describe('K4: labels', () => {
  it.each<[string, readonly string[]]>([
    ['karpenter.sh/do-not-disrupt', []],
    ['karpenter.sh/nodePool', ['karpenter.sh/nodepool']],
    ['karpenter.sh/capacity-typ', ['karpenter.sh/capacity-type']],
  ])('%s is not read as a label', (key, meant) => {
    expect(unknownLabel(key, 'node')).toMatchObject({ meant });
  });

  it.each(['karpenter.sh/nodepool', 'karpenter.sh/registered', 'app', 'karpenter.k8s.aws/instance-cpu'])(
    '%s is a label, or none of ours',
    (key) => {
      expect(unknownLabel(key, 'node')).toBeUndefined();
    },
  );
});

describe('K4: an unknown annotation on a pool', () => {
  it('is a warning, and the pool is read', () => {
    const metadata = { name: 'web', annotations: { 'lull.dev/budget': '[]', 'lull.dev/budgets': '[{"nodes": "1"}]' } };
    const read = readObject({ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata });
    expect(read).toMatchObject({
      record: { budgets: [{ nodes: { count: 1 } }] },
      faults: [
        {
          path: 'metadata.annotations[lull.dev/budget]',
          severity: 'warning',
          meant: ['lull.dev/budgets'],
          value: '[]',
        },
      ],
    });
  });
});
