import { describe, expect, it } from 'vitest';
import {
  at,
  decide,
  ledger,
  longAgo,
  machine,
  marked,
  noon,
  type Objects,
  type Plain,
  pdb,
  pod,
  pool,
  requestsOf,
  underway,
} from '../../../test/build.ts';

const optOut = { 'karpenter.sh/do-not-disrupt': 'true' };
const stamp = 'karpenter.sh/nodeclaim-termination-timestamp';
const leaving = (name = 'n1', annotations: Record<string, string> = { [stamp]: '2026-03-10T13:00:00Z' }) =>
  machine(name, {
    drifted: longAgo,
    spec: marked(`drifted-${name}`),
    claim: { annotations, spec: { terminationGracePeriod: '1h' } },
  });
/** Draining since noon: the deadline is at 13:00. */
const draining = (fields: Plain = {}, name = 'n1'): Plain =>
  underway(name, { step: 'draining', stepAt: noon, evictedAt: noon, ...fields });
const carryOn = (objects: Objects, when: string, ...commands: readonly Plain[]) =>
  decide([pool(), ...objects], {
    ledger: ledger({ commands: commands.length > 0 ? commands : [draining()] }),
    at: when,
  });

describe('H1: the deadline', () => {
  it.each([
    {
      it: 'a claim with annotations',
      annotations: { team: 'a' },
      path: '/metadata/annotations/karpenter.sh~1nodeclaim-termination-timestamp',
      value: '2026-03-10T13:00:00Z',
    },
    {
      it: 'a claim without any',
      annotations: {},
      path: '/metadata/annotations',
      value: { [stamp]: '2026-03-10T13:00:00Z' },
    },
  ])('is written as an annotation on the claim, unless there is one already: $it', ({ annotations, path, value }) => {
    const round = carryOn(
      [leaving('n1', annotations), pod('p1', 'n1', { annotations: optOut })],
      '2026-03-10T12:05:00Z',
    );
    expect(round.actions).toEqual([
      {
        verb: 'patch',
        kind: 'NodeClaim',
        name: 'n1-claim',
        command: 'drifted-n1',
        patch: [
          { op: 'test', path, value: null },
          { op: 'add', path, value },
        ],
      },
    ]);
    expect(round.commands[0]?.deadline).toBe(at('2026-03-10T13:00:00Z'));
  });

  it.each([
    { it: 'an earlier one counts', written: '2026-03-10T12:40:00Z', deadline: '2026-03-10T12:40:00Z' },
    { it: 'a later one does not', written: '2026-03-10T14:00:00Z', deadline: '2026-03-10T13:00:00Z' },
  ])('that is already on the claim: $it', ({ written, deadline }) => {
    const objects = [leaving('n1', { [stamp]: written }), pod('p1', 'n1', { annotations: optOut })];
    const round = carryOn(objects, '2026-03-10T12:05:00Z');
    expect(requestsOf(round)).toEqual([]);
    expect(round.commands[0]?.deadline).toBe(at(deadline));
  });

  it('G7: a drain that has a deadline is not released for lack of progress', () => {
    const long = draining({ drain: { left: 1, progressAt: longAgo } });
    const round = carryOn([leaving(), pod('p1', 'n1', { annotations: optOut })], '2026-03-10T12:59:00Z', long);
    expect(round.commands[0]).toMatchObject({ step: 'draining', waitingFor: [{ code: 'PodOptedOut' }] });
  });
});

describe('H2: until its forced deletion is due a pod keeps its protections; then it is deleted', () => {
  const closed = { 'karpenter.sh/disruption-schedule': '0 2 * * *' };
  const slow = { terminationGracePeriodSeconds: 600 };
  it.each([
    { it: 'an opt-out', pods: [pod('p1', 'n1', { annotations: optOut })], from: '12:59:30', grace: 30 },
    { it: 'a schedule', pods: [pod('p1', 'n1', { annotations: closed })], from: '12:59:30', grace: 30 },
    { it: 'a PDB', pods: [pod('p1', 'n1'), pdb('web', 0)], from: '12:59:30', grace: 30 },
    { it: 'two PDBs', pods: [pod('p1', 'n1'), pdb('one', 1), pdb('two', 1)], from: '12:59:30', grace: 30 },
    { it: 'a long grace', pods: [pod('p1', 'n1', { annotations: optOut, spec: slow })], from: '12:50:00', grace: 600 },
  ])('$it', ({ pods, from, grace }) => {
    const early = carryOn([leaving(), ...pods], '2026-03-10T12:10:00Z');
    expect(requestsOf(early)).toEqual([]);
    expect(early.wakeAt).toBe(at(`2026-03-10T${from}Z`));
    const round = carryOn([leaving(), ...pods], `2026-03-10T${from}Z`);
    expect(requestsOf(round)).toEqual([`delete shop/p1 in ${grace}s`]);
    expect(round.actions[0]?.preconditions).toEqual({ uid: 'uid-p1' });
  });

  it.each([
    { it: 'with the seconds that remain', when: '2026-03-10T12:59:50Z', grace: 10 },
    { it: 'with a second at least', when: '2026-03-10T13:05:00Z', grace: 1 },
  ])('late, $it', ({ when, grace }) => {
    const round = carryOn([leaving(), pod('p1', 'n1', { annotations: optOut })], when);
    expect(requestsOf(round)).toEqual([`delete shop/p1 in ${grace}s`]);
  });

  it('whatever its tier', () => {
    const daemon = pod('p2', 'n1', { owner: 'DaemonSet/log' });
    const round = carryOn([leaving(), pod('p1', 'n1', { annotations: optOut }), daemon], '2026-03-10T12:59:30Z');
    expect(requestsOf(round)).toEqual(['delete shop/p1 in 30s', 'delete shop/p2 in 30s']);
  });

  it('a terminating pod whose grace ends after the deadline has it cut, once', () => {
    const slowly = (deleted: string) => pod('p1', 'n1', { deleted, spec: slow });
    expect(requestsOf(carryOn([leaving(), slowly('2026-03-10T13:05:00Z')], '2026-03-10T12:55:00Z'))).toEqual([
      'delete shop/p1 in 300s',
    ]);
    expect(requestsOf(carryOn([leaving(), slowly('2026-03-10T13:00:00Z')], '2026-03-10T12:55:00Z'))).toEqual([]);
    expect(requestsOf(carryOn([leaving(), slowly('2026-03-10T13:10:01Z')], '2026-03-10T13:10:00Z'))).toEqual([]);
  });

  it('counts as the first eviction', () => {
    const round = carryOn(
      [leaving(), pod(), pdb('web', 0)],
      '2026-03-10T12:59:30Z',
      underway('n1', { step: 'draining', stepAt: noon }),
    );
    expect(round.ledger.commands).toMatchObject([{ evictedAt: at('2026-03-10T12:59:30Z') }]);
  });
});

describe('H3: pods of one PDB are forced one at a time', () => {
  const three = ['a', 'b', 'c'].map((name) => pod(name));

  it.each([
    { when: '12:55:29', left: three, asks: [] },
    { when: '12:55:30', left: three, asks: ['delete shop/a in 30s'] },
    { when: '12:57:30', left: three.slice(1), asks: ['delete shop/b in 30s'] },
    { when: '12:59:30', left: three.slice(2), asks: ['delete shop/c in 30s'] },
  ])('at $when', ({ when, left, asks }) => {
    const round = carryOn([leaving(), left, pdb('web', 0)], `2026-03-10T${when}Z`);
    expect(requestsOf(round)).toEqual(asks);
  });

  it.each([
    {
      it: 'the first is deleted first, though two are due',
      when: '12:58:00',
      left: three,
      asks: ['delete shop/a in 30s'],
    },
    {
      it: 'none while another is terminating',
      when: '12:58:00',
      left: [pod('a', 'n1', { deleted: '2026-03-10T12:58:20Z' }), ...three.slice(1)],
      asks: [],
    },
    {
      it: 'the next once one has been terminating for a minute longer than its grace period',
      when: '12:58:00',
      left: [pod('a', 'n1', { deleted: '2026-03-10T12:57:00Z' }), ...three.slice(1)],
      asks: ['delete shop/b in 30s'],
    },
    {
      it: 'those that are not Ready without waiting: they do not count for the PDB',
      when: '12:58:00',
      left: [pod('a'), pod('b', 'n1', { ready: 'False' }), pod('c')],
      asks: ['delete shop/a in 30s', 'delete shop/b in 30s'],
    },
    {
      it: 'all of them when no time is left',
      when: '12:59:30',
      left: three,
      asks: ['delete shop/a in 30s', 'delete shop/b in 30s', 'delete shop/c in 30s'],
    },
  ])('where some are late, $it', ({ when, left, asks }) => {
    const round = carryOn([leaving(), left, pdb('web', 0)], `2026-03-10T${when}Z`);
    expect(requestsOf(round)).toEqual(asks);
  });

  it.each([
    { ready: 'True', asks: [] },
    { ready: 'Unknown', asks: ['delete shop/b in 30s'] },
  ])('with another terminating on a node whose Ready is $ready', ({ ready, asks }) => {
    const other = machine('n2', {
      ready,
      readySince: '2026-03-10T12:57:00Z',
      drifted: longAgo,
      spec: marked('drifted-n2'),
      claim: { annotations: { [stamp]: '2026-03-10T13:00:00Z' }, spec: { terminationGracePeriod: '1h' } },
    });
    const ending = pod('a', 'n2', { deleted: '2026-03-10T12:58:20Z' });
    const objects = [leaving('n1'), pod('b', 'n1'), pod('c', 'n1'), other, ending, pdb('web', 0)];
    const round = carryOn(objects, '2026-03-10T12:58:00Z', draining(), draining({}, 'n2'));
    expect(requestsOf(round)).toEqual(asks);
  });

  it('sets wakeAt for the first of them', () => {
    expect(carryOn([leaving(), three, pdb('web', 0)], '2026-03-10T12:05:00Z').wakeAt).toBe(at('2026-03-10T12:55:30Z'));
  });

  it('over all nodes that are being drained', () => {
    const objects = [leaving('n1'), pod('a', 'n1'), leaving('n2'), pod('b', 'n2'), pdb('web', 0)];
    const commands = [draining(), draining({}, 'n2')];
    expect(requestsOf(carryOn(objects, '2026-03-10T12:57:30Z', ...commands))).toEqual(['delete shop/a in 30s']);
  });

  it('also for a command that starts its drain in this round', () => {
    const stamped = leaving('n1', { [stamp]: '2026-03-10T12:01:00Z' });
    const tainted = underway('n1', { step: 'tainted' });
    const round = carryOn([stamped, pod(), pdb('web', 0)], noon, tainted);
    expect(round.commands[0]).toMatchObject({ step: 'draining', deadline: at('2026-03-10T12:01:00Z') });
    expect(round.wakeAt).toBe(at('2026-03-10T12:00:30Z'));
  });
});

describe('A2: before the first eviction', () => {
  it('blocked pods do not undo an eventual reason that has a deadline', () => {
    const fresh = underway('n1', { step: 'draining', stepAt: noon });
    const objects = [leaving(), pod('p1', 'n1', { annotations: optOut }), pdb('web', 0)];
    expect(carryOn(objects, '2026-03-10T12:10:00Z', fresh).commands[0]).toMatchObject({ step: 'draining' });
  });
});
