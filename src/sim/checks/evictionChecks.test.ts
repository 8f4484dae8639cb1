// Checks of evictions and forced deletions.
import { describe, expect, it } from 'vitest';
import { Handmade, minutes } from '../../../test/sim/handmade.ts';
import { asDuration, type Duration, hour, minute, second } from '../../time/instant.ts';

const open = (spec: object = {}): Handmade => {
  const h = new Handmade();
  h.pool('web', []);
  h.nodes(3, { spec: spec as never });
  return h;
};

const grace = { terminationGracePeriod: '1h' };

describe('G2: an eviction', () => {
  it.each<{ it: string; tell: (h: Handmade) => void; broken: string[] }>([
    {
      it: 'from a node that is drained',
      tell: (h) => {
        h.drains('n1');
        h.evict('p');
      },
      broken: [],
    },
    { it: 'from a node in no command', tell: (h) => h.evict('p'), broken: ['G2'] },
    {
      it: 'before the drain',
      tell: (h) => {
        h.ledger([{ node: 'n1' }]);
        h.taint('n1', 'drifted-n1');
        h.evict('p');
      },
      broken: ['G2'],
    },
    {
      it: 'a second time, though it was seen to be on its way',
      tell: (h) => {
        h.drains('n1');
        h.evict('p');
        h.ledger([{ node: 'n1', step: 'draining', evictedAt: h.clock.now }]);
        h.evict('p');
      },
      broken: ['G2'],
    },
    {
      it: 'a second time, by another controller that had not seen the first',
      tell: (h) => {
        h.drains('n1');
        const seen = { Pod: String(h.objects.version) };
        h.evict('p', 'lull-1');
        h.ledger([{ node: 'n1', step: 'draining', evictedAt: h.clock.now }], { seen, by: 'lull-2' });
        h.evict('p', 'lull-2');
      },
      broken: [],
    },
    {
      it: 'a second time, by another controller that had',
      tell: (h) => {
        h.drains('n1');
        h.evict('p', 'lull-1');
        h.ledger([{ node: 'n1', step: 'draining', evictedAt: h.clock.now }], { by: 'lull-2' });
        h.evict('p', 'lull-2');
      },
      broken: ['G2'],
    },
    {
      it: 'without the uid',
      tell: (h) => {
        h.drains('n1');
        h.send({ verb: 'evict', kind: 'Pod', namespace: 'shop', name: 'p' });
      },
      broken: ['G2'],
    },
    {
      it: 'G1: from a node that has lost its taint',
      tell: (h) => {
        h.drains('n1');
        h.untaint('n1', 'script');
        h.evict('p');
      },
      broken: ['G1'],
    },
  ])('$it', ({ tell, broken }) => {
    const h = open();
    h.pod('p', 'n1');
    tell(h);
    expect(h.broken).toEqual(broken);
  });

  it('that was carried out but not answered counts', () => {
    const h = open();
    h.pod('p', 'n1');
    h.drains('n1');
    const uid = h.objects.get('Pod', 'shop/p')?.metadata.uid ?? '';
    h.objects.evict('shop/p', 'lull-1', { uid });
    const request = { verb: 'evict', kind: 'Pod', namespace: 'shop', name: 'p', preconditions: { uid } } as const;
    h.checks.note({ request, answer: { status: 'away', message: '' }, at: h.clock.now, by: 'lull-1', n: 1 });
    h.ledger([{ node: 'n1', step: 'draining', evictedAt: h.clock.now }]);
    h.evict('p');
    expect(h.broken).toEqual(['G2']);
  });
});

describe('G6: tiers', () => {
  const critical = { spec: { priorityClassName: 'system-cluster-critical' } };
  it.each([
    { it: 'a DaemonSet pod while a normal one is there', other: {}, mine: { owner: 'DaemonSet/d' }, broken: ['G6'] },
    {
      it: 'a critical pod while a DaemonSet’s is there',
      other: { owner: 'DaemonSet/d' },
      mine: critical,
      broken: ['G6'],
    },
    { it: 'a normal pod while a critical one is there', other: critical, mine: {}, broken: [] },
    {
      it: 'a pod that tolerates the taint is not waited for',
      other: { spec: { tolerations: [{ key: 'lull.dev/disrupted', operator: 'Exists' }] } },
      mine: critical,
      broken: [],
    },
  ])('$it', ({ other, mine, broken }) => {
    const h = open();
    h.pod('other', 'n1', other);
    h.pod('mine', 'n1', mine);
    h.later(second);
    h.drains('n1');
    h.evict('mine');
    expect(h.broken).toEqual(broken);
  });

  it('a pod that ends is waited for', () => {
    const h = open();
    h.pod('other', 'n1');
    h.pod('mine', 'n1', critical);
    h.later(second);
    h.drains('n1');
    h.evict('other');
    h.evict('mine');
    expect(h.broken).toEqual(['G6']);
  });

  describe('a pod that is bound around the taint', () => {
    const drain = (h: Handmade, more: { bound: 'before' | 'after'; unseen: boolean; waits?: Duration }): void => {
      h.pod('mine', 'n1', critical);
      h.ledger([{ node: 'n1' }]);
      const seen = more.unseen ? { Pod: String(h.objects.version) } : {};
      if (more.bound === 'before') h.pod('other', 'n1');
      h.taint('n1', 'drifted-n1');
      if (more.bound === 'after') h.pod('other', 'n1');
      if (more.waits) h.later(more.waits);
      h.ledger([{ node: 'n1', step: 'draining', evictedAt: h.clock.now }], { seen });
      h.evict('mine');
    };
    it.each([
      { it: 'before it, and not seen yet: it must be waited for', bound: 'before', unseen: true, broken: ['G6'] },
      {
        it: 'before it, and not seen after two seconds: it is not waited for',
        bound: 'before',
        unseen: true,
        waits: asDuration(2 * second),
        broken: [],
      },
      { it: 'after it, and not seen yet', bound: 'after', unseen: true, broken: [] },
      { it: 'after it, and seen', bound: 'after', unseen: false, broken: ['G6'] },
    ] as const)('$it', ({ broken, ...more }) => {
      const h = open();
      drain(h, more);
      expect(h.broken).toEqual(broken);
    });
  });
});

describe('E8, E9: the rules of a pod are asked for each eviction', () => {
  const until = { 'karpenter.sh/disruption-schedule': '0 12 * * *', 'karpenter.sh/disruption-schedule-duration': '1h' };
  const block = { 'karpenter.sh/disruption-block-schedule': '0 13 * * *' };
  const optedOut = { 'karpenter.sh/do-not-disrupt': '2h' };
  it.each<{ it: string; annotations: Record<string, string>; after: Duration; reason?: string; broken: string[] }>([
    { it: 'in its window', annotations: until, after: minutes(59), broken: [] },
    { it: 'E4: after its window', annotations: until, after: minutes(61), broken: ['E9'] },
    { it: 'E5: before its block', annotations: block, after: minutes(59), broken: [] },
    { it: 'E5: in its block', annotations: block, after: minutes(61), broken: ['E9'] },
    { it: 'E1: while it opts out', annotations: optedOut, after: minutes(61), broken: ['E8'] },
    { it: 'E1: afterwards', annotations: optedOut, after: minutes(121), broken: [] },
    { it: 'E8: Interrupted', annotations: optedOut, after: minutes(61), reason: 'Interrupted', broken: [] },
  ])('$it', ({ annotations, after, reason = 'Drifted', broken }) => {
    const h = open(grace);
    h.pod('p', 'n1', { annotations });
    h.drains('n1', { reason });
    h.later(after);
    h.evict('p');
    expect(h.broken).toEqual(broken);
  });

  it('E7: a PodDisruptionSchedule that is closed', () => {
    const h = open(grace);
    h.pod('p', 'n1', { labels: { app: 'web' } });
    h.put('PodDisruptionSchedule', 's', {
      spec: { selector: { matchLabels: { app: 'web' } }, schedule: '0 13 * * *' },
    });
    h.drains('n1');
    h.evict('p');
    expect(h.broken).toEqual(['E9']);
  });

  it('E7: one that cannot have been seen yet', () => {
    const h = open(grace);
    h.pod('p', 'n1', { labels: { app: 'web' } });
    h.drains('n1');
    h.put('PodDisruptionSchedule', 's', {
      spec: { selector: { matchLabels: { app: 'web' } }, schedule: '0 13 * * *' },
    });
    h.evict('p');
    expect(h.broken).toEqual([]);
  });
});

describe('H2, H3: a pod that is deleted', () => {
  const force = (h: Handmade, name: string, graceSeconds: number) => {
    const uid = h.objects.get('Pod', `shop/${name}`)?.metadata.uid ?? '';
    h.send({ verb: 'delete', kind: 'Pod', namespace: 'shop', name, preconditions: { uid }, graceSeconds });
  };
  it.each<{ it: string; spec?: object; after: Duration; graceSeconds: number; broken: string[] }>([
    { it: 'without a deadline', spec: {}, after: hour, graceSeconds: 30, broken: ['H2'] },
    { it: 'too soon', after: asDuration(hour - 31 * second), graceSeconds: 30, broken: ['H2'] },
    { it: 'in time', after: asDuration(hour - 30 * second), graceSeconds: 30, broken: [] },
    { it: 'with more than is left', after: asDuration(hour - 5 * second), graceSeconds: 30, broken: ['H2'] },
    { it: 'with what is left', after: asDuration(hour - 5 * second), graceSeconds: 5, broken: [] },
    { it: 'with a second at least', after: asDuration(hour + minute), graceSeconds: 1, broken: [] },
  ])('$it', ({ spec = grace, after, graceSeconds, broken }) => {
    const h = open(spec);
    h.pod('p', 'n1');
    h.drains('n1');
    h.later(after);
    force(h, 'p', graceSeconds);
    expect(h.broken).toEqual(broken);
  });

  it('by the termination timestamp of the claim, if that is sooner', () => {
    const h = open(grace);
    h.pod('p', 'n1');
    h.change('NodeClaim', 'n1', (claim) => ({
      ...claim,
      metadata: {
        ...claim.metadata,
        annotations: { 'karpenter.sh/nodeclaim-termination-timestamp': '2026-11-16T12:10:00Z' },
      },
    }));
    h.drains('n1');
    h.later(minutes(9.5));
    force(h, 'p', 30);
    expect(h.broken).toEqual([]);
  });

  it.each([
    { it: 'H3: two of one PDB at once', apart: 0, broken: ['H3'] },
    { it: 'H3: one after the other', apart: 2, broken: [] },
  ])('$it', ({ apart, broken }) => {
    const h = open(grace);
    h.pdb('web', 1);
    h.pod('p1', 'n1', { labels: { app: 'web' } });
    h.pod('p2', 'n1', { labels: { app: 'web' } });
    h.drains('n1');
    h.later(minutes(57.5));
    force(h, 'p1', 30);
    h.later(minutes(apart));
    h.later(asDuration(100));
    force(h, 'p2', 30);
    expect(h.broken.filter((rule) => rule === 'H3')).toEqual(broken);
  });

  it('H3: as early as the others of its PDB need, and no earlier', () => {
    const tell = (early: number): string[] => {
      const h = open(grace);
      h.pdb('web', 1);
      h.pod('p1', 'n1', { labels: { app: 'web' } });
      h.pod('p2', 'n1', { labels: { app: 'web' } });
      h.drains('n1');
      h.later(asDuration(hour - early * second));
      force(h, 'p1', 30);
      return h.broken;
    };
    expect(tell(150)).toEqual([]);
    expect(tell(151)).toEqual(['H2']);
  });
});
