// Checks of guide mode: parking, offers and Karpenter.
import { describe, expect, it } from 'vitest';
import { type CommandForm, Handmade, minutes, noon, zone } from '../../../test/sim/handmade.ts';
import { asDuration, asInstant, second } from '../../time/instant.ts';
import type { KubeObject, Texts } from '../kubeObject.ts';

const keep = { 'karpenter.sh/do-not-disrupt': 'true' };
const parked = { ...keep, 'lull.dev/parked': '2026-11-16T11:00:00Z' };
const hash = 'karpenter.sh/nodepool-hash';
const before = 'lull.dev/nodepool-hash-before';

const offered = (more: Partial<CommandForm> = {}): CommandForm => ({
  node: 'n1',
  hands: 'karpenter',
  step: 'offered',
  ...more,
});

function beside(annotations: Texts = {}, budgets = [{ nodes: '100%' }]): Handmade {
  const h = new Handmade({ role: 'guide', drift: 'claims' });
  h.pool('web', budgets);
  h.node('n1', { annotations, spec: { terminationGracePeriod: '1h' } });
  return h;
}

const annotate = (h: Handmade, kind: string, name: string, annotations: Texts, by = 'lull-1'): void =>
  h.change(kind, name, (it) => ({ ...it, metadata: { ...it.metadata, annotations } }), by);

/** As Karpenter marks a claim that it begins with. */
const takes = (h: Handmade): void => h.change('NodeClaim', 'n1', (it) => withTrue(it, 'DisruptionReason'), 'karpenter');

const withTrue = (it: KubeObject, type: string): KubeObject => {
  const conditions = [...((it.status?.conditions ?? []) as unknown[]), { type, status: 'True', reason: 'Drifted' }];
  return { ...it, status: { ...it.status, conditions } };
};

describe('N2, N3: what Lull writes on nodes', () => {
  it.each([
    { it: 'parking', was: {}, is: parked, broken: [] },
    { it: 'half a parking', was: {}, is: { 'lull.dev/parked': 'x' }, broken: ['N2'] },
    { it: "parking over a user's own", was: keep, is: parked, broken: ['N2'] },
    { it: "taking a user's own off", was: keep, is: {}, broken: ['N2'] },
    { it: 'offering without a command', was: parked, is: {}, broken: ['N3'] },
    { it: 'offering half', was: parked, is: keep, broken: ['N2', 'N3'] },
    { it: 'anything else', was: {}, is: { note: 'hello' }, broken: ['K4'] },
  ])('$it', ({ was, is, broken }) => {
    const h = beside(was);
    annotate(h, 'Node', 'n1', is as Texts);
    expect(h.broken).toEqual(broken);
  });

  it('offering what a command offers', () => {
    const h = beside(parked);
    h.ledger([offered()]);
    annotate(h, 'Node', 'n1', {});
    expect(h.broken).toEqual([]);
  });
});

describe('N2: what Lull writes on claims', () => {
  const born = { ...keep, 'lull.dev/parked': 'at-birth' };

  it.each([
    { it: 'removing the marks it was created with', was: born, is: {}, labels: {}, broken: [] },
    { it: 'before its node has them', was: born, is: {}, labels: { 'karpenter.sh/registered': 'no' }, broken: ['N2'] },
    { it: 'parking it', was: {}, is: born, labels: {}, broken: ['N2'] },
    { it: "touching a user's own", was: keep, is: {}, labels: {}, broken: ['N2'] },
  ])('$it', ({ was, is, labels, broken }) => {
    const h = beside();
    annotate(h, 'NodeClaim', 'n1', was as Texts, 'user');
    const registered: Texts = { 'karpenter.sh/registered': 'true', ...labels };
    h.change(
      'Node',
      'n1',
      (it) => ({ ...it, metadata: { ...it.metadata, labels: { ...it.metadata.labels, ...registered } } }),
      'karpenter',
    );
    annotate(h, 'NodeClaim', 'n1', is as Texts);
    expect(h.broken).toEqual(broken);
  });
});

describe('G1, N3: the steps in Karpenter’s hands', () => {
  const steps = (...all: readonly CommandForm[][]): Handmade => {
    const h = beside(parked);
    for (const commands of all) h.ledger(commands);
    return h;
  };
  const longAgo = asInstant(noon - minutes(5));
  it.each([
    { it: 'taken, though Karpenter has not begun', all: [[offered()], [offered({ step: 'taken' })]], broken: ['G1'] },
    { it: 'withdrawn', all: [[offered()], [offered({ step: 'withdrawn' })]], broken: [] },
    { it: 'offered again', all: [[offered()], [offered({ step: 'withdrawn' })], [offered()]], broken: ['G1'] },
    { it: 'over while offered', all: [[offered()], []], broken: ['G1'] },
    { it: 'over too soon', all: [[offered()], [offered({ step: 'withdrawn', parkedAt: noon })], []], broken: ['N3'] },
    { it: 'over in time', all: [[offered()], [offered({ step: 'withdrawn', parkedAt: longAgo })], []], broken: [] },
    { it: 'begun by other hands', all: [[offered({ step: 'draining' })]], broken: ['G1'] },
  ])('$it', ({ all, broken }) => {
    expect(steps(...all).broken).toEqual(broken);
  });

  it('C11: two domains are never offered at once', () => {
    const h = new Handmade({ role: 'guide' });
    h.pool('web', [{ nodes: '1', topologyKey: zone, sequential: true } as never]);
    h.node('n1', { zone: 'a' });
    h.node('n2', { zone: 'b' });
    const turn = { pool: 'web', topologyKey: zone, domain: 'a', takenAt: '2026-11-16T12:00:00Z' };
    h.ledger([offered({ domain: 'a' })], { turns: [turn] });
    expect(h.broken).toEqual([]);
    h.ledger([offered({ domain: 'a' }), offered({ node: 'n2', domain: 'b' })], { turns: [turn] });
    expect(h.broken).toEqual(['C11']);
  });
});

describe('N3, D6: what Karpenter takes', () => {
  const freeze = (h: Handmade): KubeObject => h.put('MaintenanceWindow', 'freeze', { spec: {} });

  it('must have been offered', () => {
    const h = beside();
    h.later(minutes(5));
    takes(h);
    expect(h.broken).toEqual(['N3']);
  });

  it('but a node that has just come may not have been seen', () => {
    const h = beside();
    takes(h);
    expect(h.broken).toEqual([]);
  });

  it('must not be forbidden by then', () => {
    const h = beside();
    h.ledger([offered()]);
    freeze(h);
    h.later(minutes(5));
    takes(h);
    expect(h.broken).toEqual(['D6']);
  });

  it('nor frozen by a budget', () => {
    const h = beside();
    h.ledger([offered()]);
    h.change('NodePool', 'web', (it) => ({ ...it, spec: { ...it.spec, disruption: { budgets: [{ nodes: '0' }] } } }));
    h.later(minutes(5));
    takes(h);
    expect(h.broken).toEqual(['C5']);
  });

  it('an offer does not outlive what permits it', () => {
    const h = beside();
    h.ledger([offered()]);
    freeze(h);
    h.later(minutes(5));
    h.change('Node', 'n1', (it) => ({ ...it, status: { ...it.status, seen: 'again' } }), 'kubelet');
    expect(h.broken).toEqual(['D6']);
  });
});

describe('N5: pods whose schedule is closed', () => {
  const closed = { 'karpenter.sh/disruption-schedule': '0 3 * * *' };
  const drained = (annotations: Texts): Handmade => {
    const h = beside();
    h.pod('p1', 'n1', { annotations });
    h.ledger([offered()]);
    takes(h);
    h.ledger([offered({ step: 'taken', startedAt: noon })]);
    h.later(minutes(5));
    return h;
  };

  it('are not evicted by Karpenter', () => {
    const h = drained(closed);
    h.objects.evict('shop/p1', 'karpenter-terminator');
    expect(h.broken).toEqual(['N5']);
  });

  it('others are', () => {
    const h = drained({ 'karpenter.sh/disruption-schedule': '0 12 * * *' });
    h.objects.evict('shop/p1', 'karpenter-terminator');
    expect(h.broken).toEqual([]);
  });

  it('are parked only if their node is drained', () => {
    const h = beside();
    h.pod('p1', 'n1', { annotations: closed });
    annotate(h, 'Pod', 'shop/p1', { ...closed, ...parked });
    expect(h.broken).toEqual(['N5']);
    const going = drained(closed);
    annotate(going, 'Pod', 'shop/p1', { ...closed, ...parked });
    expect(going.broken).toEqual([]);
  });

  it('are free again when it opens', () => {
    const h = drained({ ...closed, ...parked, 'karpenter.sh/disruption-schedule': '0 12 * * *' });
    h.change('Node', 'n1', (it) => ({
      ...it,
      metadata: { ...it.metadata, finalizers: ['x'], deletionTimestamp: '2026-11-16T12:00:00Z' },
    }));
    h.later(asDuration(10 * second));
    h.change('Node', 'n1', (it) => ({ ...it, status: { ...it.status, seen: 'again' } }), 'kubelet');
    expect(h.broken).toEqual(['N5']);
  });
});

describe('N6: the hash of a claim', () => {
  const nudged = { [hash]: 'lull-x', [before]: 'h1' };
  it.each([
    { it: 'is changed if the node is offered for expiry', reason: 'Expired', is: nudged, broken: [] },
    { it: 'or if a person asked for it (Q1)', reason: 'Drifted', is: nudged, broken: [] },
    { it: 'not if it is drifted anyway', reason: 'Drifted', drifted: true, is: nudged, broken: ['N6'] },
    { it: 'and the original hash is kept', reason: 'Expired', is: { [hash]: 'lull-x' }, broken: ['N6'] },
  ])('$it', ({ reason, drifted = false, is, broken }) => {
    const h = beside();
    if (drifted) h.change('NodeClaim', 'n1', (it) => withTrue(it, 'Drifted'), 'karpenter');
    annotate(h, 'NodeClaim', 'n1', { [hash]: 'h1' }, 'karpenter');
    h.ledger([offered({ reason })]);
    annotate(h, 'NodeClaim', 'n1', is as Texts);
    expect(h.broken).toEqual(broken);
  });

  it('is the original one when nothing is under way', () => {
    const h = beside(parked);
    annotate(h, 'NodeClaim', 'n1', nudged, 'karpenter');
    h.checks.expectRest();
    expect(h.broken).toEqual(['N6']);
  });
});

it('N3: what stays is parked in the end', () => {
  const h = beside();
  h.checks.expectRest();
  expect(h.broken).toEqual(['N3']);
});
