import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  noon,
  type Objects,
  type Plain,
  pdb,
  pod,
  pool,
  requestsOf,
  startsOf,
  underway,
} from '../../../test/build.ts';
import type { Round } from '../verdict.ts';

const doNotDisrupt = 'karpenter.sh/do-not-disrupt';
const parkedMark = 'lull.dev/parked';
const keptBefore = 'lull.dev/do-not-disrupt-before';
const hash = 'karpenter.sh/nodepool-hash';
const before = 'lull.dev/nodepool-hash-before';
const parked = { [doNotDisrupt]: 'true', [parkedMark]: longAgo };
const role = { role: 'guide' };

const guide = (objects: Objects, commands: readonly Plain[] = [], more: Plain = {}): Round =>
  decide(objects, { settings: { ...role, ...more }, ledger: ledger({ commands }) });
const inStep = (step: string, fields: Plain = {}): Plain => underway('n1', { hands: 'karpenter', step, ...fields });
const offered = (fields: Plain = {}): Plain => inStep('offered', fields);
const drifted = (parts: Parameters<typeof machine>[1] = {}) => machine('n1', { drifted: longAgo, ...parts });
const kept = (value: string) => ({ annotations: { [doNotDisrupt]: value } });
const stepOf = ({ commands }: Round): string | undefined => commands[0]?.step;
const path = (key: string): string => `/metadata/annotations/${key.replace('/', '~1')}`;

describe('N11: offers withheld', () => {
  const withhold = 'Karpenter is away.';
  const why = `Lull offers no nodes to Karpenter at present: ${withhold}`;

  it('no node is offered, and new nodes are still parked', () => {
    const objects = [pool(), drifted({ annotations: parked }), machine('n2')];
    expect(startsOf(guide(objects, [], { withhold }))).toEqual([]);
    expect(requestsOf(guide(objects, [], { withhold }))).toEqual(['patch Node n2']);
    expect(codesOf(guide(objects, [], { withhold }), 'n1', 'Drifted')).toEqual(['OffersWithheld']);
    expect(startsOf(guide(objects))).toEqual(['n1 Drifted']);
  });

  it('nor is a node that the cloud interrupts', () => {
    const spec = { taints: [{ key: 'aws-node-termination-handler/spot-itn', effect: 'NoSchedule' }] };
    const objects = [pool(), machine('n1', { annotations: parked, spec })];
    expect(codesOf(guide(objects, [], { withhold }), 'n1', 'Interrupted')).toEqual(['OffersWithheld']);
    expect(requestsOf(guide(objects, [], { withhold }))).toEqual([]);
  });

  it.each(['Drifted', 'Interrupted'])('an offer that Karpenter has not taken is withdrawn (%s)', (reason) => {
    const spec = { taints: [{ key: 'aws-node-termination-handler/spot-itn', effect: 'NoSchedule' }] };
    const objects = [pool(), drifted(reason === 'Drifted' ? {} : { spec })];
    const round = guide(objects, [offered({ reason })], { withhold });
    expect(round.commands).toMatchObject([{ step: 'withdrawn', why: `OffersWithheld: ${why}` }]);
    expect(requestsOf(round)).toEqual(['patch Node n1']);
  });

  it('a node that Karpenter has taken stays taken', () => {
    const taints = [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }];
    expect(stepOf(guide([pool(), drifted({ spec: { taints } })], [offered()], { withhold }))).toBe('taken');
  });

  it('have no effect in drive', () => {
    const round = decide([pool(), drifted()], { settings: { role: 'drive', withhold } });
    expect(startsOf(round)).toHaveLength(1);
  });
});

describe('N2, N3: parking', () => {
  it.each([
    { it: 'a governed node is parked as soon as it is seen', parts: {}, asks: ['patch Node n1'] },
    {
      it: 'also before it is initialized',
      parts: { labels: { 'karpenter.sh/initialized': 'false' } },
      asks: ['patch Node n1'],
    },
    { it: 'a parked node stays parked', parts: { annotations: parked }, asks: [] },
    { it: "a user's opt-out is never touched", parts: { annotations: { [doNotDisrupt]: 'true' } }, asks: [] },
    {
      it: 'an opt-out with a duration, which Karpenter does not read, is parked over',
      parts: kept('8h'),
      asks: ['patch Node n1'],
    },
    { it: 'an opt-out of "false" is parked over', parts: kept('false'), asks: ['patch Node n1'] },
    {
      it: 'a missing annotation of a parked node is added',
      parts: { annotations: { [parkedMark]: longAgo } },
      asks: ['patch Node n1'],
    },
    { it: 'a node whose claim is deleted is left alone', parts: { claim: { deleted: noon } }, asks: [] },
    {
      it: 'so is a node that Karpenter is disrupting',
      parts: { spec: { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] } },
      asks: [],
    },
  ])('$it', ({ parts, asks }) => {
    expect(requestsOf(guide([pool(), machine('n1', parts)]))).toEqual(asks);
  });

  it('N2: the at-birth marks are removed from a claim once its node is registered, not before', () => {
    const born = { [doNotDisrupt]: 'true', [parkedMark]: 'at-birth' };
    const grown = machine('n1', { annotations: born, claim: { annotations: born } });
    expect(requestsOf(guide([pool(), grown]))).toEqual(['patch NodeClaim n1-claim']);
    expect(guide([pool(), grown]).actions[0]?.patch).toEqual([
      { op: 'test', path: path(doNotDisrupt), value: 'true' },
      { op: 'test', path: path(parkedMark), value: 'at-birth' },
      { op: 'remove', path: path(doNotDisrupt) },
      { op: 'remove', path: path(parkedMark) },
    ]);
    const labels = { 'karpenter.sh/registered': undefined, 'karpenter.sh/initialized': undefined };
    const early = machine('n1', { annotations: born, labels, claim: { annotations: born } });
    expect(requestsOf(guide([pool(), early]))).toEqual([]);
    const leaving = machine('n1', { claim: { annotations: born, deleted: noon } });
    expect(requestsOf(guide([pool(), leaving]))).toEqual([]);
  });

  it('N2: a node parked at birth is offered like any other, and its claim does not park it again', () => {
    const born = { [doNotDisrupt]: 'true', [parkedMark]: 'at-birth' };
    const objects = [pool(), drifted({ annotations: born, claim: { annotations: born } })];
    expect(requestsOf(guide(objects)).toSorted()).toEqual(['patch Node n1', 'patch NodeClaim n1-claim']);
    const open = [pool(), drifted({ claim: { annotations: born } })];
    expect(requestsOf(guide(open, [offered()]))).toEqual(['patch NodeClaim n1-claim']);
  });

  it('N2: a duration from the template is restored on the claim', () => {
    const born = { [doNotDisrupt]: 'true', [parkedMark]: 'at-birth', [keptBefore]: '8h' };
    const { actions } = guide([pool(), machine('n1', { annotations: born, claim: { annotations: born } })]);
    expect(actions[0]?.patch?.filter(({ op }) => op !== 'test')).toEqual([
      { op: 'add', path: path(doNotDisrupt), value: '8h' },
      { op: 'remove', path: path(parkedMark) },
      { op: 'remove', path: path(keptBefore) },
    ]);
  });

  it('N2: in a pool that is not governed, node and claim both lose the at-birth marks', () => {
    const born = { [doNotDisrupt]: 'true', [parkedMark]: 'at-birth' };
    const objects = [pool(), machine('n1', { annotations: born, claim: { annotations: born } })];
    expect(requestsOf(guide(objects, [], { pools: 'team=other' }))).toEqual([
      'patch Node n1',
      'patch NodeClaim n1-claim',
    ]);
  });

  it('both annotations are written in one patch that tests that neither exists', () => {
    expect(guide([pool(), machine('n1')]).actions[0]?.patch).toEqual([
      { op: 'test', path: '/metadata/annotations', value: null },
      { op: 'add', path: '/metadata/annotations', value: { [doNotDisrupt]: 'true', [parkedMark]: noon } },
    ]);
    expect(guide([pool(), machine('n1', { annotations: { a: 'b' } })]).actions[0]?.patch).toEqual([
      { op: 'test', path: path(doNotDisrupt), value: null },
      { op: 'test', path: path(parkedMark), value: null },
      { op: 'add', path: path(doNotDisrupt), value: 'true' },
      { op: 'add', path: path(parkedMark), value: noon },
    ]);
  });

  it('a user value that Karpenter does not read is kept in a second annotation', () => {
    expect(guide([pool(), machine('n1', kept('8h'))]).actions[0]?.patch).toEqual([
      { op: 'test', path: path(doNotDisrupt), value: '8h' },
      { op: 'test', path: path(parkedMark), value: null },
      { op: 'test', path: path(keptBefore), value: null },
      { op: 'add', path: path(doNotDisrupt), value: 'true' },
      { op: 'add', path: path(parkedMark), value: noon },
      { op: 'add', path: path(keptBefore), value: '8h' },
    ]);
  });

  it.each([
    { it: 'a node parked over a user value stays parked', annotations: { ...parked, [keptBefore]: '8h' }, asks: [] },
    { it: 'a user value written while parked is kept', annotations: { ...parked, [doNotDisrupt]: '4h' }, now: '4h' },
    {
      it: 'the kept value is dropped when the user removes do-not-disrupt',
      annotations: { [parkedMark]: longAgo, [keptBefore]: '8h' },
      now: undefined,
    },
  ])('$it', ({ annotations, now, asks = ['patch Node n1'] }) => {
    const round = guide([pool(), machine('n1', { annotations })]);
    expect(requestsOf(round)).toEqual(asks);
    const after = round.actions[0]?.patch?.find((it) => it.op !== 'test' && it.path === path(keptBefore));
    expect(after?.value).toBe(now);
  });

  it('a node whose pool is no longer governed is released', () => {
    const round = guide([pool(), machine('n1', { annotations: parked })], [], { pools: 'team=a' });
    expect(requestsOf(round)).toEqual(['patch Node n1']);
    expect(round.actions[0]?.patch?.filter(({ op }) => op === 'remove')).toHaveLength(2);
  });

  it.each(['observe', 'drive'])('in %s nothing is parked', (other) => {
    expect(requestsOf(decide([pool(), machine('n1')], { settings: { role: other } }))).toEqual([]);
  });
});

describe('N2: offering', () => {
  it('removes both annotations, if they are still as observed', () => {
    const round = guide([pool(), drifted({ annotations: parked })]);
    expect(startsOf(round)).toEqual(['n1 Drifted']);
    expect(round.actions).toMatchObject([
      {
        verb: 'patch',
        kind: 'Node',
        name: 'n1',
        patch: [
          { op: 'test', path: path(doNotDisrupt), value: 'true' },
          { op: 'test', path: path(parkedMark), value: longAgo },
          { op: 'remove', path: path(doNotDisrupt) },
          { op: 'remove', path: path(parkedMark) },
        ],
      },
    ]);
  });

  it('restores the value a user wrote, once it no longer protects the node', () => {
    const annotations = { ...parked, [keptBefore]: '8h' };
    const round = guide([pool(), drifted({ annotations })]);
    expect(startsOf(round)).toEqual(['n1 Drifted']);
    expect(round.actions[0]?.patch?.filter(({ op }) => op !== 'test')).toEqual([
      { op: 'add', path: path(doNotDisrupt), value: '8h' },
      { op: 'remove', path: path(parkedMark) },
      { op: 'remove', path: path(keptBefore) },
    ]);
    const young = drifted({ annotations, created: '2026-03-10T11:00:00Z' });
    expect(codesOf(guide([pool(), young]), 'n1', 'Drifted')).toEqual(['NodeOptedOut']);
  });

  it('is requested until the node is no longer parked', () => {
    expect(requestsOf(guide([pool(), drifted({ annotations: parked })], [offered()]))).toEqual(['patch Node n1']);
    expect(requestsOf(guide([pool(), drifted()], [offered()]))).toEqual([]);
  });

  it('an offered node counts as consumed (C4)', () => {
    const one = pool('web', { annotations: { 'lull.dev/budgets': '[{nodes: 1}]' } });
    const round = guide([one, drifted(), machine('n2', { drifted: longAgo, annotations: parked })], [offered()]);
    expect(codesOf(round, 'n2', 'Drifted')).toEqual(['BudgetSpent']);
  });
});

describe('G1: offered → taken → gone, or withdrawn', () => {
  const taint = { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] };
  const begun = { conditions: { DisruptionReason: { reason: 'Drifted' } } };
  it.each([
    { it: "taken when it has Karpenter's taint", objects: [drifted({ spec: taint })], from: 'offered', to: 'taken' },
    {
      it: 'taken when its claim has a disruption reason',
      objects: [drifted({ claim: begun })],
      from: 'offered',
      to: 'taken',
    },
    {
      it: 'taken when its claim is deleted',
      objects: [drifted({ claim: { deleted: noon } })],
      from: 'offered',
      to: 'taken',
    },
    { it: 'gone when node and claim are gone', objects: [], from: 'taken', to: undefined },
    { it: 'gone without having been seen taken', objects: [], from: 'offered', to: undefined },
    {
      it: 'taken though it was being withdrawn',
      objects: [drifted({ spec: taint })],
      from: 'withdrawn',
      to: 'taken',
    },
    { it: 'withdrawn when Karpenter gives it up', objects: [drifted()], from: 'taken', to: 'withdrawn' },
    { it: 'withdrawn when it is no longer drifted', objects: [machine('n1')], from: 'offered', to: 'withdrawn' },
    {
      it: 'withdrawn without a patch when a user has opted the node out',
      objects: [drifted({ annotations: { [doNotDisrupt]: 'true' } })],
      from: 'offered',
      to: 'withdrawn',
      asks: [],
    },
    {
      it: 'withdrawn when the node is held',
      objects: [drifted({ annotations: { 'lull.dev/hold': 'ask Ada' } })],
      from: 'offered',
      to: 'withdrawn',
      asks: ['patch Node n1'],
    },
  ])('$it', ({ objects, from, to, asks }) => {
    const round = guide([pool(), ...objects], [inStep(from)]);
    expect(stepOf(round)).toBe(to);
    if (asks) expect(requestsOf(round)).toEqual(asks);
  });

  it('F4: a pool backs off when Karpenter gives up a node it had taken', () => {
    const { ledger: next } = guide([pool(), drifted()], [inStep('taken')]);
    expect(next.backoffs).toMatchObject([{ pool: 'web' }]);
  });

  it('D6: a window that closes withdraws offers that were not taken', () => {
    const freeze = maintenanceWindow('freeze', { actions: ['Drift'] });
    const round = guide([pool(), drifted(), freeze], [offered()]);
    expect(stepOf(round)).toBe('withdrawn');
    expect(round.commands[0]?.why).toMatch(/^WindowBlocks/);
    expect(requestsOf(round)).toEqual(['patch Node n1']);
  });

  it('a window that closes does not stop a node that was taken', () => {
    const freeze = maintenanceWindow('freeze', { actions: ['Drift'] });
    expect(stepOf(guide([pool(), drifted({ spec: taint }), freeze], [inStep('taken')]))).toBe('taken');
  });

  it('a budget that shrinks withdraws the latest offers', () => {
    const nodes = ['n1', 'n2', 'n3'].map((name) => machine(name, { drifted: longAgo }));
    const commands = ['n1', 'n2', 'n3'].map((name) => underway(name, { hands: 'karpenter', step: 'offered' }));
    const stillOffered = (count: number) =>
      guide([pool('web', { annotations: { 'lull.dev/budgets': `[{nodes: ${count}}]` } }), ...nodes], commands)
        .commands.filter(({ step }) => step === 'offered')
        .map(({ nodes: [node] }) => node?.name);
    expect([3, 2, 0].map(stillOffered)).toEqual([['n1', 'n2', 'n3'], ['n1', 'n2'], []]);
  });

  it('so does a topology budget that shrinks', () => {
    const where = { zone: 'a', drifted: longAgo };
    const budgets = '[{nodes: 1, topologyKey: topology.kubernetes.io/zone}]';
    const round = guide(
      [pool('web', { annotations: { 'lull.dev/budgets': budgets } }), machine('n1', where), machine('n2', where)],
      ['n1', 'n2'].map((name) => underway(name, { hands: 'karpenter', step: 'offered' })),
    );
    expect(round.commands.map(({ step }) => step)).toEqual(['offered', 'withdrawn']);
  });

  it('N4: a node offered for consolidation is withdrawn when it drifts during a drift freeze', () => {
    const web = pool('web', {
      consolidateAfter: '0s',
      annotations: { 'lull.dev/budgets': '[{nodes: 100%}, {nodes: 0, reasons: [Drifted]}]' },
    });
    const commands = [offered({ id: 'underutilized-n1', reason: 'Underutilized' })];
    const objects = [web, pod(), machine('n2', { annotations: parked })];
    expect(stepOf(guide([...objects, machine('n1')], commands))).toBe('offered');
    expect(stepOf(guide([...objects, drifted()], commands))).toBe('withdrawn');
  });
});

describe('N3: an offer that Karpenter does not take', () => {
  const late = { startedAt: '2026-03-10T11:58:00Z', stepAt: '2026-03-10T11:58:00Z' };

  it('is withdrawn after offerTimeout with the cause, and recorded as declined', () => {
    const round = guide([pool(), drifted()], [offered(late)]);
    expect(round.commands).toMatchObject([{ step: 'withdrawn', why: 'Karpenter did not take it within 2m' }]);
    expect(requestsOf(round)).toEqual(['patch Node n1']);
    expect(round.ledger.declined).toMatchObject([{ node: 'n1' }]);
  });

  it('names an unlaunched claim, which blocks all disruption by Karpenter [b!]', () => {
    const stuck = machine('n9', {
      claim: { nodeName: null, conditions: { Launched: { status: 'Unknown' } } },
    })[1] as Plain;
    const [command] = guide([pool(), drifted(), stuck], [offered(late)]).commands;
    expect(command?.why).toMatch(/while NodeClaim n9-claim is not launched$/);
  });

  const said = (message: string, lastTimestamp: string): Plain => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: 'default', name: `n1.${lastTimestamp}` },
    involvedObject: { kind: 'Node', name: 'n1' },
    reason: 'DisruptionBlocked',
    message,
    lastTimestamp,
  });

  it.each([
    {
      it: 'quotes the last event of Karpenter about the node',
      at: '2026-03-10T11:59:00Z',
      why: /within 2m: Not all pods fit$/,
    },
    {
      it: 'also an event in the same second as the offer',
      at: '2026-03-10T11:58:00Z',
      why: /within 2m: Not all pods fit$/,
    },
    { it: 'but not one from before the offer', at: '2026-03-10T11:57:00Z', why: /within 2m$/ },
  ])('$it', ({ at, why }) => {
    const [command] = guide([pool(), drifted(), said('Not all pods fit', at)], [offered(late)]).commands;
    expect(command?.why).toMatch(why);
  });

  it('an event about consolidation does not explain a drift offer', () => {
    const event = {
      ...said('NodePool "web" has consolidation disabled', '2026-03-10T11:59:00Z'),
      reason: 'Unconsolidatable',
    };
    const drift = guide([pool(), drifted(), event], [offered(late)]);
    expect(drift.commands[0]?.why).toMatch(/within 2m$/);
    const web = pool('web', { consolidateAfter: '0s' });
    const longer = { ...late, stepAt: '2026-03-10T11:54:00Z', reason: 'Underutilized' };
    const objects = [web, machine('n1'), pod(), machine('n2', { annotations: parked }), event];
    expect(guide(objects, [offered(longer)]).commands[0]?.why).toMatch(/^Karpenter evaluated it: NodePool "web"/);
  });

  it('"Can\'t replace with a cheaper node" ends an offer at once', () => {
    const answer = { ...said("Can't replace with a cheaper node", noon), reason: 'Unconsolidatable' };
    const web = pool('web', { consolidateAfter: '0s' });
    const objects = [web, machine('n1'), pod(), machine('n2', { annotations: parked })];
    const open = guide(objects, [offered({ reason: 'Underutilized', stepAt: '2026-03-10T11:59:53Z' })]);
    expect(stepOf(open)).toBe('offered');
    expect(open.wakeAt).toBe(at('2026-03-10T12:00:10Z'));
    const [command] = guide(
      [...objects, answer],
      [offered({ reason: 'Underutilized', stepAt: '2026-03-10T11:59:53Z', promisedTo: ['n2'] })],
    ).commands;
    expect(command).toMatchObject({
      step: 'withdrawn',
      why: "Karpenter evaluated it: Can't replace with a cheaper node",
      promisedTo: [],
    });
  });

  it('F4: in a shortage an offer lasts until Karpenter has tried again', () => {
    const words = 'Not all pods would schedule, shop/p1 => no instance type has the required offering';
    const objects = [pool(), drifted(), said(words, '2026-03-10T11:59:00Z')];
    const round = guide(objects, [offered(late)]);
    expect(stepOf(round)).toBe('offered');
    expect(round.wakeAt).toBe(at('2026-03-10T12:02:20Z'));
  });

  it('has longer for consolidation, which Karpenter evaluates less often', () => {
    const web = pool('web', { consolidateAfter: '0s' });
    const objects = [web, machine('n1'), pod(), machine('n2', { annotations: parked })];
    expect(stepOf(guide(objects, [offered({ reason: 'Underutilized', ...late })]))).toBe('offered');
  });

  it('its command stays for a minute after the node is seen parked', () => {
    const objects = [pool(), drifted({ annotations: parked })];
    const noted = guide(objects, [inStep('withdrawn', late)]);
    expect(noted.commands).toMatchObject([{ step: 'withdrawn', parkedAt: noted.at }]);
    const over = (parkedAt: string) => guide(objects, [inStep('withdrawn', { parkedAt, why: 'late' })]).ended;
    expect(over('2026-03-10T11:59:01Z')).toEqual([]);
    expect(over('2026-03-10T11:59:00Z')).toMatchObject([{ how: 'released', why: 'late' }]);
  });

  it('the next offer is of another node', () => {
    const one = pool('web', { annotations: { 'lull.dev/budgets': '[{nodes: 1}]' } });
    const nodes = ['n1', 'n2'].map((name) => machine(name, { drifted: longAgo, annotations: parked }));
    const known = ledger({ commands: [], declined: [{ node: 'n1', at: '2026-03-10T11:50:00Z' }] });
    expect(startsOf(decide([one, ...nodes], { settings: role, ledger: known }))).toEqual(['n2 Drifted']);
  });
});

describe('N5: pods whose schedule is closed', () => {
  const closed = { 'karpenter.sh/disruption-schedule': '0 3 * * *' };
  const open = { 'karpenter.sh/disruption-schedule': '0 12 * * *' };
  const old = { 'karpenter.sh/do-not-evict': 'true' };
  const grace = { spec: { terminationGracePeriod: '2h' } };
  const leaving = { claim: { deleted: noon } };

  it('are parked before their node is offered', () => {
    const objects = [pool(), drifted({ annotations: parked, claim: grace })];
    const first = guide([...objects, pod('p1', 'n1', { annotations: closed })]);
    expect(startsOf(first)).toEqual(['n1 Drifted']);
    expect(requestsOf(first)).toEqual(['patch shop/p1']);
    const seen = guide([...objects, pod('p1', 'n1', { annotations: { ...closed, ...parked } })], [offered()]);
    expect(requestsOf(seen)).toEqual(['patch Node n1']);
  });

  it.each([
    { it: 'are parked while their node drains', node: leaving, annotations: closed, asks: ['patch shop/p1'] },
    { it: 'are not parked twice', node: leaving, annotations: { ...closed, ...parked }, asks: [] },
    {
      it: "are not parked over a user's own opt-out",
      node: leaving,
      annotations: { ...closed, [doNotDisrupt]: 'true' },
      asks: [],
    },
    {
      it: 'are parked over an opt-out with a duration',
      node: leaving,
      annotations: { ...closed, [doNotDisrupt]: '1h' },
      asks: ['patch shop/p1'],
    },
    {
      it: 'are parked over an opt-out of "false"',
      node: leaving,
      annotations: { ...closed, [doNotDisrupt]: 'false' },
      asks: ['patch shop/p1'],
    },
    {
      it: 'are not parked twice over a kept value',
      node: leaving,
      annotations: { ...closed, ...parked, [keptBefore]: '1h' },
      asks: [],
    },
    {
      it: 'so are pods that opt out with do-not-evict, which Karpenter no longer reads',
      node: leaving,
      annotations: old,
      asks: ['patch shop/p1'],
    },
    { it: 'which stay parked', node: leaving, annotations: { ...old, ...parked }, asks: [] },
    {
      it: 'N11: and pods that opt out for a duration, which Karpenter reads from 1.12.0 on',
      node: leaving,
      annotations: { [doNotDisrupt]: '999h' },
      asks: ['patch shop/p1'],
    },
    {
      it: 'N11: until the duration has ended',
      node: leaving,
      annotations: { ...parked, [keptBefore]: '1h' },
      asks: ['patch shop/p1'],
    },
    {
      it: 'N11: and not before',
      node: leaving,
      annotations: { ...parked, [keptBefore]: '999h' },
      asks: [],
    },
    {
      it: 'unless they opt out of another reason only',
      node: leaving,
      annotations: { ...old, 'karpenter.sh/do-not-disrupt-reasons': 'Empty' },
      asks: [],
    },
    {
      it: 'are released when the schedule opens',
      node: leaving,
      annotations: { ...open, ...parked },
      asks: ['patch shop/p1'],
    },
    { it: 'are not parked while the schedule is open', node: leaving, annotations: open, asks: [] },
    {
      it: 'are released when the node stays',
      node: { annotations: parked },
      annotations: { ...closed, ...parked },
      asks: ['patch shop/p1'],
    },
  ])('$it', ({ node, annotations, asks }) => {
    const round = guide(
      [pool(), machine('n1', node), pod('p1', 'n1', { annotations })],
      [inStep('taken')].slice(node === leaving ? 0 : 1),
    );
    expect(requestsOf(round)).toEqual(asks);
  });

  it('N11: a pod that opts out for a duration is parked before its node is offered, whatever Karpenter reads', () => {
    const objects = [pool(), drifted({ annotations: parked, claim: grace })];
    const first = guide([...objects, pod('p1', 'n1', { annotations: { [doNotDisrupt]: '999h' } })]);
    expect(startsOf(first)).toEqual(['n1 Drifted']);
    expect(requestsOf(first)).toEqual(['patch shop/p1']);
    const kept = pod('p1', 'n1', { annotations: { ...parked, [keptBefore]: '999h' } });
    expect(requestsOf(guide([...objects, kept], [offered()]))).toEqual(['patch Node n1']);
  });

  it('are not parked while an unhealthy node drains (A2)', () => {
    const round = guide(
      [pool(), machine('n1', leaving), pod('p1', 'n1', { annotations: closed })],
      [inStep('taken', { reason: 'Unhealthy' })],
    );
    expect(requestsOf(round)).toEqual([]);
  });
});

const withVersion = (claim: Plain): Plain => {
  const metadata = claim.metadata as { readonly annotations: Plain };
  return { ...claim, metadata: { ...metadata, annotations: { ...metadata.annotations, [`${hash}-version`]: 'v3' } } };
};

describe('N6: the hash nudge', () => {
  const aged = (annotations: Plain, more: Parameters<typeof machine>[1] = {}) =>
    machine('n1', {
      annotations: parked,
      ...more,
      claim: { annotations: annotations as Record<string, string>, spec: { expireAfter: '24h' } },
    });

  it.each([
    { it: 'Expired', objects: [aged({ [hash]: 'h1' })] },
    {
      it: 'Rebalance',
      objects: [
        machine('n1', {
          annotations: { ...parked, 'lull.dev/rebalance': '' },
          claim: { annotations: { [hash]: 'h1' } },
        }),
      ],
    },
    {
      it: 'Unhealthy',
      objects: [
        machine('n1', { annotations: parked, ready: 'False', claim: { annotations: { [hash]: 'h1' } } }),
        ...[2, 3, 4, 5].map((n) => machine(`n${n}`, { annotations: parked })),
      ],
    },
  ])(
    '$it: the hash on the claim is changed so that it seems drifted, and the node is offered',
    ({ it: reason, objects }) => {
      const round = guide([pool(), ...objects]);
      expect(startsOf(round)).toEqual([`n1 ${reason}`]);
      expect(requestsOf(round)).toEqual(['patch NodeClaim n1-claim', 'patch Node n1']);
      expect(round.actions[0]?.patch).toEqual([
        { op: 'test', path: path(hash), value: 'h1' },
        { op: 'test', path: path(before), value: null },
        { op: 'add', path: path(before), value: 'h1' },
        { op: 'add', path: path(hash), value: `lull-${round.commands[0]?.id}` },
      ]);
    },
  );

  it('drift that only Lull has computed needs it too (I5)', () => {
    const web = pool('web', { templateLabels: { image: 'v2' } });
    const node = machine('n1', {
      annotations: parked,
      claim: { annotations: { [hash]: 'h1' }, labels: { image: 'v1' } },
    });
    const stamped = {
      ...web,
      metadata: { ...(web.metadata as Plain), annotations: { [hash]: 'h2', [`${hash}-version`]: 'v3' } },
    };
    const known = [node[0] as Plain, withVersion(node[1] as Plain)];
    const round = guide([stamped, ...known], [], { drift: 'computed' });
    expect(startsOf(round)).toEqual(['n1 Drifted']);
    expect(requestsOf(round)).toEqual(['patch NodeClaim n1-claim', 'patch Node n1']);
  });

  it('drift that Karpenter reports needs none', () => {
    const node = drifted({ annotations: parked, claim: { annotations: { [hash]: 'h1' } } });
    expect(requestsOf(guide([pool(), node]))).toEqual(['patch Node n1']);
  });

  it.each([
    {
      it: 'is undone when the offer is withdrawn',
      now: 'lull-expired-n1',
      undone: [
        { op: 'remove', path: path(before) },
        { op: 'add', path: path(hash), value: 'h1' },
      ],
    },
    {
      it: 'leaves a hash that Karpenter has written meanwhile',
      now: 'h2',
      undone: [{ op: 'remove', path: path(before) }],
    },
  ])('$it', ({ now, undone }) => {
    const round = guide([pool(), aged({ [hash]: now, [before]: 'h1' })], [inStep('withdrawn', { reason: 'Expired' })]);
    expect(requestsOf(round)).toEqual(['patch NodeClaim n1-claim']);
    expect(round.actions[0]?.patch?.filter(({ op }) => op !== 'test')).toEqual(undone);
  });

  it('a nudged node that seems drifted stays offered during a drift freeze', () => {
    const freeze = maintenanceWindow('freeze', { actions: ['Drift'] });
    const node = machine('n1', {
      drifted: noon,
      claim: { annotations: { [hash]: 'lull-expired-n1', [before]: 'h1' }, spec: { expireAfter: '24h' } },
    });
    const known = [offered({ id: 'expired-n1', reason: 'Expired' })];
    expect(stepOf(guide([pool(), node, freeze], known))).toBe('offered');
  });

  it('a claim without a hash cannot be nudged, and the command reports it', () => {
    const command = offered({ reason: 'Expired', stepAt: '2026-03-10T11:50:00Z' });
    const round = guide([pool(), aged({}, { annotations: {} })], [command]);
    expect(round.commands[0]?.why).toMatch(/no NodePool hash/);
  });
});

describe("H3: ahead of Karpenter's deadline", () => {
  const dying = (name: string) =>
    machine(name, {
      claim: {
        deleted: '2026-03-10T11:00:00Z',
        annotations: { 'karpenter.sh/nodeclaim-termination-timestamp': '2026-03-10T12:01:30Z' },
        spec: { terminationGracePeriod: '1h' },
      },
    });
  const held = (name: string, node: string) => pod(name, node, { spec: { terminationGracePeriodSeconds: 30 } });

  it('pods of one PDB are forced one at a time', () => {
    const objects = [pool(), dying('n1'), dying('n2'), held('p1', 'n1'), held('p2', 'n2'), pdb('web', 0)];
    const round = guide(objects);
    expect(requestsOf(round)).toEqual(['delete shop/p1 in 30s']);
    expect(round.wakeAt).toBeDefined();
  });

  it('a single pod is left to Karpenter', () => {
    expect(requestsOf(guide([pool(), dying('n1'), held('p1', 'n1'), pdb('web', 0)]))).toEqual([]);
  });
});
