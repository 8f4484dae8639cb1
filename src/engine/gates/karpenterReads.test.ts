import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  ledger,
  longAgo,
  machine,
  noon,
  type Objects,
  type Plain,
  pdb,
  pod,
  pool,
  refusalOf,
  startsOf,
  verdictOf,
  zone,
} from '../../../test/build.ts';
import type { Reason } from '../../cluster/reason.ts';

const doNotDisrupt = 'karpenter.sh/do-not-disrupt';
const parked = { [doNotDisrupt]: 'true', 'lull.dev/parked': longAgo };
const alone = { [doNotDisrupt]: 'true', 'karpenter.sh/do-not-disrupt-reasons': 'Empty,Underutilized' };
const grace = { spec: { terminationGracePeriod: '2h' } };
const hash = { 'karpenter.sh/nodepool-hash': 'h1' };

const decideIn = (role: string, objects: Objects) => decide([pool(), ...objects], { settings: { role } });
const guide = (objects: Objects) => decideIn('guide', objects);
const drifted = (more: Plain = {}) => machine('n1', { drifted: longAgo, annotations: parked, ...more });
const unhealthy = (more: Plain = {}): Objects => [
  machine('n1', { ready: 'False', annotations: parked, claim: { annotations: hash }, ...more }),
  ...[2, 3, 4, 5].map((n) => machine(`n${n}`, { annotations: parked })),
];

/** Nodes that Karpenter 1.15 would not take, with the codes that refuse the offer, and similar ones that are offered. */
const held: readonly { it: string; objects: Objects; reason: Reason; codes: readonly string[] }[] = [
  {
    it: 'E3: a pod that opts out of other reasons alone',
    objects: [drifted(), pod('p1', 'n1', { annotations: alone })],
    reason: 'Drifted',
    codes: ['PodOptedOut'],
  },
  {
    it: 'E3: the same with a duration that has not ended',
    objects: [
      drifted(),
      pod('p1', 'n1', { annotations: { ...alone, [doNotDisrupt]: '1h' }, started: '2026-03-10T11:30:00Z' }),
    ],
    reason: 'Drifted',
    codes: ['PodOptedOut'],
  },
  {
    it: 'E3: offered when the claim has a terminationGracePeriod',
    objects: [drifted({ claim: grace }), pod('p1', 'n1', { annotations: alone })],
    reason: 'Drifted',
    codes: [],
  },
  {
    it: 'E3: also for Rebalance, which is drift to Karpenter',
    objects: [
      machine('n1', {
        annotations: { ...parked, 'lull.dev/rebalance': '' },
        claim: { ...grace, annotations: hash },
      }),
      pod('p1', 'n1', { annotations: alone }),
    ],
    reason: 'Rebalance',
    codes: [],
  },
  {
    it: 'E3: offered once the duration has ended',
    objects: [drifted(), pod('p1', 'n1', { annotations: { ...alone, [doNotDisrupt]: '1h' } })],
    reason: 'Drifted',
    codes: [],
  },
  {
    it: 'E3: offered when the pod uses do-not-evict, which Karpenter does not read',
    objects: [
      drifted(),
      pod('p1', 'n1', {
        annotations: { 'karpenter.sh/do-not-evict': 'true', 'karpenter.sh/do-not-disrupt-reasons': 'Empty' },
      }),
    ],
    reason: 'Drifted',
    codes: [],
  },
  {
    it: 'E2: an unhealthy node that a user opted out',
    objects: unhealthy({ annotations: { [doNotDisrupt]: 'true' } }),
    reason: 'Unhealthy',
    codes: ['NodeOptedOut'],
  },
  {
    it: 'E2: offered when the opt-out has a duration, which Karpenter does not read',
    objects: unhealthy({ annotations: { ...parked, 'lull.dev/do-not-disrupt-before': '999h' } }),
    reason: 'Unhealthy',
    codes: [],
  },
  {
    it: 'A2: an unhealthy node with a pod whose PDB allows no eviction',
    objects: [...unhealthy(), pod('p1', 'n1'), pdb('web', 0)],
    reason: 'Unhealthy',
    codes: ['PdbSpent'],
  },
  {
    it: 'A2: an unhealthy node with a pod that two PDBs select',
    objects: [...unhealthy(), pod('p1', 'n1'), pdb('web', 1), pdb('too', 1)],
    reason: 'Unhealthy',
    codes: ['PdbOverlap'],
  },
  {
    it: 'A2: offered when the claim has a terminationGracePeriod',
    objects: [...unhealthy({ claim: { annotations: hash, ...grace } }), pod('p1', 'n1'), pdb('web', 0)],
    reason: 'Unhealthy',
    codes: [],
  },
];

describe('N3: a node that Karpenter would not take is not offered', () => {
  it.each(held)('$it', ({ objects, reason, codes }) => {
    const round = guide(objects);
    expect(codesOf(round, 'n1', reason)).toEqual(codes);
    expect(startsOf(round)).toEqual(codes.length === 0 ? [`n1 ${reason}`] : []);
  });

  it.each(held)('in drive Lull starts it: $it', ({ objects, reason }) => {
    expect(startsOf(decideIn('drive', objects))).toEqual([`n1 ${reason}`]);
  });

  it('the message explains that Karpenter reads the opt-out differently', () => {
    const objects = [drifted(), pod('p1', 'n1', { annotations: { ...alone, [doNotDisrupt]: '1h' }, started: noon })];
    const refusal = refusalOf(guide(objects), 'n1', 'Drifted', 'PodOptedOut');
    expect(refusal.message).toBe(
      'pod shop/p1 opts out of Empty, Underutilized only, but Karpenter ignores the reasons of do-not-disrupt and does not disrupt the node',
    );
    expect(refusal.owner).toEqual({ kind: 'Pod', namespace: 'shop', name: 'p1' });
    expect(refusal.liftsAt).toBeDefined();
  });

  it('E12: podsAgreeAt is absent while Karpenter still takes a pod to opt out', () => {
    const schedule = { 'karpenter.sh/disruption-schedule': '@daily' };
    const agreeAt = (optOut: Record<string, string>) =>
      verdictOf(guide([drifted(), pod('p1', 'n1', { annotations: { ...optOut, ...schedule } })]), 'n1', 'Drifted')
        .podsAgreeAt;
    expect(agreeAt({})).toBeDefined();
    expect(agreeAt(alone)).toBeUndefined();
  });

  it('E3: a reason that the pod opts out of is refused once', () => {
    const annotations = { ...alone, 'karpenter.sh/do-not-disrupt-reasons': 'Drifted' };
    expect(codesOf(guide([drifted(), pod('p1', 'n1', { annotations })]), 'n1', 'Drifted')).toEqual(['PodOptedOut']);
  });
});

describe('N3: a node whose pods Karpenter could not place', () => {
  const said = (message: string, lastTimestamp: string): Plain => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: 'default', name: 'n1.1' },
    involvedObject: { kind: 'Node', name: 'n1' },
    reason: 'DisruptionBlocked',
    message,
    lastTimestamp,
  });
  const words = 'Not all pods would schedule, shop/p1 => no instance type has enough resources';
  const asked = (declinedAt: string, event: Plain, pods: readonly Plain[] = [pod('p1', 'n1')]) =>
    decide([pool(), drifted(), event, ...pods], {
      settings: { role: 'guide' },
      ledger: ledger({ commands: [], declined: [{ node: 'n1', at: declinedAt }] }),
    });

  it('is not offered for ten minutes', () => {
    const round = asked('2026-03-10T11:55:00Z', said(words, '2026-03-10T11:54:00Z'));
    const refusal = refusalOf(round, 'n1', 'Drifted', 'NoPlacement');
    expect(refusal.message).toBe(`Karpenter did not take it when it was offered: ${words}`);
    expect(refusal.liftsAt).toBe(at('2026-03-10T12:05:00Z'));
    expect(startsOf(round)).toEqual([]);
  });

  it.each([
    {
      it: 'is offered after ten minutes',
      declined: '2026-03-10T11:50:00Z',
      event: said(words, '2026-03-10T11:49:00Z'),
    },
    {
      it: 'is offered when the event is about an earlier offer',
      declined: '2026-03-10T11:55:00Z',
      event: said(words, '2026-03-10T11:30:00Z'),
    },
    {
      it: 'is offered when the event says something else',
      declined: '2026-03-10T11:55:00Z',
      event: said('Node is nominated', '2026-03-10T11:54:00Z'),
    },
  ])('$it', ({ declined, event }) => {
    expect(startsOf(asked(declined, event))).toEqual(['n1 Drifted']);
  });

  it.each([
    {
      it: 'is not offered while the new node that its pods wait for is not initialized',
      initialized: 'False',
      starts: [],
    },
    { it: 'is offered once it is initialized', initialized: 'True', starts: ['n1 Drifted'] },
    { it: 'is offered when its claim no longer exists', initialized: undefined, starts: ['n1 Drifted'] },
    { it: 'is not offered while another of its pods cannot be placed', initialized: 'True', more: true, starts: [] },
  ])('$it', ({ initialized, more = false, starts }) => {
    const rest = more ? '; shop/p2 => no instance type has enough resources' : '';
    const waiting = `Not all pods would schedule, shop/p1 => would schedule against uninitialized nodeclaim/web-new, node/new${rest}`;
    const conditions = [{ type: 'Initialized', status: initialized, lastTransitionTime: noon }];
    const claim = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: 'web-new' },
      status: { conditions },
    };
    const others = [pod('p1', 'n1'), ...(initialized === undefined ? [] : [claim])];
    const round = asked('2026-03-10T11:55:00Z', said(waiting, '2026-03-10T11:54:00Z'), others);
    expect(startsOf(round)).toEqual(starts);
  });

  describe('in a shortage (F4)', () => {
    const short =
      'Not all pods would schedule, shop/p1 => no instance type which met the scheduling requirements and had enough resources, had a required offering, requirements=topology.kubernetes.io/zone In [b]';
    const event = said(short, '2026-03-10T11:58:00Z');
    const launched = (more: Plain = {}): Plain => ({
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: {
        name: 'web-new',
        creationTimestamp: '2026-03-10T11:59:00Z',
        labels: { 'karpenter.sh/nodepool': 'web', [zone]: 'b' },
        ...more,
      },
      status: { conditions: [{ type: 'Launched', status: 'True', lastTransitionTime: '2026-03-10T11:59:01Z' }] },
    });

    it('is not offered until Karpenter tries again, and the zone is named', () => {
      const refusal = refusalOf(asked('2026-03-10T11:59:00Z', event), 'n1', 'Drifted', 'NoPlacement');
      expect(refusal.message).toBe(`Karpenter found no instance type on offer in b for its replacement: ${short}`);
      expect(refusal.help).toMatch(/^No capacity in b\. .*allow more instance types/);
      expect(refusal.liftsAt).toBe(at('2026-03-10T12:01:20Z'));
    });

    it.each([
      { it: 'is offered after that', event: said(short, '2026-03-10T11:56:30Z'), more: [], starts: ['n1 Drifted'] },
      { it: 'is offered once another node was launched there', event, more: [launched()], starts: ['n1 Drifted'] },
      {
        it: 'is not offered because of one launched elsewhere',
        event,
        more: [launched({ labels: { 'karpenter.sh/nodepool': 'web', [zone]: 'a' } })],
        starts: [],
      },
      {
        it: 'is not offered because of one launched before',
        event,
        more: [launched({ creationTimestamp: '2026-03-10T11:57:00Z' })],
        starts: [],
      },
    ])('$it', ({ event: words, more, starts }) => {
      expect(startsOf(asked('2026-03-10T11:59:00Z', words, [pod('p1', 'n1'), ...more]))).toEqual(starts);
    });
  });

  it('is offered when the pods that could not be placed are gone', () => {
    const event = said(words, '2026-03-10T11:54:00Z');
    expect(startsOf(asked('2026-03-10T11:55:00Z', event, [pod('p2', 'n1')]))).toEqual(['n1 Drifted']);
  });
});
