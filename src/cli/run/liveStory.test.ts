import { describe, expect, it } from 'vitest';
import {
  claim,
  command,
  decide,
  karpenterEvent,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  noon,
  type Objects,
  pool,
  storeOf,
} from '../../../test/build.ts';
import { emptyLedger, type Ledger } from '../../cluster/ledger.ts';
import type { Round } from '../../engine/verdict.ts';
import { RoundLog } from './liveStory.ts';

const quiet: Objects = [pool('web'), machine('n1'), machine('n2')];

interface Step {
  readonly objects?: Objects;
  readonly ledger?: Ledger;
  readonly ended?: Round['ended'];
}

/** The log entries of these rounds, one after another. */
function tell(steps: readonly Step[], isObserving = false): string[][] {
  const story = new RoundLog();
  return steps.map(({ objects = quiet, ledger: known = emptyLedger, ended }) => {
    const round = decide(objects, { at: noon, ledger: known, ...(isObserving && { settings: { role: 'observe' } }) });
    const facts = { cluster: storeOf(...objects), ledger: known };
    return (
      story
        .next({ ...round, ...(ended && { ended }) }, facts, { role: isObserving ? 'observe' : 'guide' })
        // Safety nets have tests of their own.
        .filter(({ kind }) => kind !== 'net')
        .map(({ kind, text }) => `${kind} ${text}`)
    );
  });
}

const offered = (fields = {}): Ledger =>
  ledger({ commands: [command('n1', { hands: 'karpenter', step: 'offered', ...fields })] });
const turn = (domain: string): Ledger =>
  ledger({
    turns: [
      {
        pool: 'web',
        topologyKey: 'zone',
        domain,
        takenAt: noon,
        progressAt: noon,
        inFlight: [],
        unreadyAtStart: [],
        replacements: [],
      },
    ],
  });

describe('one line per event', () => {
  it('first a summary, then nothing as long as nothing happens', () => {
    expect(tell([{}, {}, {}])).toEqual([
      ['ready 2 nodes, 1 governed pool; 2 wishes held, no command under way'],
      [],
      [],
    ]);
  });

  it('N3: a node that the cloud interrupts, with the event of Karpenter', () => {
    const at = '2026-03-10T11:59:50Z';
    const objects: Objects = [
      pool('web'),
      machine('n1', { claim: { deleted: '2026-03-10T11:59:52Z' } }),
      machine('n2'),
      karpenterEvent('n1', 'InstanceUnhealthy', 'An unhealthy warning was triggered for the instance', at),
      karpenterEvent('n1', 'TerminatingOnInterruption', 'Interruption triggered termination for the Node', at),
    ];
    const [, ...lines] = tell([{}, { objects }, { objects }]);
    expect(lines).toEqual([
      [
        'interrupted n1 of web: Karpenter removes it because of an interruption: InstanceUnhealthy: An unhealthy warning was triggered for the instance',
      ],
      [],
    ]);
  });

  it('the steps of a command, once they are in the ledger', () => {
    const withdrawn = offered({ step: 'withdrawn', why: 'Karpenter did not take it' });
    const [, ...lines] = tell([{}, { ledger: offered() }, { ledger: offered() }, { ledger: withdrawn }, {}]);
    expect(lines).toEqual([
      ['offered n1 of web (Drifted)'],
      [],
      ['withdrawn n1 of web (Drifted): Karpenter did not take it'],
      ['released n1 of web (Drifted): Karpenter did not take it; it no longer counts against the limits'],
    ]);
  });

  it('how a command ended, as the round before decided', () => {
    const ended = [
      { id: offered().commands[0]?.id ?? '', reason: 'Drifted', pool: 'web', nodes: ['n1'], how: 'gone' },
    ] as const;
    const [, , lines] = tell([{ ledger: offered() }, { ledger: offered(), ended }, {}]);
    expect(lines).toEqual([expect.stringMatching(/^gone n1 of web \(Drifted\) after /)]);
  });

  it('G2: a command that someone else removed from the ledger is not logged as gone while its node exists', () => {
    const hands = 'karpenter';
    const two = ledger({
      commands: [command('n1', { hands, step: 'offered' }), command('n2', { hands, step: 'taken' })],
    });
    const lost = /^ledger 2 commands under way are no longer in the DisruptionLedger, which someone else /;
    expect(tell([{ ledger: two }, {}])[1]).toEqual([expect.stringMatching(lost)]);
    const without: Objects = [pool('web'), machine('n2')];
    expect(tell([{ ledger: offered() }, { objects: without }])[1]).toEqual([
      expect.stringMatching(/^gone n1 of web \(Drifted\) after /),
    ]);
  });

  it('which domain has the turn', () => {
    expect(tell([{}, { ledger: turn('a') }, { ledger: turn('b') }, {}]).slice(1)).toEqual([
      ['turn a of pool web (zone)'],
      ['turn b of pool web (zone)'],
      ['turn pool web is done: no domain has the turn (zone)'],
    ]);
  });

  it('C11: a pool that was deleted, or whose turn was forgotten, is not logged as done', () => {
    expect(tell([{ ledger: turn('a') }, { objects: [machine('n1')] }])[1]).toContain(
      'turn pool web is deleted: no domain has the turn (zone)',
    );
    const budgets = [{ nodes: '1', topologyKey: 'zone', sequential: true }];
    const objects = [
      pool('web', { budgets }),
      machine('n1', { drifted: longAgo, labels: { zone: 'a' } }),
      machine('n2'),
    ];
    expect(tell([{ objects, ledger: turn('a') }, { objects }])[1]).toEqual([]);
  });

  it('N1: in observe, once, that nodes are still parked: otherwise the user could not know why Karpenter leaves them alone', () => {
    const kept = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': '2026-01-01T00:00:00Z' };
    const one: Objects = [pool('web'), machine('n1', { annotations: kept }), machine('n2')];
    const two: Objects = [pool('web'), machine('n1', { annotations: kept }), machine('n2', { annotations: kept })];
    expect(tell([{ objects: two }, { objects: one }, {}], true)).toEqual([
      [expect.stringMatching(/^ready /), expect.stringMatching(/^marks .*parked: 2.*run `lull release`/)],
      [],
      ['marks No node carries marks of an earlier role guide or drive any more.'],
    ]);
    expect(tell([{ objects: one }])).toEqual([[expect.stringMatching(/^ready /)]]);
  });

  it('windows, holds and faults when they begin and when they end', () => {
    const objects: Objects = [
      pool('web', { budgets: [{ nodes: 'many' }] }),
      machine('n1', { drifted: longAgo, annotations: { 'lull.dev/hold': 'ask Ada' } }),
      machine('n2'),
      maintenanceWindow('freeze', { mode: 'Block' }),
    ];
    const [, begun, , over] = tell([{}, { objects }, { objects }, {}]);
    expect(begun).toEqual([
      'hold n1: held by annotation lull.dev/hold: ask Ada',
      'open MaintenanceWindow freeze',
      expect.stringMatching(/^fault NodePool\/web spec.disruption.budgets\[0\].nodes: /),
    ]);
    expect(over).toEqual([
      'hold n1 is no longer held by hand',
      'closed MaintenanceWindow freeze',
      'mended NodePool/web spec.disruption.budgets[0].nodes',
    ]);
  });

  it('N1: nodes that may be disrupted, in observe only: in other roles they are', () => {
    const objects: Objects = [pool('web'), machine('n1', { drifted: longAgo }), machine('n2')];
    expect(tell([{}, { objects }, { objects }], true).slice(1)).toEqual([['may-go n1 of web (Drifted)'], []]);
    expect(tell([{}, { objects }, { objects }]).slice(1)).toEqual([[], []]);
  });

  it('from the beginning, for a process that leads again', () => {
    const story = new RoundLog();
    const next = () =>
      story.next(decide(quiet), { cluster: storeOf(...quiet), ledger: emptyLedger }, { role: 'drive' });
    next();
    story.restart();
    expect(next()).toMatchObject([{ kind: 'ready' }]);
  });
});

describe('events that need attention', () => {
  const late = (conditions = {}) => claim('late', { nodeName: null, conditions });
  const said =
    'pool web: NodeClaim late-claim is not ready 2m after its creation: Initialized is Unknown (NotYet: Node is not ready)';

  it('F7: a NodeClaim that is not ready in time, once, and when it is ready or gone', () => {
    const slow = [
      ...quiet,
      late({ Initialized: { status: 'Unknown', reason: 'NotYet', message: 'Node is not ready' } }),
    ];
    const steps = [{}, { objects: slow }, { objects: slow }, { objects: [...quiet, late()] }];
    expect(tell(steps).slice(1)).toEqual([
      [`slow ${said}`],
      [],
      ['recovered pool web: NodeClaim late-claim is ready or gone'],
    ]);
  });

  it('N7: a held node that Karpenter deleted at its expireAfter', () => {
    const spec = { expireAfter: '216h' };
    const freeze = maintenanceWindow('freeze', { actions: ['Expiration'] });
    const old = (parts = {}) => [pool('web'), machine('n1', { claim: { spec, ...parts } }), freeze];
    const steps = [{ objects: old() }, { objects: old({ deleted: noon }) }];
    expect(tell(steps)[1]).toEqual([
      'expired n1 of pool web reached its expireAfter at 2026-03-10T00:00:00Z and Karpenter deleted it, although Lull held it: MaintenanceWindow freeze blocks it now',
    ]);
  });
});

describe('C17: a pool without a safety net', () => {
  const bare = [pool('web', { budgets: [{ nodes: '100%' }] })];
  const held = [pool('web', { budgets: [{ nodes: '10%' }] })];
  const tellIn = (role: 'guide' | 'observe', ...steps: readonly Objects[]): string[] => {
    const story = new RoundLog();
    return steps.flatMap((objects) =>
      story
        .next(decide(objects, { settings: { role } }), { cluster: storeOf(...objects), ledger: emptyLedger }, { role })
        .filter(({ kind }) => kind === 'net')
        .map(({ text }) => text),
    );
  };

  it('is logged once, and when it has one', () => {
    const told = tellIn('guide', bare, bare, held);
    expect(told).toHaveLength(2);
    expect(told[0]).toContain('pool web has no safety net: while Lull is not running, Karpenter follows');
    expect(told[1]).toBe('pool web has a safety net now');
  });

  it('is not logged in observe, where Lull limits nothing either', () => {
    expect(tellIn('observe', bare)).toEqual([]);
  });
});
