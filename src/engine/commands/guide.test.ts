import { describe, expect, it } from 'vitest';
import {
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
  const why = `Lull offers nothing to Karpenter at present: ${withhold}`;

  it('nothing is offered, for any reason, and new nodes are parked all the same', () => {
    const objects = [pool(), drifted({ annotations: parked }), machine('n2')];
    expect(startsOf(guide(objects, [], { withhold }))).toEqual([]);
    expect(requestsOf(guide(objects, [], { withhold }))).toEqual(['patch Node n2']);
    expect(codesOf(guide(objects, [], { withhold }), 'n1', 'Drifted')).toEqual(['OffersWithheld']);
    expect(startsOf(guide(objects))).toEqual(['n1 Drifted']);
  });

  it('not even what the cloud takes back: nobody would take the offer', () => {
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

  it('what Karpenter has taken is waited for', () => {
    const taints = [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }];
    expect(stepOf(guide([pool(), drifted({ spec: { taints } })], [offered()], { withhold }))).toBe('taken');
  });

  it('is a word of guide alone', () => {
    const round = decide([pool(), drifted()], { settings: { role: 'drive', withhold } });
    expect(startsOf(round)).toHaveLength(1);
  });
});

describe('N2, N3: parking', () => {
  it.each([
    { it: 'a governed node is parked as soon as it is seen', parts: {}, asks: ['patch Node n1'] },
    { it: 'initialized or not', parts: { labels: { 'karpenter.sh/initialized': 'false' } }, asks: ['patch Node n1'] },
    { it: 'a parked one stays so', parts: { annotations: parked }, asks: [] },
    { it: "a user's opt-out is never touched", parts: { annotations: { [doNotDisrupt]: 'true' } }, asks: [] },
    { it: 'one that ends, which Karpenter does not read', parts: kept('8h'), asks: ['patch Node n1'] },
    { it: 'one that says no', parts: kept('false'), asks: ['patch Node n1'] },
    { it: 'half a parking is made whole', parts: { annotations: { [parkedMark]: longAgo } }, asks: ['patch Node n1'] },
    { it: 'what is deleted is not fought', parts: { claim: { deleted: noon } }, asks: [] },
    {
      it: 'nor what Karpenter has begun',
      parts: { spec: { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] } },
      asks: [],
    },
  ])('$it', ({ parts, asks }) => {
    expect(requestsOf(guide([pool(), machine('n1', parts)]))).toEqual(asks);
  });

  it('N2: the marks of its birth are removed from a claim once its node carries them, and from nothing before', () => {
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

  it('N2: a node that was born parked is offered as any other, and is not parked again by its claim', () => {
    const born = { [doNotDisrupt]: 'true', [parkedMark]: 'at-birth' };
    const objects = [pool(), drifted({ annotations: born, claim: { annotations: born } })];
    expect(requestsOf(guide(objects)).toSorted()).toEqual(['patch Node n1', 'patch NodeClaim n1-claim']);
    const open = [pool(), drifted({ claim: { annotations: born } })];
    expect(requestsOf(guide(open, [offered()]))).toEqual(['patch NodeClaim n1-claim']);
  });

  it('N2: a duration of the template is put back on the claim', () => {
    const born = { [doNotDisrupt]: 'true', [parkedMark]: 'at-birth', [keptBefore]: '8h' };
    const { actions } = guide([pool(), machine('n1', { annotations: born, claim: { annotations: born } })]);
    expect(actions[0]?.patch?.filter(({ op }) => op !== 'test')).toEqual([
      { op: 'add', path: path(doNotDisrupt), value: '8h' },
      { op: 'remove', path: path(parkedMark) },
      { op: 'remove', path: path(keptBefore) },
    ]);
  });

  it('N2: in a pool that is not governed both lose the marks of their birth', () => {
    const born = { [doNotDisrupt]: 'true', [parkedMark]: 'at-birth' };
    const objects = [pool(), machine('n1', { annotations: born, claim: { annotations: born } })];
    expect(requestsOf(guide(objects, [], { pools: 'team=other' }))).toEqual([
      'patch Node n1',
      'patch NodeClaim n1-claim',
    ]);
  });

  it('both annotations are written at once, and only where neither is there', () => {
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

  it('what a user wrote in words that Karpenter does not read is kept beside it', () => {
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
    { it: 'a parking over it stays', annotations: { ...parked, [keptBefore]: '8h' }, asks: [] },
    { it: 'what is written over the parking is kept', annotations: { ...parked, [doNotDisrupt]: '4h' }, now: '4h' },
    {
      it: 'and what is taken off it forgotten',
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
  it('takes both annotations off, if they are as they were seen', () => {
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

  it('puts back what a user wrote, once it protects no longer', () => {
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

  it('is asked for again until it is seen, and not longer', () => {
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
    { it: "Karpenter's taint takes it", objects: [drifted({ spec: taint })], from: 'offered', to: 'taken' },
    { it: 'so does the reason on its claim', objects: [drifted({ claim: begun })], from: 'offered', to: 'taken' },
    { it: 'and whoever deletes it', objects: [drifted({ claim: { deleted: noon } })], from: 'offered', to: 'taken' },
    { it: 'gone when node and claim are', objects: [], from: 'taken', to: undefined },
    { it: 'gone though nobody saw it taken', objects: [], from: 'offered', to: undefined },
    {
      it: 'chosen in the moment it was withdrawn',
      objects: [drifted({ spec: taint })],
      from: 'withdrawn',
      to: 'taken',
    },
    { it: 'what Karpenter gives up is withdrawn', objects: [drifted()], from: 'taken', to: 'withdrawn' },
    { it: 'what is not drifted any more too', objects: [machine('n1')], from: 'offered', to: 'withdrawn' },
    {
      it: "and what a user keeps meanwhile, in the user's words alone",
      objects: [drifted({ annotations: { [doNotDisrupt]: 'true' } })],
      from: 'offered',
      to: 'withdrawn',
      asks: [],
    },
    {
      it: 'and what is held',
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

  it('F4: a pool whose replacements do not come for Karpenter backs off', () => {
    const { ledger: next } = guide([pool(), drifted()], [inStep('taken')]);
    expect(next.backoffs).toMatchObject([{ pool: 'web' }]);
  });

  it('D6: a window that closes withdraws what was not taken', () => {
    const freeze = maintenanceWindow('freeze', { actions: ['Drift'] });
    const round = guide([pool(), drifted(), freeze], [offered()]);
    expect(stepOf(round)).toBe('withdrawn');
    expect(round.commands[0]?.why).toMatch(/^WindowBlocks/);
    expect(requestsOf(round)).toEqual(['patch Node n1']);
  });

  it('and does not stop what was', () => {
    const freeze = maintenanceWindow('freeze', { actions: ['Drift'] });
    expect(stepOf(guide([pool(), drifted({ spec: taint }), freeze], [inStep('taken')]))).toBe('taken');
  });

  it('a budget that shrinks withdraws the last', () => {
    const nodes = ['n1', 'n2', 'n3'].map((name) => machine(name, { drifted: longAgo }));
    const commands = ['n1', 'n2', 'n3'].map((name) => underway(name, { hands: 'karpenter', step: 'offered' }));
    const stands = (count: number) =>
      guide([pool('web', { annotations: { 'lull.dev/budgets': `[{nodes: ${count}}]` } }), ...nodes], commands)
        .commands.filter(({ step }) => step === 'offered')
        .map(({ nodes: [node] }) => node?.name);
    expect([3, 2, 0].map(stands)).toEqual([['n1', 'n2', 'n3'], ['n1', 'n2'], []]);
  });

  it('a domain budget that shrinks too', () => {
    const where = { zone: 'a', drifted: longAgo };
    const budgets = '[{nodes: 1, topologyKey: topology.kubernetes.io/zone}]';
    const round = guide(
      [pool('web', { annotations: { 'lull.dev/budgets': budgets } }), machine('n1', where), machine('n2', where)],
      ['n1', 'n2'].map((name) => underway(name, { hands: 'karpenter', step: 'offered' })),
    );
    expect(round.commands.map(({ step }) => step)).toEqual(['offered', 'withdrawn']);
  });

  it('N4: one offered to be consolidated is withdrawn when it drifts in a drift freeze', () => {
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

  it('is withdrawn after offerTimeout, says why, and is remembered', () => {
    const round = guide([pool(), drifted()], [offered(late)]);
    expect(round.commands).toMatchObject([{ step: 'withdrawn', why: 'Karpenter did not take it within 2m' }]);
    expect(requestsOf(round)).toEqual(['patch Node n1']);
    expect(round.ledger.declined).toMatchObject([{ node: 'n1' }]);
  });

  it('names a claim that stops all that Karpenter does [b!]', () => {
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
      it: 'says what Karpenter said last of it',
      at: '2026-03-10T11:59:00Z',
      why: /within 2m; it says: Not all pods fit$/,
    },
    { it: 'in the very second of the offer too', at: '2026-03-10T11:58:00Z', why: /it says/ },
    { it: 'but not what it said of the parked node', at: '2026-03-10T11:57:00Z', why: /within 2m$/ },
  ])('$it', ({ at, why }) => {
    const [command] = guide([pool(), drifted(), said('Not all pods fit', at)], [offered(late)]).commands;
    expect(command?.why).toMatch(why);
  });

  it('what it says of consolidation is no answer to drift', () => {
    const event = {
      ...said('NodePool "web" has consolidation disabled', '2026-03-10T11:59:00Z'),
      reason: 'Unconsolidatable',
    };
    const drift = guide([pool(), drifted(), event], [offered(late)]);
    expect(drift.commands[0]?.why).toMatch(/within 2m$/);
    const web = pool('web', { consolidateAfter: '0s' });
    const longer = { ...late, stepAt: '2026-03-10T11:54:00Z', reason: 'Underutilized' };
    const objects = [web, machine('n1'), pod(), machine('n2', { annotations: parked }), event];
    expect(guide(objects, [offered(longer)]).commands[0]?.why).toMatch(/says: NodePool "web"/);
  });

  it('consolidation, which Karpenter looks at less often, has longer', () => {
    const web = pool('web', { consolidateAfter: '0s' });
    const objects = [web, machine('n1'), pod(), machine('n2', { annotations: parked })];
    expect(stepOf(guide(objects, [offered({ reason: 'Underutilized', ...late })]))).toBe('offered');
  });

  it('its unit stays spent for a minute after it is seen parked', () => {
    const objects = [pool(), drifted({ annotations: parked })];
    const noted = guide(objects, [inStep('withdrawn', late)]);
    expect(noted.commands).toMatchObject([{ step: 'withdrawn', parkedAt: noted.at }]);
    const over = (parkedAt: string) => guide(objects, [inStep('withdrawn', { parkedAt, why: 'late' })]).ended;
    expect(over('2026-03-10T11:59:01Z')).toEqual([]);
    expect(over('2026-03-10T11:59:00Z')).toMatchObject([{ how: 'released', why: 'late' }]);
  });

  it('then the allowance goes to the next', () => {
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
    { it: 'while it drains', node: leaving, annotations: closed, asks: ['patch shop/p1'] },
    { it: 'not twice', node: leaving, annotations: { ...closed, ...parked }, asks: [] },
    { it: "not over a user's own", node: leaving, annotations: { ...closed, [doNotDisrupt]: 'true' }, asks: [] },
    {
      it: 'over one that ends',
      node: leaving,
      annotations: { ...closed, [doNotDisrupt]: '1h' },
      asks: ['patch shop/p1'],
    },
    {
      it: 'over one that says no',
      node: leaving,
      annotations: { ...closed, [doNotDisrupt]: 'false' },
      asks: ['patch shop/p1'],
    },
    {
      it: 'not twice over it',
      node: leaving,
      annotations: { ...closed, ...parked, [keptBefore]: '1h' },
      asks: [],
    },
    {
      it: 'where they opt out by a name that Karpenter has forgotten',
      node: leaving,
      annotations: old,
      asks: ['patch shop/p1'],
    },
    { it: 'and stay so', node: leaving, annotations: { ...old, ...parked }, asks: [] },
    {
      it: 'not for another reason',
      node: leaving,
      annotations: { ...old, 'karpenter.sh/do-not-disrupt-reasons': 'Empty' },
      asks: [],
    },
    { it: 'and are free when it opens', node: leaving, annotations: { ...open, ...parked }, asks: ['patch shop/p1'] },
    { it: 'not while it is open', node: leaving, annotations: open, asks: [] },
    {
      it: 'and are free when the node stays',
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

  it('the drain of an unhealthy node does not wait for them (A2)', () => {
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
  ])('$it: the claim is made to seem drifted, then the node is offered', ({ it: reason, objects }) => {
    const round = guide([pool(), ...objects]);
    expect(startsOf(round)).toEqual([`n1 ${reason}`]);
    expect(requestsOf(round)).toEqual(['patch NodeClaim n1-claim', 'patch Node n1']);
    expect(round.actions[0]?.patch).toEqual([
      { op: 'test', path: path(hash), value: 'h1' },
      { op: 'test', path: path(before), value: null },
      { op: 'add', path: path(before), value: 'h1' },
      { op: 'add', path: path(hash), value: `lull-${round.commands[0]?.id}` },
    ]);
  });

  it('drift that only Lull has worked out needs it too (I5)', () => {
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

  it('drift needs none', () => {
    const node = drifted({ annotations: parked, claim: { annotations: { [hash]: 'h1' } } });
    expect(requestsOf(guide([pool(), node]))).toEqual(['patch Node n1']);
  });

  it.each([
    {
      it: 'is taken back with the offer',
      now: 'lull-expired-n1',
      undone: [
        { op: 'remove', path: path(before) },
        { op: 'add', path: path(hash), value: 'h1' },
      ],
    },
    {
      it: 'though Karpenter has written another hash, which stays',
      now: 'h2',
      undone: [{ op: 'remove', path: path(before) }],
    },
  ])('$it', ({ now, undone }) => {
    const round = guide([pool(), aged({ [hash]: now, [before]: 'h1' })], [inStep('withdrawn', { reason: 'Expired' })]);
    expect(requestsOf(round)).toEqual(['patch NodeClaim n1-claim']);
    expect(round.actions[0]?.patch?.filter(({ op }) => op !== 'test')).toEqual(undone);
  });

  it('what was nudged may seem drifted in a drift freeze', () => {
    const freeze = maintenanceWindow('freeze', { actions: ['Drift'] });
    const node = machine('n1', {
      drifted: noon,
      claim: { annotations: { [hash]: 'lull-expired-n1', [before]: 'h1' }, spec: { expireAfter: '24h' } },
    });
    const known = [offered({ id: 'expired-n1', reason: 'Expired' })];
    expect(stepOf(guide([pool(), node, freeze], known))).toBe('offered');
  });

  it('a claim without a hash cannot be nudged, and says so', () => {
    const command = offered({ reason: 'Expired', stepAt: '2026-03-10T11:50:00Z' });
    const round = guide([pool(), aged({}, { annotations: {} })], [command]);
    expect(round.commands[0]?.why).toMatch(/no hash/);
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

  it('a single one is left to Karpenter', () => {
    expect(requestsOf(guide([pool(), dying('n1'), held('p1', 'n1'), pdb('web', 0)]))).toEqual([]);
  });
});
