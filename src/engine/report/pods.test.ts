import { describe, expect, it } from 'vitest';
import {
  at,
  decide,
  longAgo,
  machine,
  node,
  type Objects,
  pdb,
  pod,
  podSchedule,
  pool,
  startsOf,
  verdictOf,
} from '../../../test/build.ts';

const dnd = 'karpenter.sh/do-not-disrupt';
const allow = 'karpenter.sh/disruption-schedule';
const block = 'karpenter.sh/disruption-block-schedule';
const annotated = (name: string, annotations: Record<string, string>, started = '2026-03-10T11:00:00Z') =>
  pod(name, 'n1', { annotations, started });
const drifted = machine('n1', { drifted: longAgo });
const podsOf = (...objects: Objects) =>
  decide([pool(), objects]).pods.map(({ refusals, ...rest }) => ({
    ...rest,
    codes: refusals.map(({ code }) => code).join(' '),
  }));

describe('L2: pods', () => {
  const base = { namespace: 'shop', name: 'p', node: 'n1' };
  it.each([
    { it: 'an opt-out without end', annotations: { [dnd]: 'true' }, says: { movable: false, codes: 'PodOptedOut' } },
    {
      it: 'an opt-out with a duration',
      annotations: { [dnd]: '2h' },
      says: { movable: false, movableAt: at('2026-03-10T13:00:00Z'), codes: 'PodOptedOut' },
    },
    { it: 'an opt-out that is over', annotations: { [dnd]: '30m' }, says: { movable: true, codes: '' } },
    {
      it: 'a schedule that is closed',
      annotations: { [allow]: '0 2 * * *' },
      says: { movable: false, movableAt: at('2026-03-11T02:00:00Z'), codes: 'PodScheduleClosed' },
    },
    { it: 'a schedule that is open', annotations: { [allow]: '0 12 * * *' }, says: { movable: true, codes: '' } },
    {
      it: 'a schedule that never opens',
      annotations: { [allow]: '0 0 31 2 *' },
      says: { movable: false, codes: 'PodScheduleClosed' },
    },
    {
      it: 'a block',
      annotations: { [block]: '30 11 * * *' },
      says: { movable: false, movableAt: at('2026-03-10T12:30:00Z'), codes: 'PodBlocked' },
    },
    {
      it: 'all of them',
      annotations: { [dnd]: '16h', [allow]: '0 2 * * *', [block]: '30 11 * * *' },
      says: {
        movable: false,
        movableAt: at('2026-03-12T02:00:00Z'),
        codes: 'PodOptedOut PodScheduleClosed PodBlocked',
      },
    },
    {
      it: 'a protection from one graceful reason',
      annotations: { [dnd]: 'true', [`${dnd}-reasons`]: 'Empty' },
      says: { movable: false, codes: 'PodOptedOut' },
    },
    {
      it: 'a protection from other reasons only',
      annotations: { [dnd]: 'true', [`${dnd}-reasons`]: 'Drifted' },
      says: { movable: true, codes: '' },
    },
  ])('with a rule of their own: $it', ({ annotations, says }) => {
    expect(podsOf(drifted, annotated('p', annotations as unknown as Record<string, string>))).toEqual([
      { ...base, ...says },
    ]);
  });

  it('under a PodDisruptionSchedule', () => {
    const [only] = podsOf(machine('n1'), pod('p'), podSchedule('s', { selector: {}, schedule: '0 2 * * *' }));
    expect(only).toEqual({
      ...base,
      movable: false,
      movableAt: at('2026-03-11T02:00:00Z'),
      codes: 'PodScheduleClosed',
    });
  });

  it.each([
    { it: 'a spent PDB', rules: [pdb('web', 0)], codes: 'PdbSpent' },
    { it: 'two PDBs', rules: [pdb('web', 1), pdb('all', 1, { selector: {} })], codes: 'PdbOverlap' },
  ])('without a rule, that hold a node: $it', ({ rules, codes }) => {
    expect(podsOf(drifted, pod('p'), rules)).toEqual([{ ...base, movable: false, codes }]);
  });

  it('with a schedule and a spent PDB have no movableAt', () => {
    const [only] = podsOf(drifted, annotated('p', { [allow]: '0 2 * * *' }), pdb('web', 0));
    expect(only).toEqual({ ...base, movable: false, codes: 'PodScheduleClosed PdbSpent' });
  });

  it('not those without a rule that hold no node', () => {
    expect(podsOf(drifted, pod('p'), pdb('web', 1))).toEqual([]);
    expect(
      podsOf(machine('n1'), pod('p', 'n1'), pod('q', 'n1', { phase: 'Failed', annotations: { [dnd]: 'true' } })),
    ).toEqual([]);
  });

  it('not those on nodes without a pool', () => {
    expect(podsOf(node('n1'), annotated('p', { [dnd]: 'true' }))).toEqual([]);
  });
});

describe('H2: what a terminationGracePeriod waives', () => {
  const graced = machine('n1', { drifted: longAgo, claim: { spec: { terminationGracePeriod: '1h' } } });
  it.each([
    { it: 'an opt-out', objects: [annotated('p', { [dnd]: 'true' })], codes: ['PodOptedOut'] },
    { it: 'a schedule', objects: [annotated('p', { [allow]: '0 2 * * *' })], codes: ['PodScheduleClosed'] },
    { it: 'a PDB', objects: [pod('p'), pdb('web', 0)], codes: ['PdbSpent'] },
    { it: 'two PDBs', objects: [pod('p'), pdb('web', 9), pdb('all', 9, { selector: {} })], codes: ['PdbOverlap'] },
  ])('is still shown under pods: $it', ({ objects, codes }) => {
    const round = decide([pool(), graced, objects]);
    expect(startsOf(round)).toEqual(['n1 Drifted']);
    expect(round.pods).toMatchObject([{ name: 'p', movable: false }]);
    expect(round.pods[0]?.refusals.map(({ code }) => code)).toEqual(codes);
  });
});

describe('E12: when the pods of a node agree', () => {
  const agree = (...pods: Objects) => verdictOf(decide([pool(), drifted, pods]), 'n1', 'Drifted').podsAgreeAt;
  const open = (name: string, cron: string, duration = '1h') =>
    annotated(name, { [allow]: cron, [`${allow}-duration`]: duration });
  it.each([
    { it: 'one schedule', pods: [open('a', '0 2 * * *')], from: '2026-03-11T02:00:00Z' },
    {
      it: 'two that overlap',
      pods: [open('a', '0 2 * * *', '4h'), open('b', '0 4 * * *', '4h')],
      from: '2026-03-11T04:00:00Z',
    },
    {
      it: 'two that meet once a week',
      pods: [open('a', '0 2 * * *'), open('b', '30 2 * * sun')],
      from: '2026-03-15T02:30:00Z',
    },
    {
      it: 'a schedule and an opt-out that ends',
      pods: [open('a', '0 14 * * *'), annotated('b', { [dnd]: '3h' })],
      from: '2026-03-10T14:00:00Z',
    },
    {
      it: 'an opt-out that ends within the schedule',
      pods: [open('a', '0 13 * * *', '2h'), annotated('b', { [dnd]: '2h30m' })],
      from: '2026-03-10T13:30:00Z',
    },
    { it: 'a block that ends', pods: [annotated('a', { [block]: '30 11 * * *' })], from: '2026-03-10T12:30:00Z' },
    {
      it: 'those of a DaemonSet count',
      pods: [open('a', '0 2 * * *'), pod('d', 'n1', { owner: 'DaemonSet/log', annotations: { [allow]: '0 3 * * *' } })],
      from: undefined,
    },
  ])('$it: $from', ({ pods, from }) => {
    expect(agree(...pods)).toBe(from && at(from));
  });

  it.each([
    { it: 'schedules that never meet', pods: [open('a', '0 2 * * *'), open('b', '0 9 * * *')] },
    { it: 'an opt-out without end', pods: [open('a', '0 2 * * *'), annotated('b', { [dnd]: 'true' })] },
  ])('never: $it, and the refusals name the pods', ({ pods }) => {
    const verdict = verdictOf(decide([pool(), drifted, pods]), 'n1', 'Drifted');
    expect(verdict).not.toHaveProperty('podsAgreeAt');
    expect(verdict.refusals.map(({ owner }) => owner?.name)).toEqual(['a', 'b']);
  });

  it('is absent where no pod refuses', () => {
    expect(agree(pod())).toBeUndefined();
    expect(agree(open('a', '0 12 * * *'))).toBeUndefined();
  });

  it('is computed by reason: a protection from another reason does not count', () => {
    const both = machine('n1', { drifted: longAgo, annotations: { 'lull.dev/rebalance': '' } });
    const pods = [open('a', '0 2 * * *'), annotated('b', { [dnd]: 'true', [`${dnd}-reasons`]: 'Rebalance' })];
    const round = decide([pool(), both, pods]);
    expect(verdictOf(round, 'n1', 'Drifted').podsAgreeAt).toBe(at('2026-03-11T02:00:00Z'));
    expect(verdictOf(round, 'n1', 'Rebalance')).not.toHaveProperty('podsAgreeAt');
  });

  it('ignores schedules for Unhealthy, which no schedule refuses', () => {
    const others = ['x1', 'x2', 'x3', 'x4', 'x5'].map((name) => machine(name));
    const pods = [open('a', '0 2 * * *'), annotated('b', { [dnd]: '2h' })];
    const round = decide([pool(), machine('n1', { ready: 'False' }), pods, others]);
    expect(verdictOf(round, 'n1', 'Unhealthy').podsAgreeAt).toBe(at('2026-03-10T13:00:00Z'));
  });
});

describe('E10, E12: a pod whose PDB has evictions reserved by nodes being disrupted', () => {
  const leaving = machine('n2', { claim: { conditions: { DisruptionReason: longAgo } } });
  const web = { labels: { app: 'web' } };
  const closed = pod('p', 'n1', { ...web, annotations: { [allow]: '0 2 * * *' } });
  const opted = pod('p', 'n1', { ...web, annotations: { [dnd]: '2h' }, started: '2026-03-10T11:00:00Z' });
  const movableAt = (allowed: number, mine: Objects[number]) => {
    const objects = [pool(), machine('n1'), leaving, mine, pod('q', 'n2', web), pdb('web', allowed)];
    return decide(objects).pods.find(({ name }) => name === 'p')?.movableAt;
  };

  it.each([
    {
      it: 'an eviction is left: movable when its schedule opens',
      allowed: 2,
      mine: closed,
      says: '2026-03-11T02:00:00Z',
    },
    { it: 'no eviction is left: no movableAt for its schedule', allowed: 1, mine: closed },
    { it: 'an eviction is left: movable when its opt-out ends', allowed: 2, mine: opted, says: '2026-03-10T13:00:00Z' },
    { it: 'no eviction is left: no movableAt for its opt-out', allowed: 1, mine: opted },
  ])('$it', ({ allowed, mine, says }) => {
    expect(movableAt(allowed, mine)).toBe(says && at(says));
  });
});

describe('E10: a PDB that another node of the round has used up', () => {
  const twoDrifted = ['n1', 'n2'].map((name) => machine(name, { drifted: longAgo }));
  const unlimited = pool('web', { budgets: [{ nodes: '100%' }] });
  const held = (...objects: Objects) =>
    decide([unlimited, twoDrifted, objects]).pods.map(({ namespace, name, node: on, refusals }) =>
      [
        `${namespace}/${name} on ${on}:`,
        ...refusals.map(({ code, owner }) => `${code} ${owner?.namespace}/${owner?.name}`),
      ].join(' '),
    );

  it('is shown on the pods that wait for it', () => {
    expect(held(pod('p1', 'n1'), pod('p2', 'n2'), pdb('web', 1))).toEqual(['shop/p2 on n2: PdbSpent shop/web']);
  });

  it('is not shown on pods of a PDB with that name in another namespace', () => {
    const other = [
      pod('q2', 'n2', { namespace: 'test' }),
      { ...pdb('web', 5), metadata: { name: 'web', namespace: 'test' } },
    ];
    expect(held(pod('p1', 'n1'), pod('p2', 'n2'), pdb('web', 1), other)).toEqual(['shop/p2 on n2: PdbSpent shop/web']);
  });

  it('is not shown on pods of another PDB in that namespace', () => {
    const labels = { app: 'other' };
    const other = [pod('q2', 'n2', { labels }), pdb('other', 5, { selector: { matchLabels: labels } })];
    expect(held(pod('p1', 'n1'), pod('p2', 'n2'), pdb('web', 1), other)).toEqual(['shop/p2 on n2: PdbSpent shop/web']);
  });
});

it('L2: a node with as many pods under one PDB as under two shows them all', () => {
  const labels = { app: 'both' };
  const both = ['a', 'b'].map((name) => pdb(name, 1, { selector: { matchLabels: labels } }));
  expect(
    podsOf(drifted, pod('p'), pdb('web', 0), pod('q', 'n1', { labels }), both).map(
      ({ name, codes }) => `${name} ${codes}`,
    ),
  ).toEqual(['p PdbSpent', 'q PdbOverlap']);
});
