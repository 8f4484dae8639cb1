import { describe, expect, it } from 'vitest';
import {
  codesOf,
  command,
  decide,
  ledger,
  longAgo,
  machine,
  type Plain,
  pod,
  pool,
  refusalOf,
  startsOf,
  zone,
} from '../../../test/build.ts';
import { emptyLedger, maxCommands } from '../../cluster/ledger.ts';

const drifted = machine('n1', { drifted: longAgo });
/** Its pod must not be moved, so its drain makes no progress. */
const draining = [
  machine('n2', { drifted: longAgo }),
  pod('p2', 'n2', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
];
const underway = (name: string): Plain => ({
  ...command(name),
  nodes: [{ name, claim: `${name}-claim` }],
  evictedAt: '2026-03-10T11:30:00Z',
  drain: { left: 1, progressAt: '2026-03-10T11:30:00Z' },
});
const backoff = { pool: 'api', until: '2026-03-10T12:10:00Z', delay: '2m' };

describe('G2: the next ledger', () => {
  it('has the commands under way and those started in this round', () => {
    const known = ledger({ commands: [underway('n2')], backoffs: [backoff] });
    const round = decide([pool(), pool('api'), drifted, draining], { ledger: known });
    expect(round.ledger.commands).toEqual([...known.commands, ...round.commands.slice(1)]);
    expect(round.ledger.commands.map(({ nodes }) => nodes[0]?.name)).toEqual(['n2', 'n1']);
    expect(round.ledger.backoffs).toEqual(known.backoffs);
    expect(round.ledger.version).toBe(1);
  });

  it.each([
    { it: 'nothing to do', objects: [pool(), machine('n1')], known: emptyLedger },
    { it: 'a refused wish', objects: [pool('web', { budgets: [{ nodes: '0' }] }), drifted], known: emptyLedger },
    { it: 'a command under way', objects: [pool(), draining], known: ledger({ commands: [underway('n2')] }) },
    { it: 'a back-off that is not over', objects: [pool('api')], known: ledger({ backoffs: [backoff] }) },
  ])('is the same object where nothing changes: $it', ({ objects, known }) => {
    expect(decide(objects, { ledger: known }).ledger).toBe(known);
  });

  it('drops back-offs that are over', () => {
    const known = ledger({ backoffs: [backoff, { ...backoff, pool: 'web', until: '2026-03-10T11:40:00Z' }] });
    expect(decide([pool()], { ledger: known }).ledger.backoffs.map((it) => it.pool)).toEqual(['api']);
  });

  it('drops the turns of pools that are gone', () => {
    const turn = (owner: string): Plain => ({
      pool: owner,
      topologyKey: zone,
      domain: 'a',
      takenAt: longAgo,
      progressAt: longAgo,
    });
    const budgets = [{ nodes: '1', topologyKey: zone, sequential: true, schedule: '0 1 * * *', duration: '1h' }];
    const round = decide([pool('web', { budgets })], { ledger: ledger({ turns: [turn('gone'), turn('web')] }) });
    expect(round.ledger.turns.map((it) => it.pool)).toEqual(['web']);
  });

  it('is the same in observe as in drive', () => {
    const [one, two] = ['observe', 'drive'].map((role) => decide([pool(), drifted], { settings: { role } }).ledger);
    expect(one).toEqual(two);
  });
});

describe('G2: a thousand commands', () => {
  const many = (count: number) =>
    ledger({ commands: Array.from({ length: count }, (_, index) => command(`gone-${index}`, { hands: 'karpenter' })) });
  const both = [pool(), drifted, machine('n2', { drifted: longAgo })];

  it('fit, and no further command starts', () => {
    const round = decide(both, { ledger: many(maxCommands - 1) });
    expect(startsOf(round)).toEqual(['n1 Drifted']);
    expect(codesOf(round, 'n2', 'Drifted')).toEqual(['BudgetSpent']);
    expect(round.ledger.commands).toHaveLength(maxCommands);
    expect(startsOf(decide(both, { ledger: many(maxCommands) }))).toEqual([]);
  });

  it('the refusal names the ledger, and has no liftsAt', () => {
    const refusal = refusalOf(decide(both, { ledger: many(maxCommands) }), 'n1', 'Drifted', 'BudgetSpent');
    expect(refusal.owner).toMatchObject({ kind: 'DisruptionLedger' });
    expect(refusal).not.toHaveProperty('liftsAt');
  });
});

describe('G3: two controllers that both believe they lead', () => {
  it('decide the same commands from the same facts, so that the second to write loses nothing', () => {
    const objects = [pool('web', { budgets: [{ nodes: '1' }] }), drifted, machine('n2', { drifted: longAgo })];
    expect(decide(objects).ledger).toEqual(decide([...objects].reverse()).ledger);
  });

  it('start nothing beyond a limit once one has read the ledger of the other', () => {
    const objects = [pool('web', { budgets: [{ nodes: '1' }] }), drifted, machine('n2', { drifted: longAgo })];
    const first = decide(objects);
    const second = decide(objects, { ledger: first.ledger, at: '2026-03-10T12:00:01Z' });
    expect(startsOf(second)).toEqual([]);
    expect(second.ledger).toBe(first.ledger);
  });

  it('start nothing where deletions by others already exceed a limit', () => {
    const deleted = ['d1', 'd2', 'd3'].map((name) => machine(name, { deleted: longAgo }));
    const round = decide([pool('web', { budgets: [{ nodes: '1' }] }), drifted, deleted]);
    expect(codesOf(round, 'n1', 'Drifted')).toEqual(['BudgetSpent']);
  });
});
