import { describe, expect, it } from 'vitest';
import {
  claim,
  decide,
  ledger,
  longAgo,
  machine,
  marked,
  node,
  noon,
  type Objects,
  type Plain,
  pod,
  pool,
  requestsOf,
  underway,
} from '../../../test/build.ts';

const evicted = { evictedAt: '2026-03-10T11:59:00Z' };
const leaving = (more: Plain = {}) => machine('n1', { drifted: longAgo, spec: marked(), ...more });
const carryOn = (objects: Objects, fields: Plain = {}) =>
  decide([pool(), ...objects], { ledger: ledger({ commands: [underway('n1', { step: 'terminating', ...fields })] }) });

describe('G1: terminating', () => {
  it('asks for the deletion of the claim that was seen, and no other', () => {
    expect(carryOn([leaving()], evicted).actions).toEqual([
      {
        verb: 'delete',
        kind: 'NodeClaim',
        name: 'n1-claim',
        preconditions: { uid: 'uid-n1-claim' },
        command: 'drifted-n1',
      },
    ]);
  });

  it('deletes the node where there is no claim', () => {
    const old = node('n1', { labels: { 'karpenter.sh/provisioner-name': 'web' }, spec: marked() });
    const round = carryOn([old], { ...evicted, nodes: [{ name: 'n1' }] });
    expect(requestsOf(round)).toEqual(['delete Node n1']);
    expect(round.actions[0]?.preconditions).toEqual({ uid: 'uid-n1' });
  });

  it.each([
    { it: 'the claim is being deleted', objects: leaving({ claim: { deleted: noon } }) },
    { it: 'the node is being deleted', objects: leaving({ deleted: noon }) },
    { it: 'the node is gone, its claim not yet', objects: [claim('n1', { deleted: noon })] },
  ])('asks for nothing and waits while $it', ({ objects }) => {
    const round = carryOn(objects, evicted);
    expect(requestsOf(round)).toEqual([]);
    expect(round.commands).toMatchObject([{ step: 'terminating' }]);
  });

  it('is over when neither node nor claim is there', () => {
    const round = carryOn([], evicted);
    expect(round.ended).toEqual([{ id: 'drifted-n1', reason: 'Drifted', pool: 'web', nodes: ['n1'], how: 'gone' }]);
    expect(round.ledger.commands).toEqual([]);
    expect(round.commands).toEqual([]);
  });

  it('a node that took over the name is another node', () => {
    const other = [node('n1'), { ...claim('n1'), metadata: { name: 'other', uid: 'other' } }];
    expect(carryOn(other, evicted).ended).toMatchObject([{ how: 'gone' }]);
  });
});

describe('G5: before the claim is deleted', () => {
  it.each([
    { it: 'a person holds it', objects: [leaving({ annotations: { 'lull.dev/hold': 'mine' } })] },
    { it: 'it opted out', objects: [leaving({ annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })] },
  ])('$it: released if nothing was evicted, else it goes on', ({ objects }) => {
    expect(carryOn(objects).ledger.commands).toMatchObject([{ step: 'released' }]);
    expect(requestsOf(carryOn(objects))).toEqual(['patch Node n1']);
    expect(requestsOf(carryOn(objects, evicted))).toEqual(['delete NodeClaim n1-claim']);
  });

  it('Empty that filled up is released', () => {
    const fields = { reason: 'Empty' };
    const round = decide([pool('web', { consolidateAfter: '0s' }), machine('n1', { spec: marked() }), pod()], {
      ledger: ledger({ commands: [underway('n1', { step: 'terminating', ...fields })] }),
    });
    expect(round.ledger.commands).toMatchObject([{ step: 'released', why: 'n1 is no longer Empty' }]);
  });

  it('a pod that came through late is drained too', () => {
    const round = carryOn([leaving(), pod()], evicted);
    expect(round.ledger.commands).toMatchObject([{ step: 'draining' }]);
    expect(requestsOf(round)).toEqual(['evict shop/p1']);
  });
});

describe('What others do meanwhile', () => {
  const replacements = [{ name: 'r-0', pool: 'web' }];
  const deleted = leaving({ claim: { deleted: noon } });
  it.each([
    { step: 'chosen', fields: { reason: 'Empty' } },
    { step: 'tainted', fields: {} },
    { step: 'replacing', fields: { replacements } },
    { step: 'draining', fields: {} },
    { step: 'released', fields: {} },
  ])('a claim that is deleted in step $step is waited for', ({ step, fields }) => {
    const round = carryOn([deleted, pod()], { step, ...fields });
    expect(requestsOf(round)).toEqual([]);
    expect(round.ledger.commands).toMatchObject([{ step: 'terminating', replacements: [] }]);
  });

  it.each([
    { step: 'chosen', how: 'gone' },
    { step: 'tainted', how: 'gone' },
    { step: 'draining', how: 'gone' },
    { step: 'terminating', how: 'gone' },
    { step: 'released', how: 'released' },
  ])('a node that is gone with its claim in step $step ends the command: $how', ({ step, how }) => {
    expect(carryOn([], { step }).ended).toMatchObject([{ id: 'drifted-n1', how }]);
  });

  const came = { ...claim('r', { providerID: 'cloud:///r' }), metadata: { name: 'r-0', uid: 'r' } };
  const made = [{ name: 'r-0', pool: 'web', state: 'made' }];
  it('before the drain its replacements go again', () => {
    const round = carryOn([came, node('r')], { step: 'replacing', replacements: made });
    expect(requestsOf(round)).toEqual(['delete NodeClaim r-0']);
    expect(round.ledger.commands).toMatchObject([{ step: 'released', why: 'its node is gone' }]);
  });

  it('from the drain on they stay: pods may need them', () => {
    const round = carryOn([came, node('r')], { step: 'draining', replacements: made });
    expect(requestsOf(round)).toEqual([]);
    expect(round.ended).toMatchObject([{ how: 'gone' }]);
  });

  it('N6: but one that is not launched yet is watched until it is, or has failed', () => {
    const unlaunched = (created: string) => ({
      ...claim('r', { conditions: { Launched: { status: 'Unknown' } }, nodeName: null }),
      metadata: { name: 'r-0', uid: 'r', creationTimestamp: created },
    });
    const waits = carryOn([unlaunched('2026-03-10T11:59:30Z')], { step: 'draining', replacements: made });
    expect(waits.commands).toMatchObject([{ step: 'draining' }]);
    const failed = carryOn([unlaunched('2026-03-10T11:58:30Z')], { step: 'draining', replacements: made });
    expect(requestsOf(failed)).toEqual(['delete NodeClaim r-0']);
    expect(failed.ledger.backoffs).toMatchObject([{ pool: 'web' }]);
    const over = decide([pool()], { ledger: failed.ledger });
    expect(over.ended).toMatchObject([{ how: 'gone' }]);
  });
});
