import { describe, expect, it } from 'vitest';
import {
  at,
  claim,
  decide,
  longAgo,
  machine,
  marked,
  node,
  noon,
  type Plain,
  pod,
  pool,
  requestsOf,
  settings,
  startsOf,
  storeOf,
  zone,
} from '../../../test/build.ts';
import { emptyLedger } from '../../cluster/ledger.ts';
import { rebuildLedger } from './rebuild.ts';

const replacement = (name: string, command: string, parts: Parameters<typeof claim>[1] = {}): Plain => {
  const it = claim(name, { annotations: { 'lull.dev/command': command }, nodeName: null, ...parts });
  return { ...it, metadata: { ...(it.metadata as Plain), name } };
};
const drive = settings({ role: 'drive' });
const parked = { annotations: { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': longAgo } };
const markedAt = at('2026-03-10T11:59:00Z');

describe('G2: the ledger is lost', () => {
  it('nothing of ours is there: it is empty', () => {
    expect(rebuildLedger(storeOf(pool(), machine(), pod()), drive)).toBe(emptyLedger);
  });

  it('a tainted node is a command again, to be undone, with the replacements that were made for it', () => {
    const marks = machine('n1', { zone: 'a', spec: marked('drifted-abc') });
    const web = pool('web', { budgets: [{ nodes: '1', topologyKey: zone, sequential: true }] });
    const made = replacement('drifted-abc-0', 'drifted-abc');
    expect(rebuildLedger(storeOf(web, marks, made), drive).commands).toEqual([
      {
        id: 'drifted-abc',
        reason: 'Drifted',
        pool: 'web',
        hands: 'lull',
        nodes: [{ name: 'n1', claim: 'n1-claim', domain: 'a' }],
        replacements: [{ name: 'drifted-abc-0', pool: 'web', state: 'made' }],
        promisedTo: [],
        step: 'released',
        startedAt: markedAt,
        stepAt: markedAt,
        why: 'the ledger has no record of it',
      },
    ]);
  });

  it.each([
    { id: 'expired-1', reason: 'Expired' },
    { id: 'interrupted-1', reason: 'Interrupted' },
    { id: 'whatever', reason: 'Drifted' },
  ])('the reason of $id is read from its name', ({ id, reason }) => {
    expect(rebuildLedger(storeOf(pool(), machine('n1', { spec: marked(id) })), drive).commands).toMatchObject([
      { id, reason },
    ]);
  });

  it('one whose claim is being deleted is waited for', () => {
    const deleting = machine('n1', { spec: marked(), claim: { deleted: noon } });
    expect(rebuildLedger(storeOf(pool(), deleting), drive).commands).toMatchObject([{ step: 'terminating' }]);
  });

  it('several nodes with one mark are one command', () => {
    const two = ['n2', 'n1'].map((name) => machine(name, { spec: marked('empty-1') }));
    const [command, ...others] = rebuildLedger(storeOf(pool(), two), drive).commands;
    expect(others).toEqual([]);
    expect(command?.nodes.map(({ name }) => name)).toEqual(['n1', 'n2']);
  });

  it.each([
    { it: 'a replacement that has no node', objects: [replacement('r-0', 'drifted-x')], kept: ['r-0'] },
    {
      it: 'one whose node is empty',
      objects: [replacement('r-0', 'drifted-x', { nodeName: 'r' }), node('r')],
      kept: ['r-0'],
    },
    {
      it: 'not one on which pods run',
      objects: [replacement('r-0', 'drifted-x', { nodeName: 'r' }), node('r'), pod('p1', 'r')],
      kept: [],
    },
    { it: 'not one that leaves already', objects: [replacement('r-0', 'drifted-x', { deleted: noon })], kept: [] },
  ])('without a tainted node, $it is taken away', ({ objects, kept }) => {
    const { commands } = rebuildLedger(storeOf(pool(), ...objects), drive);
    expect(commands.flatMap(({ replacements }) => replacements.map(({ name }) => name))).toEqual(kept);
    expect(commands.every(({ step, nodes }) => step === 'released' && nodes.length === 0)).toBe(true);
  });

  it('and all of it comes to rest', () => {
    const objects = [pool(), machine('n1', { spec: marked() }), replacement('r-0', 'drifted-x')];
    const first = decide(objects, { ledger: rebuildLedger(storeOf(...objects), drive) });
    expect(requestsOf(first)).toEqual(['delete NodeClaim r-0', 'patch Node n1']);
    const then = decide([pool(), machine('n1')], { ledger: first.ledger });
    expect(then.ledger.commands).toEqual([]);
  });
});

describe('G2: a mark that no command of the ledger knows', () => {
  const stray = machine('n1', { drifted: longAgo, spec: marked('drifted-lost') });

  it('is taken up and removed; its node is not taken for another reason meanwhile', () => {
    const round = decide([pool(), stray, pod()]);
    expect(requestsOf(round)).toEqual(['patch Node n1']);
    expect(round.ledger.commands).toMatchObject([{ id: 'drifted-lost', step: 'released' }]);
    expect(startsOf(round)).toEqual([]);
  });

  it('counts as consumed', () => {
    const budgets = [{ nodes: '1' }];
    const round = decide([pool('web', { budgets }), stray, machine('n2', { drifted: longAgo })]);
    expect(startsOf(round)).toEqual([]);
  });

  it('is taken off in guide, too', () => {
    const round = decide([pool(), machine('n1', { spec: marked(), ...parked })], { settings: { role: 'guide' } });
    expect(requestsOf(round)).toEqual(['patch Node n1']);
    expect(round.ledger.commands).toMatchObject([{ hands: 'lull', step: 'released' }]);
  });

  it('is left alone in observe', () => {
    const round = decide([pool(), machine('n1', { spec: marked(), ...parked })], { settings: { role: 'observe' } });
    expect(round.actions).toEqual([]);
    expect(round.ledger).toBe(emptyLedger);
  });
});

describe('G2: the ledger is lost beside Karpenter', () => {
  const guide = settings({ role: 'guide', pools: { matchLabels: { team: 'a' } } });
  const web = pool('web', { labels: { team: 'a' } });

  it.each([
    { it: 'where no node is parked Lull is new here', objects: [machine('n1'), machine('n2')], found: [] },
    {
      it: 'but where a claim is nudged, all were offered',
      objects: [machine('n1', { claim: { annotations: { 'lull.dev/nodepool-hash-before': 'h1' } } })],
      found: ['n1'],
    },
    {
      it: 'or a pod is kept for its schedule',
      objects: [machine('n1'), pod('p1', 'n1', parked)],
      found: ['n1'],
    },
    {
      it: 'nor where admission parked a node that no Lull has seen yet',
      objects: [machine('n1', { ...parked, claim: parked }), machine('n2')],
      found: [],
    },
    { it: 'parked nodes are not under way', objects: [machine('n1', parked)], found: [] },
    { it: 'what is not parked was offered', objects: [machine('n1', parked), machine('n2')], found: ['n2'] },
    {
      it: 'but not where a user keeps it',
      objects: [machine('n1', parked), machine('n2', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })],
      found: [],
    },
    {
      it: 'nor in a pool that Lull does not govern',
      objects: [machine('n1', parked), pool('other'), machine('n2', { pool: 'other' })],
      found: [],
    },
  ])('$it', ({ objects, found }) => {
    const { commands } = rebuildLedger(storeOf(web, ...objects), guide);
    expect(commands.map(({ nodes }) => nodes[0]?.name)).toEqual(found);
    expect(commands.every(({ hands, step }) => hands === 'karpenter' && step === 'withdrawn')).toBe(true);
  });

  it('what Karpenter has taken is waited for, and counted as what it was taken for', () => {
    const leaving = machine('n2', {
      claim: { conditions: { DisruptionReason: { reason: 'Empty', lastTransitionTime: longAgo } } },
    });
    const known = rebuildLedger(storeOf(web, machine('n1', parked), leaving), guide);
    const round = decide([web, machine('n1', parked), leaving], { ledger: known, settings: { role: 'guide' } });
    expect(round.commands).toMatchObject([{ step: 'taken', reason: 'Empty' }]);
  });
});
