import { describe, expect, it } from 'vitest';
import {
  at,
  command,
  decide,
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
import { findTarget } from './target.ts';
import { explainWhy, type Why } from './why.ts';
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

const drifted = machine('n1', { drifted: longAgo });
const annotated = (annotations: Record<string, string>) => pod('p', 'n1', { annotations });
const night = { 'karpenter.sh/disruption-schedule': '0 22 * * sat' };

describe('J1: why a node stays, in one sentence', () => {
  it.each([
    { it: 'no wish', objects: [pool(), machine('n1'), pod()], says: 'n1 stays: it has no reason to go' },
    {
      it: 'a window of a pod, with its weekday',
      objects: [pool(), drifted, annotated(night)],
      says: 'n1 stays until Sat 22:00 UTC: pod shop/p may be moved only in its window (0 22 * * sat for 1h)',
    },
    {
      it: 'later today, without one',
      objects: [pool(), drifted, annotated({ 'karpenter.sh/disruption-schedule': '30 14 * * *' })],
      says: 'n1 stays until 14:30 UTC: pod shop/p may be moved only in its window (30 14 * * * for 1h)',
    },
    {
      it: 'beyond a week, with its date',
      objects: [pool(), drifted, maintenanceWindow('freeze', { notAfter: '2026-04-01T00:00:00Z' })],
      says: /^n1 stays until 2026-04-01 00:00 UTC: .*freeze/,
    },
    {
      it: 'the last of several to lift',
      objects: [pool(), drifted, annotated(night), maintenanceWindow('freeze', { notAfter: '2026-03-11T00:00:00Z' })],
      says: /^n1 stays until Sat 22:00 UTC: pod shop\/p/,
    },
    {
      it: 'a moment that is not all there is to it',
      objects: [pool(), drifted, annotated(night), pod('q', 'n1', { labels: { app: 'q' } }), spent('q')],
      says: /^n1 goes not before Sat 22:00 UTC: pod shop\/p .*; it waits as well: PodDisruptionBudget shop\/q/,
    },
    {
      it: 'pods that agree only later than each of them',
      objects: [
        pool(),
        drifted,
        annotated({ 'karpenter.sh/disruption-schedule': '0 14 * * *' }),
        pod('q', 'n1', { annotations: { 'karpenter.sh/disruption-schedule': '0 15 * * *;30 14 * * wed' } }),
      ],
      says: 'n1 stays until Wed 14:30 UTC: only then do all its rules permit it; first of them: pod shop/p may be moved only in its window (0 14 * * * for 1h)',
    },
    {
      it: 'what only a person changes, before what passes',
      objects: [
        pool(),
        machine('n1', { drifted: longAgo, annotations: { 'lull.dev/hold': 'ask Ann' } }),
        annotated(night),
      ],
      says: /^n1 waits for someone to act: .*ask Ann; it goes not before Sat 22:00 UTC: pod shop\/p/,
    },
    {
      it: 'what the cluster has to bring',
      objects: [pool(), drifted, pod('q', 'n1', { labels: { app: 'q' } }), spent('q')],
      says: /^n1 waits for the cluster: PodDisruptionBudget shop\/q/,
    },
    {
      it: 'rules that never meet',
      objects: [
        pool(),
        drifted,
        annotated({
          'karpenter.sh/disruption-schedule': '0 22 * * *',
          'karpenter.sh/disruption-schedule-duration': '8h',
        }),
        maintenanceWindow('office', { mode: 'Allow', schedules: [{ cron: '0 9 * * *', duration: '8h' }] }),
      ],
      says: 'n1 can never go as its rules are: it may go only while MaintenanceWindow office (0 9 * * * for 8h) is open; pod shop/p may be moved only in its window (0 22 * * * for 8h); within 400 days these never permit it together',
    },
    {
      it: 'the wish that is nearest to going',
      objects: [
        pool('web', { consolidateAfter: '0s', budgets: [{ nodes: '0', reasons: ['Drifted'] }, { nodes: '100%' }] }),
        machine('n1', { drifted: longAgo }),
        maintenanceWindow('day', { actions: ['Consolidation'], schedules: [{ cron: '0 8 * * *', duration: '10h' }] }),
      ],
      says: /^n1 stays until 18:00 UTC: .*day/,
    },
    { it: 'may go', objects: [pool(), drifted], says: 'n1 may go now (Drifted), and needs no replacement' },
    {
      it: 'leaving by another hand',
      objects: [pool(), machine('n1', { claim: { deleted: '2026-03-10T11:30:00Z' } })],
      says: 'n1 is on its way out, not by Lull, since 11:30 UTC',
    },
    {
      it: 'nobody’s',
      objects: [node('n1', { labels: { 'karpenter.sh/nodepool': undefined } })],
      says: /belongs to no pool/,
    },
    {
      it: 'not Ready, but not for long enough',
      objects: [pool(), machine('n1', { ready: 'False', readySince: '2026-03-10T11:55:00Z' }), pod()],
      says: /^n1 stays: it has not been Ready since 11:55 UTC/,
    },
  ])('$it', ({ objects, says }) => {
    const { headline } = why('node/n1', objects);
    if (typeof says === 'string') expect(headline).toBe(says);
    else expect(headline).toMatch(says);
  });

  it('N1: may go, but in observe nothing is touched: no command is under way', () => {
    const { headline, command: told } = why('n1', [pool(), drifted], { role: 'observe' }) as NodeWhy;
    expect(headline).toBe('n1 may go now (Drifted); in the role observe Lull touches nothing');
    expect(told?.stage).toBe('watched');
    expect((why('n1', [pool(), drifted]) as NodeWhy).command?.stage).toBe('begins');
  });

  it('N1: in observe, that a Lull which guided has parked it; nothing else tells why Karpenter leaves it alone', () => {
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

describe('J1: why a node stays, in full', () => {
  const objects = [pool(), drifted, annotated(night), pdb('web', 0), maintenanceWindow('any', { nodes: '5' })];
  const told = why('n1', objects) as NodeWhy;

  it('has every wish with every refusal, whose rule it is, when it lifts and what could be done', () => {
    expect(told.wishes.map(({ reason, outcome, waitsFor }) => ({ reason, outcome, waitsFor }))).toEqual([
      { reason: 'Drifted', outcome: 'held', waitsFor: 'the cluster' },
    ]);
    expect(told.wishes[0]?.refusals).toMatchObject([
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
    expect(told).toMatchObject({ pool: 'web', claim: 'n1-claim', ready: true, pods: 1, windows: ['any'] });
    expect(told.podsWithASay).toMatchObject([{ namespace: 'shop', name: 'p', movable: false }]);
  });
});

describe('E12: why a node can never go', () => {
  it('is not told to wait for rules that never meet', () => {
    const sundays = maintenanceWindow('sundays', {
      mode: 'Allow',
      schedules: [{ cron: '0 9 * * sun', duration: '8h' }],
    });
    const told = why('n1', [pool(), drifted, annotated(night), sundays]) as NodeWhy;
    expect(told.wishes[0]?.possibleAt).toBe('never');
    expect(told.wishes[0]?.refusals.map(({ help }) => help).join(' ')).not.toMatch(/[Ww]ait for/);
  });
});

describe('G1: why a node is on its way', () => {
  it.each([
    { step: 'tainted', replacements: 0, path: '[tainted] draining terminating gone' },
    { step: 'replacing', replacements: 1, path: 'tainted [replacing] draining terminating gone' },
    { step: 'terminating', replacements: 0, path: 'tainted draining [terminating] gone' },
  ])('the steps behind and ahead of $step', ({ step, replacements, path }) => {
    const planned = Array.from({ length: replacements }, (_, index) => ({ name: `r${index}`, pool: 'web' }));
    const known = ledger({ commands: [command('n1', { step, stepAt: noon, replacements: planned })] });
    const told = why('n1', [pool(), machine('n1', { drifted: longAgo }), machine('n2')], { ledger: known }) as NodeWhy;
    const shown = told.command?.path.map((it) => (it.state === 'now' ? `[${it.step}]` : it.step)).join(' ');
    // The round may take it a step further at once; whatever it says, one step is the present one.
    if (told.command?.step === step) expect(shown).toBe(path);
    expect(told.command?.path.filter(({ state }) => state === 'now')).toHaveLength(1);
    expect(told.headline).toContain('(Drifted) since');
  });
});

describe('E: why a pod stays', () => {
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
      it: 'no node yet',
      pods: [pod('p', '', { phase: 'Pending', ready: 'False' })],
      says: 'shop/p has no node yet',
      movable: true,
    },
    {
      it: 'on its way out',
      pods: [pod('p', 'n1', { deleted: '2026-03-10T12:00:30Z' })],
      says: 'shop/p is on its way out already',
      movable: true,
    },
    { it: 'of a DaemonSet', pods: [pod('p', 'n1', { owner: 'DaemonSet' })], says: /with its node/, movable: true },
  ])('$it', ({ pods, says, movable }) => {
    const told = why('pod/shop/p', [pool(), machine('n1'), pods]) as PodWhy;
    if (typeof says === 'string') expect(told.headline).toBe(says);
    else expect(told.headline).toMatch(says);
    expect(told.movable).toBe(movable);
  });

  it('tells its rules, those over it, its PDBs and its node', () => {
    const over = podSchedule('batch', { selector: {}, schedule: '0 2 * * *', mode: 'Block' });
    const told = why('p', [
      pool(),
      drifted,
      pod('p', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': '2h' }, started: '2026-03-10T11:00:00Z' }),
      pdb('web', 1),
      over,
    ]) as PodWhy;
    expect(told.rules).toEqual([
      {
        text: 'is annotated do-not-disrupt, which ends 13:00 UTC',
        permits: false,
        nextChange: at('2026-03-10T13:00:00Z'),
      },
      {
        text: 'may not be moved in the window of batch (0 2 * * * for 1h)',
        permits: true,
        nextChange: at('2026-03-11T02:00:00Z'),
        schedule: 'batch',
      },
    ]);
    expect(told.pdbs).toEqual([{ namespace: 'shop', name: 'web', allowed: 1 }]);
    expect(told.movableAt).toBe(at('2026-03-10T13:00:00Z'));
    expect(told.node?.headline).toMatch(/^n1 stays until 13:00 UTC/);
  });
});

describe('J2: how a pool fares', () => {
  const sequential = { nodes: '1', topologyKey: zone, sequential: true };
  const turn = { pool: 'web', topologyKey: zone, domain: 'b', takenAt: longAgo, progressAt: noon, passedOver: ['a'] };
  const objects = [
    pool('web', { budgets: [sequential, { nodes: '3', schedule: '0 9 * * *', duration: '8h' }] }),
    machine('a1', { zone: 'a', drifted: longAgo, annotations: { 'lull.dev/hold': 'ask Ann' } }),
    machine('b1', { zone: 'b', drifted: longAgo }),
    machine('b2', { zone: 'b', drifted: longAgo }),
    ['a1', 'b1', 'b2'].map((name) => pod(`on-${name}`, name)),
  ];
  const told = why('web', objects, { ledger: ledger({ turns: [turn] }) }) as PoolWhy;

  it('says its budgets and whether they hold now', () => {
    expect(told.budgets).toEqual([
      { index: 0, nodes: '1', reasons: ['Drifted'], topologyKey: zone, sequential: true, active: true },
      {
        index: 1,
        nodes: '3',
        window: '0 9 * * * for 8h',
        active: true,
        nextChange: at('2026-03-10T17:00:00Z'),
      },
    ]);
    expect(told.allowances.find(({ reason }) => reason === 'Drifted')).toMatchObject({ limit: 3, left: 3, budget: 1 });
  });

  it('says whose turn it is and what was left behind', () => {
    expect(told.turns).toMatchObject([
      { topologyKey: zone, domain: 'b', leftBehind: [{ domain: 'a', nodes: ['a1'] }] },
    ]);
    expect(told.domains.map(({ domain, state }) => `${domain} ${state}`)).toEqual(['a waiting', 'b turn']);
  });

  it('says who may go, and who is held by what', () => {
    expect(told.mayGo).toEqual(['b1']);
    expect(told.held.map(({ code, nodes }) => `${code} ${nodes}`)).toEqual([
      'DomainBudgetSpent b2',
      'Held a1',
      'NotItsTurn a1',
    ]);
    expect(told.headline).toMatch(/^web has 1 may go now, 2 held, b2 waits for the cluster: /);
  });

  it.each([
    { it: 'at rest', own: {}, known: {}, says: 'web is at rest: no node of it has a reason to go' },
    {
      it: 'a fault',
      own: { consolidateAfter: 'soon' },
      known: {},
      says: /^web moves nothing: spec.disruption.consolidateAfter: /,
    },
    {
      it: 'backing off',
      own: {},
      known: { backoffs: [{ pool: 'web', until: '2026-03-10T12:04:00Z', delay: '4m' }] },
      says: 'web backs off until 12:04 UTC: its replacements kept failing',
    },
  ])('$it', ({ own, known, says }) => {
    const { headline } = why('pool/web', [pool('web', own), machine('n1'), pod()], { ledger: ledger(known) });
    if (typeof says === 'string') expect(headline).toBe(says);
    else expect(headline).toMatch(says);
  });
});

describe('L: as JSON', () => {
  const objects = [pool(), drifted, annotated(night), pdb('web', 0)];
  it.each(['node/n1', 'pod/shop/p', 'pool/web'])('%s comes back as it was', (target) => {
    const told = why(target, objects);
    const json = JSON.parse(JSON.stringify(whyAsJson(told)));
    expect(json.at).toBe(noon);
    expect(whyFromJson(json)).toEqual(told);
  });

  it.each([
    null,
    [],
    'x',
    {},
    { headline: 'x', at: noon, kind: 'node' },
    { headline: 'x', at: noon, kind: 'toString' },
  ])('%j is no answer', (json) => {
    expect(whyFromJson(json)).toBeUndefined();
  });
});
