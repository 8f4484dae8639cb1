import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
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
  refusalOf,
  Story,
  startsOf,
  underway,
  zone,
} from '../../../test/build.ts';

const web = pool('web', { budgets: [{ nodes: '1', topologyKey: zone, sequential: true }], repairAfter: 'Never' });
const turn = (more: Plain = {}): Plain => ({
  pool: 'web',
  topologyKey: zone,
  domain: 'a',
  takenAt: '2026-03-10T11:59:00Z',
  progressAt: '2026-03-10T11:59:00Z',
  inFlight: ['a1'],
  ...more,
});
const draining = (fields: Plain = {}): Plain =>
  underway('a1', { step: 'draining', nodes: [{ name: 'a1', claim: 'a1-claim', domain: 'a' }], ...fields });
const leaving = machine('a1', { zone: 'a', drifted: longAgo, spec: marked('drifted-a1') });
const rest = [machine('b1', { zone: 'b', drifted: longAgo })];
const deployed = (name: string, on: string, parts: Plain = {}) =>
  pod(name, on, { owner: 'ReplicaSet/web-7d9', labels: { app: 'web', 'pod-template-hash': '7d9' }, ...parts });
const expectedOf = (objects: Objects, known: Plain = {}, fields: Plain = {}) =>
  decide([web, leaving, rest, ...objects], { ledger: ledger({ commands: [draining(fields)], turns: [turn(known)] }) })
    .ledger.turns[0]?.expected;

describe('C13: the round of the first eviction records how many pods of each workload were running', () => {
  it('also for a command without a domain, because it is older than the budget', () => {
    const unnamed = { nodes: [{ name: 'a1', claim: 'a1-claim' }] };
    expect(expectedOf([deployed('p1', 'a1')], {}, unnamed)).toMatchObject([
      { owner: 'shop/Deployment/web', running: 1 },
    ]);
  });

  it('also while the schedule of the budget that gave the turn is not active', () => {
    const resting = { nodes: '1', topologyKey: zone, sequential: true, schedule: '0 1 * * *', duration: '1h' };
    const objects = [pool('web', { budgets: [resting], repairAfter: 'Never' }), leaving, rest, deployed('p1', 'a1')];
    const known = ledger({ commands: [draining()], turns: [turn()] });
    expect(decide(objects, { ledger: known }).ledger.turns[0]?.expected).toMatchObject([
      { owner: 'shop/Deployment/web', running: 1 },
    ]);
  });

  it.each([
    {
      it: 'a Deployment by its own name, wherever its pods are',
      objects: [deployed('p1', 'a1'), deployed('p2', 'b1'), deployed('p3', 'b1')],
      expected: [{ owner: 'shop/Deployment/web', name: 'Deployment shop/web', running: 3 }],
    },
    {
      it: 'a ReplicaSet without a Deployment, a StatefulSet',
      objects: [pod('p1', 'a1'), pod('p2', 'a1', { owner: 'StatefulSet/db' })],
      expected: [
        { owner: 'shop/ReplicaSet/web', name: 'ReplicaSet shop/web', running: 1 },
        { owner: 'shop/StatefulSet/db', name: 'StatefulSet shop/db', running: 1 },
      ],
    },
    {
      it: 'with their PDB, which shows if they are scaled down',
      objects: [deployed('p1', 'a1'), pdb('guard', 1)],
      expected: [{ owner: 'shop/Deployment/web', name: 'Deployment shop/web', running: 1, pdb: 'shop/guard' }],
    },
    {
      it: 'only pods that are running and ready',
      objects: [
        deployed('p1', 'a1'),
        deployed('p2', 'b1', { ready: 'False' }),
        deployed('p3', 'b1', { phase: 'Pending' }),
      ],
      expected: [{ owner: 'shop/Deployment/web', name: 'Deployment shop/web', running: 1 }],
    },
    {
      it: 'no Jobs, no DaemonSets',
      objects: [pod('p1', 'a1', { owner: 'Job/once' }), pod('p2', 'a1', { owner: 'DaemonSet/log' })],
      expected: [],
    },
  ])('$it', ({ objects, expected }) => {
    expect(expectedOf(objects)).toEqual(expected);
  });

  it('workloads that are already recorded keep their count', () => {
    const known = [{ owner: 'shop/Deployment/web', name: 'Deployment shop/web', running: 9 }];
    expect(expectedOf([deployed('p1', 'a1')], { expected: known })).toEqual(known);
  });

  it.each([
    { it: 'for another reason', where: 'a', fields: { reason: 'Expired' } },
    { it: 'in another domain', where: 'z', fields: { nodes: [{ name: 'a1', claim: 'a1-claim', domain: 'z' }] } },
    { it: 'when the command has evicted before', where: 'a', fields: { evictedAt: noon } },
  ])('nothing $it', ({ where, fields }) => {
    const claim = { spec: { expireAfter: '1h' } };
    const old = machine('a1', { zone: where, drifted: longAgo, spec: marked('drifted-a1'), claim });
    // Another drifted node in zone a keeps the turn there.
    const left = machine('a2', { zone: 'a', drifted: longAgo, annotations: { 'lull.dev/hold': 'mine' } });
    expect(expectedOf([old, left, deployed('p1', 'a1')], {}, fields)).toEqual([]);
  });

  it('nothing while the command is still replacing', () => {
    expect(
      expectedOf([deployed('p1', 'a1')], {}, { step: 'replacing', replacements: [{ name: 'r', pool: 'web' }] }),
    ).toEqual([]);
  });
});

describe('C13: the domain has settled when as many pods are running again', () => {
  const gone = (expected: readonly Plain[], ...objects: Objects): Story => {
    const story = new Story([web, rest, ...objects]);
    story.ledger = ledger({ turns: [turn({ inFlight: [], expected })] });
    return story;
  };
  const wanted = [{ owner: 'shop/Deployment/web', name: 'Deployment shop/web', running: 2 }];
  const newer = (name: string) =>
    pod(name, 'b1', { owner: 'ReplicaSet/web-abc', labels: { app: 'web', 'pod-template-hash': 'abc' } });

  it('pods of another ReplicaSet count: a new release of the Deployment during a roll does not hold it', () => {
    expect(startsOf(gone(wanted, newer('x'), newer('y')).decide(noon))).toEqual(['b1 Drifted']);
  });

  it('it has not settled while fewer are running', () => {
    const round = gone(wanted, newer('x')).decide(noon);
    expect(refusalOf(round, 'b1', 'Drifted', 'DomainSettling').message).toContain(
      '1 of 2 pods of Deployment shop/web are not running again',
    );
  });
});

describe('C13: the turn does not wait for a replacement that is given up', () => {
  it('when its command is released', () => {
    const known = ledger({
      commands: [draining({ step: 'replacing', replacements: [{ name: 'r-0', pool: 'web' }], stepAt: longAgo })],
      turns: [turn({ replacements: ['r-0', 'other'] })],
    });
    const round = decide([web, leaving, rest], { ledger: known });
    expect(round.ledger.commands).toMatchObject([{ step: 'released' }]);
    expect(round.ledger.turns[0]?.replacements).toEqual(['other']);
  });

  it('when its node was deleted before the replacement was created', () => {
    const known = ledger({
      commands: [draining({ step: 'tainted', replacements: [{ name: 'r-0', pool: 'web' }] })],
      turns: [turn({ replacements: ['r-0'] })],
    });
    const deleted = machine('a1', { zone: 'a', drifted: longAgo, claim: { deleted: noon } });
    expect(decide([web, deleted, rest], { ledger: known }).ledger.turns[0]?.replacements).toEqual([]);
  });

  it('but it waits for one that was created and whose node is being drained', () => {
    const known = ledger({
      commands: [draining({ replacements: [{ name: 'r-0', pool: 'web', state: 'made' }] })],
      turns: [turn({ replacements: ['r-0'] })],
    });
    expect(decide([web, leaving, pod('p1', 'a1'), rest], { ledger: known }).ledger.turns[0]?.replacements).toEqual([
      'r-0',
    ]);
  });
});

describe('C12: a turn that a person passes', () => {
  const asked = (more: Plain = {}) => turn({ passAsked: noon, inFlight: [], ...more });
  const left = machine('a1', { zone: 'a', drifted: longAgo, annotations: { 'lull.dev/hold': 'mine' } });
  const unwell = [{ owner: 'shop/Deployment/web', name: 'Deployment shop/web', running: 9 }];

  it('passes though the domain has not settled, and records the domain passed over', () => {
    const round = decide([web, left, rest], { ledger: ledger({ turns: [asked({ expected: unwell })] }) });
    expect(startsOf(round)).toEqual(['b1 Drifted']);
    expect(round.ledger.turns).toMatchObject([{ domain: 'b', passedOver: ['a'], takenAt: at(noon) }]);
    expect(round.ledger.turns[0]).not.toHaveProperty('passAsked');
  });

  it('not while a command in the domain is in flight', () => {
    const known = ledger({ commands: [draining({ evictedAt: noon })], turns: [asked({ inFlight: ['a1'] })] });
    const held = pod('p1', 'a1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    const round = decide([web, leaving, held, rest], { ledger: known });
    expect(codesOf(round, 'b1', 'Drifted')).toEqual(['NotItsTurn']);
    expect(round.ledger.turns).toMatchObject([{ domain: 'a', passAsked: at(noon) }]);
  });
});

describe('C12: progress', () => {
  it('a node of the domain that is gone counts as progress', () => {
    const known = ledger({ commands: [draining({ step: 'terminating', evictedAt: noon })], turns: [turn()] });
    const over = decide([web, rest], { ledger: known });
    expect(over.ledger.turns).toMatchObject([{ inFlight: ['a1'], progressAt: at('2026-03-10T11:59:00Z') }]);
    const left = machine('a2', { zone: 'a', drifted: longAgo, annotations: { 'lull.dev/hold': 'mine' } });
    const next = decide([web, left, rest], { ledger: over.ledger, at: '2026-03-10T12:00:01Z' });
    expect(next.ledger.turns).toMatchObject([{ domain: 'a', inFlight: [], progressAt: at('2026-03-10T12:00:01Z') }]);
  });
});
