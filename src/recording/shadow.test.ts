// Comparison of recorded Karpenter disruptions with a policy.
import { describe, expect, it } from 'vitest';
import {
  at,
  longAgo,
  machine,
  maintenanceWindow,
  noon,
  type Objects,
  type Plain,
  pod,
  pool,
  settings,
  zone,
} from '../../test/build.ts';
import { roundAsJson } from '../cli/decide/roundJson.ts';
import { emptyLedger } from '../cluster/ledger.ts';
import { ClusterStore } from '../cluster/store.ts';
import { decideRound } from '../engine/round.ts';
import { formatInstant, type Instant, minute } from '../time/instant.ts';
import { ObservedObjects, RoundRecorder } from './recorder.ts';
import { put, remove, settingsOf } from './replay.ts';
import { type Shadow, type ShadowedNode, shadowRecording } from './shadow.ts';

/** What Lull observes in a minute: an object as it is from then on, one that is gone, or its own restart. */
type Sight = Plain | { readonly gone: Plain } | 'restart';
type Minutes = Readonly<Record<number, readonly (Sight | readonly Sight[])[]>>;

/** Others disrupt nodes, and a Lull in the role observe records it, one round a minute from noon on. */
function watched(objects: Objects, minutes: Minutes, { rounds = 10, pools }: { rounds?: number; pools?: Plain } = {}) {
  const lines: string[] = [];
  const observed = new ObservedObjects();
  let cluster = new ClusterStore();
  const role = settings({ role: 'observe', ...(pools && { pools }) });
  const recorder = new RoundRecorder({ write: (line) => lines.push(line), program: '1', settings: role, observed });
  const see = (sight: Sight): void => {
    if (sight === 'restart') {
      cluster = new ClusterStore();
      observed.restart();
      return;
    }
    const isGone = 'gone' in sight;
    const object = (isGone ? sight.gone : sight) as Plain;
    observed.read(object, isGone);
    const { namespace, name } = object.metadata as { namespace?: string; name: string };
    if (isGone) remove(cluster, { kind: String(object.kind), name, ...(namespace !== undefined && { namespace }) });
    else put(cluster, object);
  };
  for (const object of objects.flat(9) as Plain[]) see(object);
  for (let n = 0; n < rounds; n++) {
    for (const sight of (minutes[n] ?? []).flat() as Sight[]) see(sight);
    const now = (at(noon) + n * minute) as Instant;
    const round = decideRound({ cluster, ledger: emptyLedger }, now, role);
    recorder.round({ at: now, ledger: emptyLedger, printed: roundAsJson(round, emptyLedger) });
  }
  recorder.end();
  return lines.join('\n');
}

const ask = (text: string, objects: Objects = [], pairs: Plain = {}): Shadow =>
  shadowRecording(text, {
    objects: objects.flat(9) as Plain[],
    settings: (values) => settingsOf({ ...values, ...pairs }, 1),
  });

function say({ node, reason, at: when, opinion, notAsked, goneAt, releasedAt }: ShadowedNode): string {
  const clock = (it: Instant): string => formatInstant(it).slice(11, 16);
  const ends = goneAt ? ` gone ${clock(goneAt)}` : releasedAt ? ` released ${clock(releasedAt)}` : '';
  const codes = opinion?.refusals.map(({ code }) => code).join(' ');
  return `${node} ${reason ?? '-'} ${clock(when)} ${notAsked ? 'not asked' : codes || 'allowed'}${ends}`;
}

const told = (...parameters: Parameters<typeof ask>): string[] => ask(...parameters).taken.map(say);

const minuteOf = (n: number): string => `2026-03-10T12:0${n}:00Z`;
const disrupted = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' };
const condition = (reason: string, n: number): Plain => ({
  DisruptionReason: { reason, status: 'True', lastTransitionTime: minuteOf(n) },
});

interface Parts {
  readonly zone?: string;
  readonly pool?: string;
}

const drifted = (name: string, parts: Parts = {}): Plain[] => machine(name, { drifted: longAgo, ...parts });
const [byTaint, byClaim] = [0, 1];
/** As Karpenter marks it for drift in some minute. */
const taken = (name: string, n: number, parts: Parts = {}): Plain[] =>
  machine(name, {
    drifted: longAgo,
    ...parts,
    spec: { taints: [disrupted] },
    claim: { conditions: condition('Drifted', n) as Record<string, Plain> },
  });
const gone = (name: string, parts: Parts = {}): Sight[] => drifted(name, parts).map((object) => ({ gone: object }));

const oneByOne = pool('web', { budgets: [{ nodes: '1' }] });
const three = [drifted('n1'), drifted('n2'), drifted('n3')];

describe('shadow: each node is judged as it was before it was taken', () => {
  it('nodes disrupted one by one are allowed: a node does not use up its own unit', () => {
    const text = watched([oneByOne, three], { 2: taken('n1', 2), 4: gone('n1'), 5: taken('n2', 5) });
    expect(told(text)).toEqual(['n1 Drifted 12:02 allowed gone 12:04', 'n2 Drifted 12:05 allowed']);
    expect(ask(text).taken[0]?.opinion).toMatchObject({ pool: { limit: 1, inUse: 0 }, inFlight: 1 });
  });

  it('a node is allowed even if Lull would have chosen another', () => {
    expect(told(watched([oneByOne, three], { 2: taken('n3', 2) }))).toEqual(['n3 Drifted 12:02 allowed']);
  });

  it('a second node at a time is beyond the limit, in the same round or the next', () => {
    const apart = watched([oneByOne, three], { 2: taken('n1', 2), 3: taken('n2', 3) });
    expect(told(apart)).toEqual(['n1 Drifted 12:02 allowed', 'n2 Drifted 12:03 BudgetSpent']);
    const together = watched([oneByOne, three], { 2: [taken('n1', 2), taken('n2', 2)] });
    expect(told(together)).toEqual(['n1 Drifted 12:02 allowed', 'n2 Drifted 12:02 BudgetSpent']);
    expect(ask(together).taken[1]?.opinion).toMatchObject({ pool: { limit: 1, inUse: 1 }, inFlight: 2 });
  });

  it('a taint alone counts already; the reason may show a round later', () => {
    const [node] = [taken('n1', 2)[byTaint] as Plain];
    const text = watched([oneByOne, three], {
      2: [node],
      3: [taken('n2', 3)],
      4: [taken('n1', 4)[byClaim] as Plain],
    });
    expect(told(text)).toEqual(['n1 Drifted 12:02 allowed', 'n2 Drifted 12:03 BudgetSpent']);
  });

  it('the instant is that of the mark, but not before the previous round', () => {
    const window = maintenanceWindow('freeze', { notBefore: '2026-03-10T12:02:00Z' });
    const late = watched([oneByOne, window, three], { 2: taken('n1', 1) });
    expect(told(late)).toEqual(['n1 Drifted 12:01 allowed']);
    const older = watched([oneByOne, window, three], { 5: taken('n1', 1) });
    expect(told(older)).toEqual(['n1 Drifted 12:04 WindowBlocks']);
  });

  it('drift that shows together with the mark counts as drift', () => {
    const text = watched([oneByOne, machine('n1')], { 2: taken('n1', 2) });
    expect(told(text)).toEqual(['n1 Drifted 12:02 allowed']);
  });

  it('a node marked and gone between two rounds is judged too', () => {
    const text = watched([oneByOne, three, maintenanceWindow('freeze')], { 2: [taken('n1', 2), gone('n1')] });
    expect(told(text)).toEqual(['n1 Drifted 12:02 WindowBlocks gone 12:02']);
  });

  it('a protected pod, a user’s own opt-out', () => {
    const keeps = pod('p', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    expect(told(watched([oneByOne, three, keeps], { 2: taken('n1', 2) }))).toEqual(['n1 Drifted 12:02 PodOptedOut']);
  });
});

describe('shadow: until when it would have been held', () => {
  it('an instant if time alone lifts it, and words if it does not', () => {
    const window = maintenanceWindow('freeze', { notAfter: '2026-03-10T18:12:00Z' });
    const text = watched([oneByOne, window, three], { 0: [], 2: taken('n1', 2), 3: taken('n2', 3) });
    const [first, second] = ask(text).taken;
    expect(first?.opinion?.until).toEqual({ at: at('2026-03-10T18:12:00Z') });
    expect(second?.opinion?.until).toEqual({
      notBefore: at('2026-03-10T18:12:00Z'),
      besides: 'the cluster changes',
    });
    const forEver = ask(text, [maintenanceWindow('freeze')]).taken[0];
    expect(forEver?.opinion?.until).toBe('someone acts');
  });
});

describe('C11: the turn goes where Karpenter begins, and stays there', () => {
  const zones = pool('web', {
    budgets: [{ nodes: '1', topologyKey: zone, sequential: true, settle: '3m', reasons: ['Drifted'] }],
  });
  const a = { zone: 'a' };
  const b = { zone: 'b' };
  const four = [drifted('a1', a), drifted('a2', a), drifted('b1', b), drifted('b2', b)];

  it('to begin with another zone than Lull would is allowed', () => {
    expect(told(watched([zones, four], { 2: taken('b1', 2, b) }))).toEqual(['b1 Drifted 12:02 allowed']);
  });

  it('another zone in between is not', () => {
    const text = watched([zones, four], {
      2: taken('b1', 2, b),
      3: gone('b1', b),
      4: taken('a1', 4, a),
      5: taken('b2', 5, b),
    });
    expect(told(text)).toEqual([
      'b1 Drifted 12:02 allowed gone 12:03',
      'a1 Drifted 12:04 NotItsTurn',
      'b2 Drifted 12:05 AnotherDomainInFlight',
    ]);
    expect(ask(text).taken[2]?.opinion?.zones).toEqual(['a', 'b']);
  });

  it.each([
    { when: 5, says: 'DomainSettling' },
    { when: 6, says: 'allowed' },
  ])('C13: the next zone $when minutes on is $says', ({ when, says }) => {
    const text = watched([zones, drifted('b1', b), drifted('a1', a)], {
      2: taken('b1', 2, b),
      3: gone('b1', b),
      [when]: taken('a1', when, a),
    });
    expect(told(text)[1]).toBe(`a1 Drifted 12:0${when} ${says}`);
  });

  it('C12: a turn that has passed goes to the zone where Karpenter continues', () => {
    const c = { zone: 'c' };
    const text = watched([zones, drifted('b1', b), drifted('a1', a), drifted('c1', c)], {
      2: taken('b1', 2, b),
      3: gone('b1', b),
      8: taken('c1', 8, c),
      9: taken('a1', 9, a),
    });
    expect(told(text).slice(1)).toEqual(['c1 Drifted 12:08 allowed', 'a1 Drifted 12:09 NotItsTurn']);
  });

  it('C13: pods that do not run again hold the next zone', () => {
    const [was, is] = [pod('p', 'b1'), pod('p2', '', { phase: 'Pending' })];
    const text = watched([zones, drifted('b1', b), drifted('a1', a), was], {
      2: taken('b1', 2, b),
      3: [gone('b1', b), { gone: was }, is],
      9: taken('a1', 9, a),
    });
    expect(told(text)[1]).toBe('a1 Drifted 12:09 DomainSettling');
  });
});

describe('shadow: why a node was taken', () => {
  const deleted = (name: string, claim: Plain = {}): Plain[] =>
    machine(name, { claim: { deleted: minuteOf(2), ...claim } });

  it.each([
    { name: 'a claim that is as old as it may be', spec: { expireAfter: '228h2m' }, says: 'n1 Expired 12:02 allowed' },
    { name: 'one that is not', spec: { expireAfter: '720h' }, says: 'n1 - 12:02 not asked' },
    { name: 'one that never expires', spec: { expireAfter: 'Never' }, says: 'n1 - 12:02 not asked' },
  ])('$name', ({ spec, says }) => {
    const text = watched([oneByOne, machine('n1', { claim: { spec } })], { 2: deleted('n1', { spec }) });
    expect(told(text)).toEqual([says]);
  });

  it('an interruption by the cloud is always allowed', () => {
    const warned = machine('n1', { claim: { deleted: minuteOf(2), conditions: { Interrupted: minuteOf(2) } } });
    const text = watched([oneByOne, machine('n1'), maintenanceWindow('freeze')], { 2: warned });
    expect(told(text)).toEqual(['n1 Interrupted 12:02 allowed']);
  });

  it('a claim deleted for no known reason is not judged, but uses up a unit', () => {
    const text = watched([oneByOne, three], { 2: deleted('n3'), 3: taken('n1', 3) });
    expect(told(text)).toEqual(['n3 - 12:02 not asked', 'n1 Drifted 12:03 BudgetSpent']);
  });

  const tainted = (name: string, parts: Plain = {}): Plain[] =>
    machine(name, { ...parts, spec: { taints: [disrupted] } });
  const moved = (name: string): Plain[] => tainted(name, { claim: { deleted: minuteOf(4) } });

  it.each([
    {
      name: 'drift, where the claim has drifted',
      parts: { drifted: longAgo },
      pods: [pod('p', 'n1')],
      says: 'Drifted',
    },
    { name: 'emptiness, where no pod must move', parts: {}, pods: [], says: 'Empty' },
    { name: 'consolidation, where one must', parts: {}, pods: [pod('p', 'n1')], says: 'Underutilized' },
  ])('C4: beside Karpenter 1.0 and 1.1, which set no reason, the taint tells: $name', ({ parts, pods, says }) => {
    const text = watched([oneByOne, machine('n1', parts), pods], { 2: tainted('n1', parts), 4: moved('n1') });
    expect(told(text).map((it) => it.split(' ').slice(0, 3).join(' '))).toEqual([`n1 ${says} 12:02`]);
  });

  it('C4: nodes with the taint alone count in limits from the taint on', () => {
    const text = watched([oneByOne, three], {
      2: tainted('n1', { drifted: longAgo }),
      3: tainted('n2', { drifted: longAgo }),
    });
    expect(told(text)).toEqual(['n1 Drifted 12:02 allowed', 'n2 Drifted 12:03 BudgetSpent']);
  });

  it('the taint of a node whose claim was deleted by hand tells nothing', () => {
    const both = machine('n1', { drifted: longAgo, spec: { taints: [disrupted] }, claim: { deleted: minuteOf(2) } });
    expect(told(watched([oneByOne, three], { 2: both }))).toEqual(['n1 - 12:02 not asked']);
  });

  it('a node of a pool that Lull does not govern is not judged', () => {
    const own = [pool('own', { labels: { team: 'x' } }), drifted('o1', { pool: 'own' })];
    const pools = { matchLabels: { team: 'y' } };
    const text = watched([oneByOne, own], { 2: taken('o1', 2, { pool: 'own' }) }, { pools });
    expect(told(text)).toEqual(['o1 Drifted 12:02 not asked']);
  });
});

describe('shadow: what Lull did not see begin or end', () => {
  it('a node released and taken again has two entries', () => {
    const text = watched([oneByOne, three], { 2: taken('n1', 2), 4: drifted('n1'), 6: taken('n1', 6) });
    expect(told(text)).toEqual(['n1 Drifted 12:02 allowed released 12:04', 'n1 Drifted 12:06 allowed']);
  });

  it('a disruption under way when the recording begins is counted, but not judged', () => {
    const text = watched([oneByOne, taken('n1', 0), drifted('n2')], { 2: taken('n2', 2) });
    expect(told(text)).toEqual(['n2 Drifted 12:02 BudgetSpent']);
    expect(ask(text).before).toEqual(['n1']);
  });

  it('a deleted claim has one entry, even if its node exists a while longer', () => {
    const claim = { deleted: minuteOf(2), spec: { expireAfter: '228h2m' } };
    const [node, deleting] = machine('n1', { claim }) as [Plain, Plain];
    const text = watched([oneByOne, machine('n1', { claim: { spec: claim.spec } })], {
      2: [deleting],
      3: [{ gone: deleting }],
      4: [node],
      6: [{ gone: node }],
    });
    expect(told(text)).toEqual(['n1 Expired 12:02 allowed gone 12:06']);
  });

  it('a node that went while Lull was down is not judged', () => {
    const text = watched([oneByOne, three], { 3: ['restart', oneByOne, ...drifted('n2'), ...drifted('n3')] });
    expect(told(text)).toEqual(['n1 - 12:03 not asked gone 12:03']);
  });

  it('a disruption under way across a restart has one entry', () => {
    const again: Sight[] = ['restart', oneByOne, ...taken('n1', 2), ...drifted('n2'), ...drifted('n3')];
    const text = watched([oneByOne, three], { 2: taken('n1', 2), 3: again, 4: taken('n2', 4) });
    expect(told(text)).toEqual(['n1 Drifted 12:02 allowed', 'n2 Drifted 12:04 BudgetSpent']);
  });

  it('without disruptions there are no entries', () => {
    expect(ask(watched([oneByOne, three], {}))).toMatchObject({ taken: [], before: [], rounds: 10 });
  });
});

describe('shadow: another policy', () => {
  const text = watched([oneByOne, three], { 2: taken('n1', 2), 3: taken('n2', 3) });

  it('a wider budget', () => {
    expect(told(text, [pool('web', { budgets: [{ nodes: '2' }] })])).toEqual([
      'n1 Drifted 12:02 allowed',
      'n2 Drifted 12:03 allowed',
    ]);
  });

  it('a window beside it', () => {
    const window = maintenanceWindow('freeze', { notAfter: '2026-03-10T12:03:00Z' });
    expect(told(text, [window])).toEqual(['n1 Drifted 12:02 WindowBlocks', 'n2 Drifted 12:03 BudgetSpent']);
  });

  it('another setting', () => {
    const annotations = { 'lull.dev/budgets': '[{nodes: "3", reasons: [Drifted]}, {nodes: "1"}]' };
    const named = pool('web', { budgets: [{ nodes: '3' }], annotations });
    expect(told(text, [named])[1]).toBe('n2 Drifted 12:03 allowed');
    expect(told(text, [named], { defaultBudgets: 'ceiling' })[1]).toBe('n2 Drifted 12:03 BudgetSpent');
  });
});
