import { describe, expect, it } from 'vitest';
import { at, codesOf, decide, machine, type Plain, pool, startsOf, verdictOf } from '../../../test/build.ts';

const key = 'lull.dev/roll-requested';
const eleven = '2026-03-10T11:00:00Z';
const later = '2026-03-10T13:00:00Z';
const asked = (value: string, more: Plain = {}): Plain => pool('web', { annotations: { [key]: value }, ...more });
const hash = 'karpenter.sh/nodepool-hash';
const before = 'lull.dev/nodepool-hash-before';

describe('Q1: a person asks for a roll', () => {
  it('every node of the pool that was created before the request is Drifted, with who asked and why', () => {
    const young = machine('n2', { created: eleven });
    const round = decide([asked(`${eleven} by ann: new kernel`), machine('n1'), young]);
    expect(round.verdicts.map(({ node, reason }) => `${node} ${reason}`)).not.toContain('n2 Drifted');
    expect(verdictOf(round, 'n1', 'Drifted').detail).toBe(
      'a roll was requested at 2026-03-10T11:00:00Z by ann: new kernel',
    );
    expect(startsOf(round)).toContain('n1 Drifted');
  });

  it('one node alone, by an annotation of its own', () => {
    const round = decide([pool(), machine('n1', { annotations: { [key]: eleven } }), machine('n2')]);
    expect(round.verdicts.filter(({ reason }) => reason === 'Drifted').map(({ node }) => node)).toEqual(['n1']);
    expect(verdictOf(round, 'n1', 'Drifted').detail).toBe('a roll was requested at 2026-03-10T11:00:00Z');
  });

  it('a node that inherits the annotation from its template is not replaced again and again', () => {
    const heir = machine('n1', { created: eleven, annotations: { [key]: '2026-03-10T10:00:00Z' } });
    expect(decide([pool(), heir]).verdicts.map(({ reason }) => reason)).not.toContain('Drifted');
  });

  it('under every rule: budgets, windows, opt-outs', () => {
    const held = machine('n1', { annotations: { 'lull.dev/hold': 'ask Ada' } });
    const round = decide([asked(eleven, { budgets: [{ nodes: '0' }] }), held]);
    expect(codesOf(round, 'n1', 'Drifted')).toEqual(['Held', 'BudgetSpent']);
  });

  it('a request in the future has no effect until then', () => {
    const objects = [asked(later), machine('n1')];
    const round = decide(objects);
    expect(round.verdicts.map(({ reason }) => reason)).not.toContain('Drifted');
    expect(round.wakeAt).toBe(at(later));
    expect(startsOf(decide(objects, { at: later }))).toContain('n1 Drifted');
  });

  it('of two requests the first counts', () => {
    const both = machine('n1', { annotations: { [key]: later } });
    expect(verdictOf(decide([asked(`${eleven} by bob`), both]), 'n1', 'Drifted').detail).toContain('by bob');
  });

  it('C8: an unreadable value on a pool is a fault, and on a node it asks for nothing', () => {
    const round = decide([asked('now'), machine('n1', { drifted: eleven })]);
    expect(codesOf(round, 'n1', 'Drifted')).toEqual(['PoolFault']);
    const other = decide([pool(), machine('n1', { annotations: { [key]: 'yes please' } })]);
    expect(other.verdicts.map(({ reason }) => reason)).not.toContain('Drifted');
    expect(other.faults).toMatchObject([{ object: 'Node/n1', severity: 'warning' }]);
  });
});

describe('Q1 and P7: driftAfter', () => {
  const waits = { annotations: { [key]: `${eleven} by ann`, 'lull.dev/drift-after': '72h' } };

  it('does not hold a node that has not drifted', () => {
    expect(startsOf(decide([pool('web', waits), machine('n1')]))).toContain('n1 Drifted');
  });

  it('holds a node that has drifted too: its replacement would get what driftAfter keeps back', () => {
    const round = decide([pool('web', waits), machine('n1', { drifted: eleven })]);
    expect(codesOf(round, 'n1', 'Drifted')).toEqual(['DriftTooRecent']);
    expect(verdictOf(round, 'n1', 'Drifted').detail).toContain('requested');
  });

  it('N6: does not take the nudge of its own offer for drift', () => {
    const web = (annotations: Plain): Plain => pool('web', { annotations: { ...annotations, [hash]: '123' } });
    const annotations = { [hash]: 'lull-drifted-1', [before]: '123' };
    const Drifted = { status: 'True', reason: 'NodePoolDrifted', lastTransitionTime: '2026-03-10T11:59:59Z' };
    const nudged = machine('n1', { claim: { annotations, conditions: { Drifted } } });
    const guide = { settings: { role: 'guide' } };
    expect(codesOf(decide([web(waits.annotations), nudged], guide), 'n1', 'Drifted')).not.toContain('DriftTooRecent');
    // Cancelled: nothing is left of it.
    expect(decide([web({}), nudged], guide).verdicts.map(({ reason }) => reason)).not.toContain('Drifted');
  });
});

describe('Q1 beside Karpenter', () => {
  it('N6: the claim is made to look drifted, and the node is offered', () => {
    const parked = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': eleven };
    const one = machine('n1', { annotations: parked, claim: { annotations: { [hash]: '123' } } });
    const { actions } = decide([asked(eleven), one], { settings: { role: 'guide' } });
    expect(actions.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`)).toEqual([
      'patch NodeClaim n1-claim',
      'patch Node n1',
    ]);
  });

  it('observe decides the same', () => {
    expect(
      verdictOf(decide([asked(eleven), machine('n1')], { settings: { role: 'observe' } }), 'n1', 'Drifted'),
    ).toBeDefined();
  });
});
