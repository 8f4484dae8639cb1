import { describe, expect, it } from 'vitest';
import {
  at,
  command,
  decide,
  karpenterEvent,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  node,
  noon,
  type Objects,
  pdb,
  pod,
  podSchedule,
  pool,
  storeOf,
  zone,
} from '../../../test/build.ts';
import type { Ledger } from '../../cluster/ledger.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { NodeWhy } from './nodeWhy.ts';
import type { PodWhy } from './podWhy.ts';
import type { PoolWhy } from './poolWhy.ts';
import { explainWhy, findTarget, type Why } from './why.ts';
import { whyAsJson, whyFromJson } from './whyJson.ts';

interface Asking {
  readonly ledger?: Ledger;
  readonly at?: string;
  readonly role?: Settings['role'];
  readonly isLive?: boolean;
}

function why(target: string, objects: Objects, { role = 'drive', isLive = true, ...asking }: Asking = {}): Why {
  const cluster = storeOf(...objects);
  const found = findTarget(cluster, target);
  if (!('target' in found)) throw new Error(found.message);
  const answer = explainWhy(
    { round: decide(objects, { ...asking, settings: { role } }), role, isLive },
    cluster,
    found.target,
  );
  if (!answer) throw new Error(`nothing about ${target}`);
  return answer;
}

const spotWarning = (at: string) =>
  karpenterEvent('n1', 'SpotInterrupted', 'Spot interruption warning was triggered', at);
const drifted = machine('n1', { drifted: longAgo });
const annotated = (annotations: Record<string, string>) => pod('p', 'n1', { annotations });
const night = { 'karpenter.sh/disruption-schedule': '0 22 * * sat' };

describe('J1: the headline for a node', () => {
  it.each([
    { it: 'no wish', objects: [pool(), machine('n1'), pod()], says: 'n1 has no reason to be disrupted' },
    {
      it: 'a window of a pod, with its weekday',
      objects: [pool(), drifted, annotated(night)],
      says: 'n1 is held until Sat 22:00 UTC: pod shop/p may be moved only in its window (Saturdays 22:00–23:00 UTC)',
    },
    {
      it: 'later today, without one',
      objects: [pool(), drifted, annotated({ 'karpenter.sh/disruption-schedule': '30 14 * * *' })],
      says: 'n1 is held until 14:30 UTC: pod shop/p may be moved only in its window (every day 14:30–15:30 UTC)',
    },
    {
      it: 'beyond a week, with its date',
      objects: [pool(), drifted, maintenanceWindow('freeze', { notAfter: '2026-04-01T00:00:00Z' })],
      says: /^n1 is held until 2026-04-01 00:00 UTC: .*freeze/,
    },
    {
      it: 'the last of several to lift',
      objects: [pool(), drifted, annotated(night), maintenanceWindow('freeze', { notAfter: '2026-03-11T00:00:00Z' })],
      says: /^n1 is held until Sat 22:00 UTC: pod shop\/p/,
    },
    {
      it: 'a time that alone is not enough',
      objects: [pool(), drifted, annotated(night), pod('q', 'n1', { labels: { app: 'q' } }), spent('q')],
      says: /^n1 is held at least until Sat 22:00 UTC: pod shop\/p .*; also: PodDisruptionBudget shop\/q/,
    },
    {
      it: 'pods that agree only later than each alone',
      objects: [
        pool(),
        drifted,
        annotated({ 'karpenter.sh/disruption-schedule': '0 14 * * *' }),
        pod('q', 'n1', { annotations: { 'karpenter.sh/disruption-schedule': '0 15 * * *;30 14 * * wed' } }),
      ],
      says: 'n1 is held until Wed 14:30 UTC: only then do all its rules permit it, among them: pod shop/p may be moved only in its window (every day 14:00–15:00 UTC)',
    },
    {
      it: 'what a person has to change comes before what passes',
      objects: [
        pool(),
        machine('n1', { drifted: longAgo, annotations: { 'lull.dev/hold': 'ask Ann' } }),
        annotated(night),
      ],
      says: /^n1 is held until someone acts: .*ask Ann; at least until Sat 22:00 UTC: pod shop\/p/,
    },
    {
      it: 'what the cluster has to change',
      objects: [pool(), drifted, pod('q', 'n1', { labels: { app: 'q' } }), spent('q')],
      says: /^n1 is held until the cluster changes: PodDisruptionBudget shop\/q/,
    },
    {
      it: 'rules that never permit it together',
      objects: [
        pool(),
        drifted,
        annotated({
          'karpenter.sh/disruption-schedule': '0 22 * * *',
          'karpenter.sh/disruption-schedule-duration': '8h',
        }),
        maintenanceWindow('office', { mode: 'Allow', schedules: [{ cron: '0 9 * * *', duration: '8h' }] }),
      ],
      says: 'n1 can never be disrupted under its current rules: it may be disrupted only in MaintenanceWindow office (every day 09:00–17:00 UTC); pod shop/p may be moved only in its window (every day 22:00–06:00 UTC); these rules never permit it at the same time within 400 days',
    },
    {
      it: 'the wish that can start first',
      objects: [
        pool('web', { consolidateAfter: '0s', budgets: [{ nodes: '0', reasons: ['Drifted'] }, { nodes: '100%' }] }),
        machine('n1', { drifted: longAgo }),
        maintenanceWindow('day', { actions: ['Consolidation'], schedules: [{ cron: '0 8 * * *', duration: '10h' }] }),
      ],
      says: /^n1 is held until 18:00 UTC: .*day/,
    },
    {
      it: 'may be disrupted',
      objects: [pool(), drifted],
      says: 'n1 may be disrupted now (Drifted), without a replacement',
    },
    {
      it: 'being deleted, not by Lull',
      objects: [pool(), machine('n1', { claim: { deleted: '2026-03-10T11:30:00Z' } })],
      says: 'n1 is being removed, not by Lull, since 11:30 UTC',
    },
    {
      it: 'interrupted by the cloud, in the words of Karpenter',
      objects: [
        pool(),
        machine('n1', { claim: { deleted: '2026-03-10T11:30:00Z' } }),
        spotWarning('2026-03-10T11:29:58Z'),
      ],
      says: 'n1 is being removed by Karpenter because of an interruption, since 11:30 UTC: SpotInterrupted: Spot interruption warning was triggered',
    },
    {
      it: 'an event that only follows its removal is not the cause',
      objects: [
        pool(),
        machine('n1', { claim: { deleted: '2026-03-10T11:30:00Z' } }),
        spotWarning('2026-03-10T11:31:00Z'),
      ],
      says: 'n1 is being removed, not by Lull, since 11:30 UTC',
    },
    {
      it: 'without a pool',
      objects: [node('n1', { labels: { 'karpenter.sh/nodepool': undefined } })],
      says: /belongs to no pool/,
    },
    {
      it: 'not Ready, but not for long enough',
      objects: [pool(), machine('n1', { ready: 'False', readySince: '2026-03-10T11:55:00Z' }), pod()],
      says: /^n1 has not been Ready since 11:55 UTC/,
    },
  ])('$it', ({ objects, says }) => {
    const { headline } = why('node/n1', objects);
    if (typeof says === 'string') expect(headline).toBe(says);
    else expect(headline).toMatch(says);
  });

  it('N1: may be disrupted, but observe changes nothing and has no command under way', () => {
    const { headline, command: answer } = why('n1', [pool(), drifted], { role: 'observe' }) as NodeWhy;
    expect(headline).toBe('n1 may be disrupted now (Drifted); in observe mode Lull changes nothing');
    expect(answer?.stage).toBe('watched');
    expect((why('n1', [pool(), drifted]) as NodeWhy).command?.stage).toBe('begins');
  });

  it('N1: in observe reports that the node is still parked from guide mode, so that Karpenter leaves it alone', () => {
    const annotations = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': '2026-03-10T11:00:00Z' };
    const objects = [pool(), machine('n1', { annotations })];
    expect(why('n1', objects, { role: 'observe' })).toMatchObject({
      leftBehind: expect.stringContaining('lull release'),
    });
    expect(why('n1', objects, { role: 'guide' })).not.toHaveProperty('leftBehind');
    expect(why('n1', objects, { role: 'observe', isLive: false })).not.toHaveProperty('leftBehind');
    expect(why('n1', [pool(), machine('n1')], { role: 'observe' })).not.toHaveProperty('leftBehind');
  });

  function spent(app: string) {
    return pdb(app, 0, { selector: { matchLabels: { app } } });
  }
});

describe('J1: the full answer for a node', () => {
  const objects = [pool(), drifted, annotated(night), pdb('web', 0), maintenanceWindow('any', { nodes: '5' })];
  const answer = why('n1', objects) as NodeWhy;

  it('has every wish with every refusal: its owner, when it lifts and what to do', () => {
    expect(answer.wishes.map(({ reason, outcome, waitsFor }) => ({ reason, outcome, waitsFor }))).toEqual([
      { reason: 'Drifted', outcome: 'held', waitsFor: 'the cluster' },
    ]);
    expect(answer.wishes[0]?.refusals).toMatchObject([
      {
        code: 'PodScheduleClosed',
        owner: { kind: 'Pod', namespace: 'shop', name: 'p' },
        liftsAt: at('2026-03-14T22:00:00Z'),
        help: expect.stringContaining('Wait for the window'),
      },
      { code: 'PdbSpent', owner: { kind: 'PodDisruptionBudget' }, help: expect.stringContaining('replicas') },
    ]);
  });

  it('has its pool, claim, pods and windows', () => {
    expect(answer).toMatchObject({ pool: 'web', claim: 'n1-claim', ready: true, pods: 1, windows: ['any'] });
    expect(answer.podsWithASay).toMatchObject([{ namespace: 'shop', name: 'p', movable: false }]);
  });
});

describe('E12: a node that can never be disrupted', () => {
  it('does not advise to wait for rules that never permit it together', () => {
    const sundays = maintenanceWindow('sundays', {
      mode: 'Allow',
      schedules: [{ cron: '0 9 * * sun', duration: '8h' }],
    });
    const answer = why('n1', [pool(), drifted, annotated(night), sundays]) as NodeWhy;
    expect(answer.wishes[0]?.possibleAt).toBe('never');
    expect(answer.wishes[0]?.refusals.map(({ help }) => help).join(' ')).not.toMatch(/[Ww]ait for/);
  });
});

describe('G1: a node with a command under way', () => {
  it.each([
    { step: 'tainted', replacements: 0, path: '[tainted] draining terminating gone' },
    { step: 'replacing', replacements: 1, path: 'tainted [replacing] draining terminating gone' },
    { step: 'terminating', replacements: 0, path: 'tainted draining [terminating] gone' },
  ])('shows the steps before and after $step', ({ step, replacements, path }) => {
    const planned = Array.from({ length: replacements }, (_, index) => ({ name: `r${index}`, pool: 'web' }));
    const known = ledger({ commands: [command('n1', { step, stepAt: noon, replacements: planned })] });
    const answer = why('n1', [pool(), machine('n1', { drifted: longAgo }), machine('n2')], {
      ledger: known,
    }) as NodeWhy;
    const shown = answer.command?.path.map((it) => (it.state === 'now' ? `[${it.step}]` : it.step)).join(' ');
    // The round may advance the command at once; exactly one step is the current one in any case.
    if (answer.command?.step === step) expect(shown).toBe(path);
    expect(answer.command?.path.filter(({ state }) => state === 'now')).toHaveLength(1);
    expect(answer.headline).toContain('(Drifted) since');
  });
});

describe('E: the headline for a pod', () => {
  it.each([
    { it: 'no rule', pods: [pod('p', 'n1')], says: 'shop/p may be moved now', movable: true },
    {
      it: 'its window',
      pods: [annotated(night)],
      says: /^shop\/p may be moved from Sat 22:00 UTC on: pod shop\/p may be moved only/,
      movable: false,
    },
    {
      it: 'an opt-out without end',
      pods: [annotated({ 'karpenter.sh/do-not-disrupt': 'true' })],
      says: 'shop/p may not be moved now: pod shop/p is annotated do-not-disrupt',
      movable: false,
    },
    {
      it: 'a spent PDB, though its node has no wish',
      pods: [pod('p', 'n1'), pdb('web', 0)],
      says: /^shop\/p may not be moved now: PodDisruptionBudget shop\/web/,
      movable: false,
    },
    {
      it: 'two PDBs, though its node has no wish',
      pods: [pod('p', 'n1'), pdb('web', 1), pdb('all', 1, { selector: {} })],
      says: 'shop/p may not be moved now: pod shop/p is selected by PodDisruptionBudgets all and web, so it cannot be evicted',
      movable: false,
    },
    {
      it: 'no node yet',
      pods: [pod('p', '', { phase: 'Pending', ready: 'False' })],
      says: 'shop/p is not scheduled to a node yet',
      movable: true,
    },
    {
      it: 'already being deleted',
      pods: [pod('p', 'n1', { deleted: '2026-03-10T12:00:30Z' })],
      says: 'shop/p is already being deleted',
      movable: true,
    },
    { it: 'of a DaemonSet', pods: [pod('p', 'n1', { owner: 'DaemonSet' })], says: /with its node/, movable: true },
  ])('$it', ({ pods, says, movable }) => {
    const answer = why('pod/shop/p', [pool(), machine('n1'), pods]) as PodWhy;
    if (typeof says === 'string') expect(answer.headline).toBe(says);
    else expect(answer.headline).toMatch(says);
    expect(answer.movable).toBe(movable);
  });

  it('lists its own rules, the schedules that select it, its PDBs and its node', () => {
    const over = podSchedule('batch', { selector: {}, schedule: '0 2 * * *', mode: 'Block' });
    const answer = why('p', [
      pool(),
      drifted,
      pod('p', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': '2h' }, started: '2026-03-10T11:00:00Z' }),
      pdb('web', 1),
      over,
    ]) as PodWhy;
    expect(answer.rules).toEqual([
      {
        text: 'is annotated do-not-disrupt, which ends 13:00 UTC',
        permits: false,
        nextChange: at('2026-03-10T13:00:00Z'),
      },
      {
        text: 'may not be moved in the window of PodDisruptionSchedule batch (every day 02:00–03:00 UTC)',
        permits: true,
        nextChange: at('2026-03-11T02:00:00Z'),
        schedule: 'batch',
      },
    ]);
    expect(answer.pdbs).toEqual([{ namespace: 'shop', name: 'web', allowed: 1 }]);
    expect(answer.movableAt).toBe(at('2026-03-10T13:00:00Z'));
    expect(answer.node?.headline).toMatch(/^n1 is held until 13:00 UTC/);
  });
});

describe('J2: the answer for a pool', () => {
  const sequential = { nodes: '1', topologyKey: zone, sequential: true };
  const turn = { pool: 'web', topologyKey: zone, domain: 'b', takenAt: longAgo, progressAt: noon, passedOver: ['a'] };
  const objects = [
    pool('web', { budgets: [sequential, { nodes: '3', schedule: '0 9 * * *', duration: '8h' }] }),
    machine('a1', { zone: 'a', drifted: longAgo, annotations: { 'lull.dev/hold': 'ask Ann' } }),
    machine('b1', { zone: 'b', drifted: longAgo }),
    machine('b2', { zone: 'b', drifted: longAgo }),
    ['a1', 'b1', 'b2'].map((name) => pod(`on-${name}`, name)),
  ];
  const answer = why('web', objects, { ledger: ledger({ turns: [turn] }) }) as PoolWhy;

  it('lists its budgets and whether they are active now', () => {
    expect(answer.budgets).toEqual([
      { index: 0, nodes: '1', reasons: ['Drifted'], topologyKey: zone, sequential: true, active: true },
      {
        index: 1,
        nodes: '3',
        window: '0 9 * * * for 8h',
        active: true,
        nextChange: at('2026-03-10T17:00:00Z'),
      },
    ]);
    expect(answer.allowances.find(({ reason }) => reason === 'Drifted')).toMatchObject({
      limit: 3,
      left: 3,
      budget: 1,
    });
  });

  it('P1: lists its rates with what is used and left', () => {
    const rated = [
      pool('web', { budgets: [{ nodes: '2', per: '1h', reasons: ['Drifted'] }, { nodes: '3' }] }),
      drifted,
    ];
    const starts = [{ kind: 'NodePool', name: 'web', minutes: [{ at: '2026-03-10T11:30:00Z', nodes: 2 }] }];
    const known = ledger({ starts });
    const { budgets } = why('web', rated, { ledger: known }) as PoolWhy;
    expect(budgets).toEqual([
      {
        index: 0,
        nodes: '2',
        reasons: ['Drifted'],
        active: true,
        per: '1h',
        used: 2,
        left: 0,
        freeAt: at('2026-03-10T12:31:00Z'),
      },
      { index: 1, nodes: '3', active: true },
    ]);
    const text = JSON.parse(JSON.stringify(whyAsJson(why('web', rated, { ledger: known }))));
    expect(text.budgets[0].freeAt).toBe('2026-03-10T12:31:00Z');
  });

  it('does not include other pools', () => {
    const other = [pool('api', { budgets: [sequential] }), machine('c1', { pool: 'api', zone: 'c', drifted: longAgo })];
    const beside = why('web', [...objects, other], { ledger: ledger({ turns: [turn] }) }) as PoolWhy;
    expect([beside.allowances, beside.domains, beside.budgets]).toEqual([
      answer.allowances,
      answer.domains,
      answer.budgets,
    ]);
  });

  it('shows which domain has the turn and which nodes were left behind', () => {
    expect(answer.turns).toMatchObject([
      { topologyKey: zone, domain: 'b', leftBehind: [{ domain: 'a', nodes: ['a1'] }] },
    ]);
    expect(answer.domains.map(({ domain, state }) => `${domain} ${state}`)).toEqual(['a waiting', 'b turn']);
  });

  it('lists the nodes that may be disrupted, and those that are held by code', () => {
    expect(answer.mayGo).toEqual(['b1']);
    expect(answer.held.map(({ code, nodes }) => `${code} ${nodes}`)).toEqual([
      'DomainBudgetSpent b2',
      'Held a1',
      'NotItsTurn a1',
    ]);
    expect(answer.headline).toMatch(/^web has 1 node to disrupt now, 2 held: b2 is held until the cluster changes: /);
  });

  it.each([
    { it: 'nothing to do', own: {}, known: {}, says: 'web has nothing to do: no node has a reason to be disrupted' },
    {
      it: 'a fault',
      own: { consolidateAfter: 'soon' },
      known: {},
      says: /^web has an invalid field, so only interrupted nodes are disrupted: spec.disruption.consolidateAfter: /,
    },
    {
      it: 'backing off',
      own: {},
      known: { backoffs: [{ pool: 'web', until: '2026-03-10T12:04:00Z', delay: '4m' }] },
      says: 'web backs off until 12:04 UTC: its replacement nodes kept failing',
    },
  ])('$it', ({ own, known, says }) => {
    const { headline } = why('pool/web', [pool('web', own), machine('n1'), pod()], { ledger: ledger(known) });
    if (typeof says === 'string') expect(headline).toBe(says);
    else expect(headline).toMatch(says);
  });
});

describe('L: as JSON', () => {
  const objects = [pool(), drifted, annotated(night), pdb('web', 0)];
  it.each(['node/n1', 'pod/shop/p', 'pool/web'])('%s is the same after a round trip', (target) => {
    const answer = why(target, objects);
    const json = JSON.parse(JSON.stringify(whyAsJson(answer)));
    expect(json.at).toBe(noon);
    expect(whyFromJson(json)).toEqual(answer);
  });

  it.each([
    null,
    [],
    'x',
    {},
    { headline: 'x', at: noon, kind: 'node' },
    { headline: 'x', at: noon, kind: 'toString' },
  ])('%j is not an answer', (json) => {
    expect(whyFromJson(json)).toBeUndefined();
  });
});
