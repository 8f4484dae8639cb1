import { describe, expect, it } from 'vitest';
import {
  at,
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
  startsOf,
  underway,
} from '../../../test/build.ts';

const made = { name: 'r-0', pool: 'web', state: 'made' };
const replacement = (more: Plain = {}): Plain => ({
  ...claim('r', { providerID: 'cloud:///r' }),
  metadata: { name: 'r-0', uid: 'uid-r', labels: { 'karpenter.sh/nodepool': 'web' }, ...more },
});
const released = (fields: Plain = {}): Plain =>
  underway('n1', { step: 'released', stepAt: noon, why: 'it was not to be', ...fields });
const carryOn = (objects: Objects, fields: Plain = {}, when = noon) =>
  decide([pool('web', { budgets: [{ nodes: '1' }] }), ...objects], {
    ledger: ledger({ commands: [released(fields)] }),
    at: when,
  });

describe('G4: a released command', () => {
  it('removes our taint, and no other', () => {
    const team = { key: 'team', value: 'a', effect: 'NoExecute' };
    const [alone] = carryOn([machine('n1', { spec: marked() })]).actions;
    expect(alone?.patch).toEqual([
      { op: 'test', path: '/spec/taints', value: marked().taints },
      { op: 'remove', path: '/spec/taints' },
    ]);
    const spec = marked('drifted-n1', team);
    expect(carryOn([machine('n1', { spec })]).actions).toEqual([
      {
        verb: 'patch',
        kind: 'Node',
        name: 'n1',
        command: 'drifted-n1',
        patch: [
          { op: 'test', path: '/spec/taints', value: spec.taints },
          { op: 'replace', path: '/spec/taints', value: [team] },
        ],
      },
    ]);
  });

  it('removes the deadline from its claim', () => {
    const annotations = { 'karpenter.sh/nodeclaim-termination-timestamp': '2026-03-10T13:00:00Z' };
    const path = '/metadata/annotations/karpenter.sh~1nodeclaim-termination-timestamp';
    expect(carryOn([machine('n1', { claim: { annotations } })]).actions).toEqual([
      {
        verb: 'patch',
        kind: 'NodeClaim',
        name: 'n1-claim',
        command: 'drifted-n1',
        patch: [
          { op: 'test', path, value: '2026-03-10T13:00:00Z' },
          { op: 'remove', path },
        ],
      },
    ]);
  });

  it('deletes its replacements', () => {
    const [action] = carryOn([machine(), replacement(), node('r')], { replacements: [made] }).actions;
    expect(action).toEqual({
      verb: 'delete',
      kind: 'NodeClaim',
      name: 'r-0',
      preconditions: { uid: 'uid-r' },
      command: 'drifted-n1',
    });
  });

  it.each([
    { it: 'everything is undone', objects: [machine()] },
    {
      it: 'a replacement is being deleted',
      objects: [machine(), replacement({ deletionTimestamp: noon }), node('r')],
    },
    { it: 'pods run on its replacement: it stays', objects: [machine(), replacement(), node('r'), pod('p1', 'r')] },
  ])('ends when nothing is left to undo: $it', ({ objects }) => {
    const round = carryOn(objects, { replacements: [made] });
    expect(requestsOf(round)).toEqual([]);
    expect(round.ended).toEqual([
      { id: 'drifted-n1', reason: 'Drifted', pool: 'web', nodes: ['n1'], how: 'released', why: 'it was not to be' },
    ]);
    expect(round.ledger.commands).toEqual([]);
  });

  it('deletes a replacement that runs only DaemonSet pods', () => {
    const objects = [machine(), replacement(), node('r'), pod('p1', 'r', { owner: 'DaemonSet/log' })];
    expect(requestsOf(carryOn(objects, { replacements: [made] }))).toEqual(['delete NodeClaim r-0']);
  });

  it('stays for a minute while the create of a replacement may still show', () => {
    const planned = [{ name: 'r-0', pool: 'web' }];
    const waiting = carryOn([machine()], { replacements: planned });
    expect(waiting.commands).toMatchObject([{ step: 'released' }]);
    expect(waiting.wakeAt).toBe(at('2026-03-10T12:01:00Z'));
    expect(requestsOf(carryOn([machine(), replacement()], { replacements: planned }))).toEqual([
      'delete NodeClaim r-0',
    ]);
    expect(carryOn([machine()], { replacements: planned }, '2026-03-10T12:01:00Z').ended).toHaveLength(1);
  });

  it('counts as consumed up to and including the round in which it ends', () => {
    const other = machine('n2', { drifted: longAgo });
    const undoing = carryOn([machine('n1', { spec: marked() }), other]);
    expect(startsOf(undoing)).toEqual([]);
    const over = carryOn([machine(), other]);
    expect(startsOf(over)).toEqual([]);
    const next = decide([pool('web', { budgets: [{ nodes: '1' }] }), machine(), other], { ledger: over.ledger });
    expect(startsOf(next)).toEqual(['n2 Drifted']);
  });
});
