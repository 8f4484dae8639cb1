import { describe, expect, it } from 'vitest';
import {
  at,
  decide,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  marked,
  noon,
  type Objects,
  type Plain,
  pdb,
  pod,
  podSchedule,
  pool,
  requestsOf,
  underway,
} from '../../../test/build.ts';

const optOut = { 'karpenter.sh/do-not-disrupt': 'true' };
const leaving = machine('n1', { drifted: longAgo, spec: marked() });
const draining = (fields: Plain = {}, name = 'n1'): Plain => underway(name, { step: 'draining', ...fields });
const begun = { evictedAt: '2026-03-10T11:59:00Z', drain: { left: 9, progressAt: '2026-03-10T11:59:00Z' } };
const carryOn = (objects: Objects, fields: Plain = {}, when = noon) =>
  decide([pool(), ...objects], { ledger: ledger({ commands: [draining(fields)] }), at: when });

describe('G6: the drain', () => {
  it('evicts the pod with the UID it observed, and no other', () => {
    const round = carryOn([leaving, pod('p1', 'n1')]);
    expect(round.actions).toEqual([
      {
        verb: 'evict',
        kind: 'Pod',
        namespace: 'shop',
        name: 'p1',
        preconditions: { uid: 'uid-p1' },
        command: 'drifted-n1',
      },
    ]);
  });

  it('records the first eviction before it is requested, and how many pods are left', () => {
    expect(carryOn([leaving, pod('p1'), pod('p2')]).ledger.commands).toMatchObject([
      { evictedAt: at(noon), drain: { left: 2, progressAt: at(noon) } },
    ]);
  });

  it('repeats its requests while nothing has changed, and leaves the ledger unchanged', () => {
    const objects = [pool(), leaving, pod('p1'), pod('p2')];
    const first = decide(objects, { ledger: ledger({ commands: [draining()] }) });
    const second = decide(objects, { ledger: first.ledger, at: '2026-03-10T12:00:01Z' });
    expect(second.actions).toEqual(first.actions);
    expect(second.ledger).toBe(first.ledger);
  });

  const critical = { priorityClassName: 'system-cluster-critical' };
  const tiers: Objects = [
    pod('a-normal'),
    pod('b-daemon', 'n1', { owner: 'DaemonSet/log' }),
    pod('c-critical', 'n1', { spec: critical }),
    pod('d-critical-daemon', 'n1', { owner: 'DaemonSet/net', spec: { priorityClassName: 'system-node-critical' } }),
  ];
  it.each([
    { tier: 'normal', from: 0, asks: ['evict shop/a-normal'] },
    { tier: 'DaemonSet', from: 1, asks: ['evict shop/b-daemon'] },
    { tier: 'critical', from: 2, asks: ['evict shop/c-critical'] },
    { tier: 'critical DaemonSet', from: 3, asks: ['evict shop/d-critical-daemon'] },
  ])('evicts $tier pods once the tiers before are gone', ({ from, asks }) => {
    expect(requestsOf(carryOn([leaving, ...tiers.slice(from)], begun))).toEqual(asks);
  });

  it('waits until the last pod of a tier is gone', () => {
    const ending = pod('a-normal', 'n1', { deleted: '2026-03-10T12:00:30Z' });
    const round = carryOn([leaving, ending, ...tiers.slice(1)], begun);
    expect(requestsOf(round)).toEqual([]);
    expect(round.commands[0]).toMatchObject({ step: 'draining' });
  });

  it.each([
    { it: 'mirror pods', parts: { owner: 'Node/n1' } },
    { it: 'pods that tolerate our taint', parts: { spec: { tolerations: [{ operator: 'Exists' }] } } },
    {
      it: "pods that tolerate Karpenter's",
      parts: { spec: { tolerations: [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }] } },
    },
    { it: 'pods that have ended', parts: { phase: 'Succeeded' } },
    { it: 'pods still terminating a minute after their grace has ended', parts: { deleted: '2026-03-10T11:58:59Z' } },
  ])('leaves $it, and deletes the claim', ({ parts }) => {
    const round = carryOn([leaving, pod('p1', 'n1', parts)], begun);
    expect(requestsOf(round)).toEqual(['delete NodeClaim n1-claim']);
    expect(round.ledger.commands).toMatchObject([{ step: 'terminating' }]);
  });

  it('sets wakeAt for a terminating pod', () => {
    const ending = pod('p1', 'n1', { deleted: '2026-03-10T12:00:30Z' });
    expect(carryOn([leaving, ending], begun).wakeAt).toBe(at('2026-03-10T12:01:30Z'));
  });

  it('of an unhealthy node evicts nothing and deletes the claim', () => {
    const ill = machine('n1', { ready: 'False', readySince: '2026-03-10T11:00:00Z', spec: marked() });
    const others = ['n2', 'n3', 'n4', 'n5'].map((name) => machine(name));
    expect(requestsOf(carryOn([ill, others, pod('p1', 'n1', {})], { reason: 'Unhealthy' }))).toEqual([
      'delete NodeClaim n1-claim',
    ]);
  });
});

describe('E9: each eviction checks the rules of the pod again', () => {
  const opening = {
    'karpenter.sh/disruption-schedule': '30 12 * * *',
    'karpenter.sh/disruption-schedule-duration': '1h',
  };
  it.each([
    { it: 'an opt-out', pod: pod('p1', 'n1', { annotations: optOut }), code: 'PodOptedOut', liftsAt: undefined },
    {
      it: 'a schedule',
      pod: pod('p1', 'n1', { annotations: opening }),
      code: 'PodScheduleClosed',
      liftsAt: '2026-03-10T12:30:00Z',
    },
  ])('the drain waits for $it added meanwhile, and evicts the other pods', ({ pod: held, code, liftsAt }) => {
    const round = carryOn([leaving, held, pod('p2')], begun);
    expect(requestsOf(round)).toEqual(['evict shop/p2']);
    const owner = { kind: 'Pod', namespace: 'shop', name: 'p1' };
    const lifts = liftsAt === undefined ? {} : { liftsAt: at(liftsAt) };
    expect(round.commands[0]?.waitingFor).toMatchObject([{ code, owner, ...lifts }]);
    if (liftsAt !== undefined) expect(round.wakeAt).toBe(at(liftsAt));
  });

  it('a PodDisruptionSchedule too', () => {
    const nights = podSchedule('nights', { selector: {}, schedule: '0 22 * * *', duration: '1h' });
    const round = carryOn([leaving, pod(), nights], begun);
    expect(requestsOf(round)).toEqual([]);
    expect(round.commands[0]?.waitingFor).toMatchObject([{ code: 'PodScheduleClosed', owner: { name: 'nights' } }]);
  });

  it('an opt-out for other reasons holds nothing', () => {
    const annotations = { ...optOut, 'karpenter.sh/do-not-disrupt-reasons': 'Underutilized' };
    expect(requestsOf(carryOn([leaving, pod('p1', 'n1', { annotations })], begun))).toEqual(['evict shop/p1']);
  });

  it('Interrupted ignores both', () => {
    const interrupted = machine('n1', { spec: marked(), claim: { conditions: { Interrupted: longAgo } } });
    const held = [pod('p1', 'n1', { annotations: optOut }), pod('p2', 'n1', { annotations: opening })];
    const round = carryOn([interrupted, held], { reason: 'Interrupted' });
    expect(requestsOf(round)).toEqual(['evict shop/p1', 'evict shop/p2']);
  });
});

describe('E10: a PodDisruptionBudget', () => {
  const on = (name: string, ...pods: readonly string[]) => [
    machine(name, { drifted: longAgo, spec: marked(`drifted-${name}`) }),
    pods.map((it) => pod(it, name)),
  ];
  const both = (allowed: number, first: Plain = {}) =>
    decide([pool(), on('n1', 'a', 'b'), on('n2', 'c', 'd'), pdb('web', allowed)], {
      ledger: ledger({
        commands: [draining({ ...begun }, 'n2'), draining({ ...begun, startedAt: '2026-03-10T11:58:00Z', ...first })],
      }),
    });

  it.each([
    { allowed: 0, asks: [] },
    { allowed: 1, asks: ['evict shop/a'] },
    { allowed: 3, asks: ['evict shop/a', 'evict shop/b', 'evict shop/c'] },
    { allowed: 9, asks: ['evict shop/a', 'evict shop/b', 'evict shop/c', 'evict shop/d'] },
  ])(
    'that allows $allowed bounds the evictions of all commands together, the oldest command first',
    ({ allowed, asks }) => {
      expect(requestsOf(both(allowed))).toEqual(asks);
    },
  );

  it('is reported once for each pod it holds', () => {
    const round = both(1);
    const waiting = round.commands.map(({ waitingFor }) =>
      waitingFor?.map(({ code, owner }) => `${code} ${owner?.name}`),
    );
    expect(waiting).toEqual([['PdbSpent web', 'PdbSpent web'], ['PdbSpent web']]);
  });

  it('does not count a pod that is not evicted', () => {
    const objects = [on('n1'), pod('a', 'n1', { annotations: optOut }), pod('b', 'n1'), pdb('web', 1)];
    expect(requestsOf(carryOn(objects, begun))).toEqual(['evict shop/b']);
  });

  it('with AlwaysAllow does not hold a pod that is not ready', () => {
    const spec = { selector: { matchLabels: { app: 'web' } }, unhealthyPodEvictionPolicy: 'AlwaysAllow' };
    const objects = [on('n1'), pod('a', 'n1', { ready: 'False' }), pdb('web', 0, spec)];
    expect(requestsOf(carryOn(objects, begun))).toEqual(['evict shop/a']);
  });

  it('does not let a pod be evicted that another one selects too', () => {
    const round = carryOn([on('n1', 'a'), pdb('one', 9), pdb('two', 9)], begun);
    expect(requestsOf(round)).toEqual([]);
    expect(round.commands[0]?.waitingFor).toMatchObject([{ code: 'PdbOverlap' }]);
  });
});

describe('G5: before the first eviction the gates are checked again', () => {
  const drifted = (more: Plain) => machine('n1', { drifted: longAgo, spec: marked(), ...more });
  it.each([
    {
      it: 'I4: no longer drifted',
      objects: [machine('n1', { spec: marked() }), pod()],
      why: /is no longer Drifted/,
    },
    { it: 'Held', objects: [drifted({ annotations: { 'lull.dev/hold': 'mine' } }), pod()], why: /^Held/ },
    { it: 'NodeOptedOut', objects: [drifted({ annotations: optOut }), pod()], why: /^NodeOptedOut/ },
    { it: 'NotReady', objects: [drifted({ ready: 'False', readySince: noon }), pod()], why: /^NotReady/ },
    { it: 'PodOptedOut', objects: [leaving, pod('p1', 'n1', { annotations: optOut })], why: /^PodOptedOut/ },
    { it: 'PdbOverlap', objects: [leaving, pod(), pdb('one', 9), pdb('two', 9)], why: /^PdbOverlap/ },
    { it: 'D6: a window', objects: [leaving, pod(), maintenanceWindow('freeze')], why: /^WindowBlocks/ },
  ])('$it: the node is released', ({ objects, why }) => {
    const round = carryOn(objects);
    expect(round.ledger.commands).toMatchObject([{ step: 'released', why: expect.stringMatching(why) }]);
    expect(requestsOf(round)).toEqual(['patch Node n1']);
  });

  it.each([
    { it: 'Held', objects: [drifted({ annotations: { 'lull.dev/hold': 'mine' } }), pod()] },
    { it: 'D6: a window', objects: [leaving, pod(), maintenanceWindow('freeze')] },
    { it: 'I4: no longer drifted', objects: [machine('n1', { spec: marked() }), pod()] },
  ])('after the first eviction the drain continues: $it', ({ objects }) => {
    expect(requestsOf(carryOn(objects, begun))).toEqual(['evict shop/p1']);
  });

  it('the drain waits for a PDB that allows no eviction', () => {
    const round = carryOn([leaving, pod(), pdb('web', 0)]);
    expect(round.ledger.commands).toMatchObject([{ step: 'draining' }]);
    expect(round.ledger.commands[0]).not.toHaveProperty('evictedAt');
    expect(round.commands[0]?.waitingFor).toMatchObject([{ code: 'PdbSpent' }]);
  });

  it('a pool that backs off only prevents starts', () => {
    const known = ledger({
      commands: [draining()],
      backoffs: [{ pool: 'web', until: '2026-03-10T12:10:00Z', delay: '1m' }],
    });
    expect(requestsOf(decide([pool(), leaving, pod()], { ledger: known }))).toEqual(['evict shop/p1']);
  });

  it('no gate refuses Interrupted', () => {
    const interrupted = machine('n1', {
      spec: marked(),
      annotations: { 'lull.dev/hold': 'mine' },
      claim: { conditions: { Interrupted: longAgo } },
    });
    expect(requestsOf(carryOn([interrupted, pod(), maintenanceWindow('freeze')], { reason: 'Interrupted' }))).toEqual([
      'evict shop/p1',
    ]);
  });
});

describe('G7: a drain without progress', () => {
  const held = [leaving, pod('p1', 'n1', { annotations: optOut })];
  const since = (left: number, progressAt: string) => ({ evictedAt: progressAt, drain: { left, progressAt } });

  it('reports what holds it, and leaves the ledger unchanged', () => {
    const known = ledger({ commands: [draining(since(1, '2026-03-10T11:30:00Z'))] });
    const round = decide([pool(), held], { ledger: known });
    expect(round.commands[0]?.waitingFor).toMatchObject([{ code: 'PodOptedOut', owner: { name: 'p1' } }]);
    expect(round.ledger).toBe(known);
    expect(round.wakeAt).toBe(at('2026-03-10T12:30:00Z'));
  });

  it('is released after drainTimeout without progress, and its pool backs off', () => {
    const round = carryOn(held, since(1, '2026-03-10T11:00:00Z'));
    expect(requestsOf(round)).toEqual(['patch Node n1']);
    expect(round.ledger.commands).toMatchObject([
      { step: 'released', why: 'its drain made no progress for 1h: pod shop/p1 is annotated do-not-disrupt' },
    ]);
    expect(round.ledger.backoffs).toMatchObject([{ pool: 'web', delay: 60_000 }]);
  });

  it('A2: is not released for a reason that no gate could keep from starting again', () => {
    const spent = [leaving, pod('p1', 'n1', { labels: { app: 'web' } }), pdb('web', 0)];
    const interrupted = machine('n1', {
      spec: marked('interrupted-n1'),
      claim: { conditions: { Interrupted: longAgo } },
    });
    const known = ledger({
      commands: [underway('n1', { reason: 'Interrupted', step: 'draining', ...since(1, '2026-03-10T10:00:00Z') })],
    });
    const round = decide([pool(), interrupted, ...spent.slice(1)], { ledger: known });
    expect(round.commands).toMatchObject([{ step: 'draining', waitingFor: [{ code: 'PdbSpent' }] }]);
    expect(carryOn(spent, since(1, '2026-03-10T10:00:00Z')).ledger.commands).toMatchObject([{ step: 'released' }]);
  });

  it('drainTimeout is a setting', () => {
    const known = ledger({ commands: [draining(since(1, '2026-03-10T11:55:00Z'))] });
    const round = decide([pool(), held], { ledger: known, settings: { drainTimeout: '5m' } });
    expect(round.ledger.commands).toMatchObject([{ step: 'released' }]);
  });

  it('one pod fewer is progress', () => {
    const round = carryOn(held, since(2, '2026-03-10T11:00:00Z'));
    expect(round.ledger.commands).toMatchObject([{ step: 'draining', drain: { left: 1, progressAt: at(noon) } }]);
  });

  it('progress is recorded at most once a minute, and not lost', () => {
    const known = ledger({ commands: [draining(since(2, '2026-03-10T11:59:30Z'))] });
    const soon = decide([pool(), held], { ledger: known });
    expect(soon.ledger).toBe(known);
    expect(soon.wakeAt).toBe(at('2026-03-10T12:00:30Z'));
    const later = decide([pool(), held], { ledger: known, at: '2026-03-10T12:00:30Z' });
    expect(later.ledger.commands).toMatchObject([{ drain: { left: 1, progressAt: at('2026-03-10T12:00:30Z') } }]);
  });

  it('a pod that terminates within its grace keeps the drain from being released', () => {
    const slow = pod('p2', 'n1', { deleted: '2026-03-10T13:00:00Z' });
    const round = carryOn([held, slow], since(1, '2026-03-10T10:00:00Z'));
    expect(round.commands[0]).toMatchObject({ step: 'draining' });
  });
});

describe('G1: in observe no command is advanced', () => {
  const parked = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': longAgo };
  it.each(['lull', 'karpenter'])('whether its hands are lull or karpenter: %s', (hands) => {
    const known = ledger({ commands: [draining({ hands, step: hands === 'lull' ? 'draining' : 'offered' })] });
    const round = decide([pool(), machine('n1', { drifted: longAgo, annotations: parked }), pod()], {
      ledger: known,
      settings: { role: 'observe' },
    });
    expect(round.actions).toEqual([]);
    expect(round.ledger).toBe(known);
    expect(round.commands).toEqual(known.commands);
  });
});
