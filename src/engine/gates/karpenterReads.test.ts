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

/** What Karpenter 1.15 would not take is not offered, and says whose rule it is. */
const held: readonly { it: string; objects: Objects; reason: Reason; codes: readonly string[] }[] = [
  {
    it: 'E3: a pod that opts out of other reasons alone',
    objects: [drifted(), pod('p1', 'n1', { annotations: alone })],
    reason: 'Drifted',
    codes: ['PodOptedOut'],
  },
  {
    it: 'E3: for a while',
    objects: [
      drifted(),
      pod('p1', 'n1', { annotations: { ...alone, [doNotDisrupt]: '1h' }, started: '2026-03-10T11:30:00Z' }),
    ],
    reason: 'Drifted',
    codes: ['PodOptedOut'],
  },
  {
    it: 'E3: not where a deadline stands behind it',
    objects: [drifted({ claim: grace }), pod('p1', 'n1', { annotations: alone })],
    reason: 'Drifted',
    codes: [],
  },
  {
    it: 'E3: for Rebalance neither, which is drift to Karpenter',
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
    it: 'E3: nor once it has ended',
    objects: [drifted(), pod('p1', 'n1', { annotations: { ...alone, [doNotDisrupt]: '1h' } })],
    reason: 'Drifted',
    codes: [],
  },
  {
    it: 'E3: nor by a name that Karpenter does not know',
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
    it: 'E2: an unhealthy node that a user keeps',
    objects: unhealthy({ annotations: { [doNotDisrupt]: 'true' } }),
    reason: 'Unhealthy',
    codes: ['NodeOptedOut'],
  },
  {
    it: 'E2: not one that is kept for a while, which Karpenter does not read',
    objects: unhealthy({ annotations: { ...parked, 'lull.dev/do-not-disrupt-before': '999h' } }),
    reason: 'Unhealthy',
    codes: [],
  },
  {
    it: 'A2: an unhealthy node whose PDB is spent',
    objects: [...unhealthy(), pod('p1', 'n1'), pdb('web', 0)],
    reason: 'Unhealthy',
    codes: ['PdbSpent'],
  },
  {
    it: 'A2: or whose pod has two of them',
    objects: [...unhealthy(), pod('p1', 'n1'), pdb('web', 1), pdb('too', 1)],
    reason: 'Unhealthy',
    codes: ['PdbOverlap'],
  },
  {
    it: 'A2: not where a deadline stands behind it',
    objects: [...unhealthy({ claim: { annotations: hash, ...grace } }), pod('p1', 'n1'), pdb('web', 0)],
    reason: 'Unhealthy',
    codes: [],
  },
];

describe('N3: what Karpenter would not take is not offered', () => {
  it.each(held)('$it', ({ objects, reason, codes }) => {
    const round = guide(objects);
    expect(codesOf(round, 'n1', reason)).toEqual(codes);
    expect(startsOf(round)).toEqual(codes.length === 0 ? [`n1 ${reason}`] : []);
  });

  it.each(held)('by its own hands Lull asks nobody: $it', ({ objects, reason }) => {
    expect(startsOf(decideIn('drive', objects))).toEqual([`n1 ${reason}`]);
  });

  it('the sentence says that it is how Karpenter reads it', () => {
    const objects = [drifted(), pod('p1', 'n1', { annotations: { ...alone, [doNotDisrupt]: '1h' }, started: noon })];
    const refusal = refusalOf(guide(objects), 'n1', 'Drifted', 'PodOptedOut');
    expect(refusal.message).toBe(
      'pod shop/p1 opts out of Empty, Underutilized alone, but Karpenter reads do-not-disrupt without its reasons and does not take the node',
    );
    expect(refusal.owner).toEqual({ kind: 'Pod', namespace: 'shop', name: 'p1' });
    expect(refusal.liftsAt).toBeDefined();
  });

  it('E3: what the pod opts out of is held as in drive, and said once', () => {
    const annotations = { ...alone, 'karpenter.sh/do-not-disrupt-reasons': 'Drifted' };
    expect(codesOf(guide([drifted(), pod('p1', 'n1', { annotations })]), 'n1', 'Drifted')).toEqual(['PodOptedOut']);
  });
});

describe('N3: a node whose pods Karpenter found no place for', () => {
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

  it('is left alone for ten minutes', () => {
    const round = asked('2026-03-10T11:55:00Z', said(words, '2026-03-10T11:54:00Z'));
    const refusal = refusalOf(round, 'n1', 'Drifted', 'NoPlacement');
    expect(refusal.message).toBe(`Karpenter did not take it when it was offered, and says: ${words}`);
    expect(refusal.liftsAt).toBe(at('2026-03-10T12:05:00Z'));
    expect(startsOf(round)).toEqual([]);
  });

  it.each([
    { it: 'not longer', declined: '2026-03-10T11:50:00Z', event: said(words, '2026-03-10T11:49:00Z') },
    {
      it: 'not for what it said of an earlier offer',
      declined: '2026-03-10T11:55:00Z',
      event: said(words, '2026-03-10T11:30:00Z'),
    },
    {
      it: 'not for other words',
      declined: '2026-03-10T11:55:00Z',
      event: said('Node is nominated', '2026-03-10T11:54:00Z'),
    },
  ])('$it', ({ declined, event }) => {
    expect(startsOf(asked(declined, event))).toEqual(['n1 Drifted']);
  });

  it.each([
    { it: 'as long as the new node that its pods wait for has not come', initialized: 'False', starts: [] },
    { it: 'not once it has come', initialized: 'True', starts: ['n1 Drifted'] },
    { it: 'not when it is gone again', initialized: undefined, starts: ['n1 Drifted'] },
    { it: 'though it has come, while another pod has no place', initialized: 'True', more: true, starts: [] },
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

  it('not when the pods that were in the way are gone', () => {
    const event = said(words, '2026-03-10T11:54:00Z');
    expect(startsOf(asked('2026-03-10T11:55:00Z', event, [pod('p2', 'n1')]))).toEqual(['n1 Drifted']);
  });
});
