import { describe, expect, it } from 'vitest';
import {
  codesOf,
  command,
  decide,
  ledger,
  longAgo,
  machine,
  type Objects,
  pod,
  pool,
  startsOf,
  verdictOf,
} from '../../../test/build.ts';

const rebalance = { annotations: { 'lull.dev/rebalance': '' } };
const drifted = (name: string, parts = {}) => machine(name, { drifted: longAgo, ...parts });
const table = (objects: Objects, known = ledger({})): string[] =>
  decide(objects, { ledger: known }).verdicts.map(
    ({ pool: owner, node, reason, outcome }) => `${owner} ${node} ${reason} ${outcome}`,
  );

describe('L2: outcomes', () => {
  it('are go exactly where a command of this round disrupts the node for that reason', () => {
    const round = decide([pool('web', { budgets: [{ nodes: '1' }] }), drifted('n1', rebalance), drifted('n2')]);
    const go = round.verdicts.filter(({ outcome }) => outcome === 'go').map(({ node, reason }) => `${node} ${reason}`);
    expect(go).toEqual(startsOf(round));
    expect(verdictOf(round, 'n1', 'Drifted')).toMatchObject({ outcome: 'go', refusals: [] });
  });

  it('the other wishes of a node that starts are held with AlreadyUnderway', () => {
    const round = decide([pool(), drifted('n1', rebalance), pod()]);
    expect(verdictOf(round, 'n1', 'Rebalance')).toMatchObject({
      outcome: 'held',
      refusals: [{ code: 'AlreadyUnderway', message: 'the node is disrupted for Drifted in this round' }],
    });
  });

  it('wishes that were refused on their own have AlreadyUnderway first, then their refusals', () => {
    const round = decide([
      pool('web', { budgets: [{ nodes: '0', reasons: ['Drifted'] }] }),
      drifted('n1', rebalance),
      pod(),
    ]);
    expect(startsOf(round)).toEqual(['n1 Rebalance']);
    expect(codesOf(round, 'n1', 'Drifted')).toEqual(['AlreadyUnderway', 'BudgetSpent']);
    const opted = decide([
      pool(),
      drifted('n1', rebalance),
      pod('p', 'n1', {
        annotations: { 'karpenter.sh/do-not-disrupt': 'true', 'karpenter.sh/do-not-disrupt-reasons': 'Drifted' },
      }),
    ]);
    expect(codesOf(opted, 'n1', 'Drifted')).toEqual(['AlreadyUnderway', 'PodOptedOut']);
  });

  it.each([
    { it: 'deleting nodes', objects: [drifted('n1', { deleted: longAgo })], known: ledger({}) },
    {
      it: 'nodes whose claim is deleting',
      objects: [machine('n1', { claim: { deleted: longAgo, conditions: { Drifted: longAgo } } })],
      known: ledger({}),
    },
    { it: 'nodes of commands under way', objects: [drifted('n1')], known: ledger({ commands: [command('n1')] }) },
    {
      it: "nodes of Karpenter's commands",
      objects: [machine('n1', { claim: { conditions: { Drifted: longAgo, DisruptionReason: { reason: 'Empty' } } } })],
      known: ledger({}),
    },
  ])('underway: $it', ({ objects, known }) => {
    const round = decide([pool(), objects, pod()], { ledger: known });
    expect(verdictOf(round, 'n1', 'Drifted')).toMatchObject({ outcome: 'underway', refusals: [] });
    expect(startsOf(round)).toEqual([]);
  });

  it('every wish of a node under way is underway', () => {
    expect(table([pool(), drifted('n1', rebalance), pod()], ledger({ commands: [command('n1')] }))).toEqual([
      'web n1 Drifted underway',
      'web n1 Rebalance underway',
    ]);
  });
});

describe('L2: verdicts', () => {
  it('are sorted by pool, node, and reason in the order of F1', () => {
    const objects = [
      pool('b', { budgets: [{ nodes: '0' }] }),
      pool('a', { budgets: [{ nodes: '0' }] }),
      machine('n2', { pool: 'b', drifted: longAgo, ...rebalance, claim: { spec: { expireAfter: '1h' } } }),
      machine('n9', { pool: 'a', drifted: longAgo }),
      pod('p', 'n9'),
      machine('n1', { pool: 'b', drifted: longAgo }),
      pod('q', 'n1'),
    ];
    expect(table(objects)).toEqual([
      'a n9 Drifted held',
      'b n1 Drifted held',
      'b n2 Empty held',
      'b n2 Drifted held',
      'b n2 Expired held',
      'b n2 Rebalance held',
    ]);
  });

  it('have the name of the claim', () => {
    expect(verdictOf(decide([pool(), drifted('n1')]), 'n1', 'Drifted').claim).toBe('n1-claim');
  });

  it('one for each wish, none for a node without any', () => {
    expect(table([pool(), machine('n1'), pod()])).toEqual([]);
  });

  it('commands are those under way and those started now; a deletion without a command is not one', () => {
    const known = ledger({ commands: [command('n2')] });
    const round = decide([pool(), drifted('n1'), drifted('n2'), drifted('n3', { deleted: longAgo })], {
      ledger: known,
    });
    expect(round.commands.map(({ nodes }) => nodes[0]?.name)).toEqual(['n2', 'n1']);
  });

  it('each node has a command of its own', () => {
    const round = decide([pool(), ['n1', 'n2', 'n3'].map((name) => drifted(name, rebalance))]);
    expect(round.commands.map(({ nodes }) => nodes.map(({ name }) => name))).toEqual([['n1'], ['n2'], ['n3']]);
  });
});

describe('J1: everything that holds a node', () => {
  it('is listed, gates first, then limits', () => {
    const objects = [
      pool('web', { budgets: [{ nodes: '0' }] }),
      drifted('n1', {
        annotations: { 'lull.dev/hold': 'mine', 'karpenter.sh/do-not-disrupt': 'true' },
        ready: 'False',
        readySince: '2026-03-10T11:59:00Z',
      }),
      pod('p1', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
      pod('p2', 'n1', { annotations: { 'karpenter.sh/disruption-schedule': '0 2 * * *' } }),
    ];
    expect(codesOf(decide(objects), 'n1', 'Drifted')).toEqual([
      'NotReady',
      'NodeOptedOut',
      'Held',
      'PodOptedOut',
      'PodScheduleClosed',
      'BudgetSpent',
    ]);
  });

  it('each pod is named', () => {
    const pods = ['a', 'b', 'c'].map((name) =>
      pod(name, 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
    );
    const { refusals } = verdictOf(decide([pool(), drifted('n1'), pods]), 'n1', 'Drifted');
    expect(refusals.map(({ owner }) => owner?.name)).toEqual(['a', 'b', 'c']);
  });

  it('a node refused by a gate is checked against the limits at the start of the round', () => {
    const round = decide([
      pool('web', { budgets: [{ nodes: '1' }] }),
      drifted('n1'),
      drifted('n2', { annotations: { 'lull.dev/hold': 'mine' } }),
    ]);
    expect(codesOf(round, 'n2', 'Drifted')).toEqual(['Held']);
  });

  it('placement is checked last, only for wishes that nothing else refuses', () => {
    const round = decide([
      pool('web', { budgets: [{ nodes: '0' }], spec: { limits: { cpu: '0' } } }),
      drifted('n1'),
      pod('p', 'n1', { cpu: '3' }),
    ]);
    expect(codesOf(round, 'n1', 'Drifted')).toEqual(['BudgetSpent']);
  });
});
