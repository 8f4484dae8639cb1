import { describe, expect, it } from 'vitest';
import {
  codesOf,
  decide,
  ledger,
  longAgo,
  machine,
  marked,
  noon,
  type Objects,
  type Plain,
  pod,
  pool,
  requestsOf,
  startsOf,
  underway,
} from '../../../test/build.ts';
import type { Round } from '../verdict.ts';

const doNotDisrupt = 'karpenter.sh/do-not-disrupt';
const parked = { [doNotDisrupt]: 'true', 'lull.dev/parked': longAgo };
const hash = 'karpenter.sh/nodepool-hash';
const deadline = 'karpenter.sh/nodeclaim-termination-timestamp';
const taken = { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] };

const round = (role: string, objects: Objects, commands: readonly Plain[]): Round =>
  decide([pool(), ...objects], { settings: { role }, ledger: ledger({ commands }) });
const stepsOf = ({ commands }: Round): string[] => commands.map(({ step }) => step);
const drifted = (parts: Plain = {}) => machine('n1', { drifted: longAgo, ...parts });
const own = (step: string, fields: Plain = {}): Plain => underway('n1', { step, ...fields });
const guided = (step: string, fields: Plain = {}): Plain => own(step, { hands: 'karpenter', ...fields });

describe('G1: commands started in drive, continued in guide', () => {
  const held = { annotations: parked };
  it.each([
    { it: 'a chosen command ends', step: 'chosen', parts: held, asks: [], to: [] },
    {
      it: 'the taint is removed',
      step: 'tainted',
      parts: { ...held, spec: marked() },
      asks: ['patch Node n1'],
      to: ['released'],
    },
    {
      it: 'also in the middle of a drain',
      step: 'draining',
      parts: { ...held, spec: marked() },
      asks: ['patch Node n1'],
      to: ['released'],
    },
    {
      it: 'together with the deadline on the claim',
      step: 'draining',
      parts: { ...held, spec: marked(), claim: { annotations: { [deadline]: noon } } },
      asks: ['patch Node n1', 'patch NodeClaim n1-claim'],
      to: ['released'],
    },
    {
      it: 'a claim that is already being deleted is waited for',
      step: 'terminating',
      parts: { claim: { deleted: noon } },
      asks: [],
      to: ['terminating'],
    },
    {
      it: 'also when the command was still draining',
      step: 'draining',
      parts: { claim: { deleted: noon } },
      asks: [],
      to: ['terminating'],
    },
    {
      it: 'a claim that was about to be deleted is not deleted',
      step: 'terminating',
      parts: { ...held, spec: marked() },
      asks: ['patch Node n1'],
      to: ['released'],
    },
  ])('$it', ({ step, parts, asks, to }) => {
    const decided = round('guide', [drifted(parts), pod()], [own(step)]);
    expect(requestsOf(decided)).toEqual(asks);
    expect(stepsOf(decided)).toEqual(to);
  });

  it('nothing is deleted: replacements stay as ordinary nodes, and are parked', () => {
    const command = own('replacing', { replacements: [{ name: 'r1-claim', pool: 'web', state: 'failed' }] });
    const decided = round('guide', [drifted({ annotations: parked, spec: marked() }), machine('r1')], [command]);
    expect(requestsOf(decided)).toEqual(['patch Node r1', 'patch Node n1']);
    expect(decided.commands).toMatchObject([
      { step: 'released', replacements: [], why: 'Lull now runs in the role guide' },
    ]);
  });

  it('its node counts as consumed until the marks are removed, and is not started again before', () => {
    const objects = [
      drifted({ annotations: parked, spec: marked() }),
      machine('n2', { drifted: longAgo, annotations: parked }),
    ];
    const one = pool('web', { annotations: { 'lull.dev/budgets': '[{nodes: 1}]' } });
    const decided = decide([one, ...objects], {
      settings: { role: 'guide' },
      ledger: ledger({ commands: [own('draining')] }),
    });
    expect(startsOf(decided)).toEqual([]);
    expect(codesOf(decided, 'n2', 'Drifted')).toEqual(['BudgetSpent']);
  });

  it('a command ends when node and claim are gone', () => {
    expect(stepsOf(round('guide', [], [own('terminating')]))).toEqual([]);
  });
});

describe('G1: commands started in guide, continued in drive', () => {
  it.each([
    { it: 'an offer is withdrawn', step: 'offered', parts: {}, asks: ['patch Node n1'], to: ['withdrawn'] },
    {
      it: 'a node that Karpenter has taken is left to it',
      step: 'offered',
      parts: { spec: taken },
      asks: [],
      to: ['taken'],
    },
    { it: 'a taken node stays taken', step: 'taken', parts: { spec: taken }, asks: [], to: ['taken'] },
    {
      it: 'a node that Karpenter gives up is withdrawn',
      step: 'taken',
      parts: {},
      asks: ['patch Node n1'],
      to: ['withdrawn'],
    },
    {
      it: 'a nudge is undone',
      step: 'offered',
      parts: { claim: { annotations: { [hash]: 'lull-x', 'lull.dev/nodepool-hash-before': 'h1' } } },
      asks: ['patch NodeClaim n1-claim', 'patch Node n1'],
      to: ['withdrawn'],
    },
  ])('$it', ({ step, parts, asks, to }) => {
    const decided = round('drive', [drifted(parts), pod()], [guided(step)]);
    expect(requestsOf(decided)).toEqual(asks);
    expect(stepsOf(decided)).toEqual(to);
    expect(startsOf(decided)).toEqual([]);
  });

  it('a minute after it is parked again Lull starts the node itself', () => {
    const command = guided('withdrawn', { parkedAt: '2026-03-10T11:58:00Z' });
    const node = drifted({ annotations: parked });
    expect(stepsOf(round('drive', [node], [command]))).toEqual([]);
    expect(startsOf(round('drive', [node], []))).toEqual(['n1 Drifted']);
  });

  it.each([
    {
      it: 'parked nodes stay parked: Karpenter would take them',
      objects: [machine('n1', { annotations: parked })],
      asks: [],
    },
    {
      it: "a user's own opt-out stays",
      objects: [machine('n1', { annotations: { [doNotDisrupt]: 'true' } })],
      asks: [],
    },
    {
      it: 'pods are released',
      objects: [machine('n1'), pod('p1', 'n1', { annotations: parked })],
      asks: ['patch shop/p1'],
    },
    {
      it: 'but not while their node is being deleted and their schedule is closed',
      objects: [
        machine('n1', { claim: { deleted: noon } }),
        pod('p1', 'n1', { annotations: { ...parked, 'karpenter.sh/disruption-schedule': '0 3 * * *' } }),
      ],
      asks: [],
    },
    {
      it: 'a nudge without a command is undone',
      objects: [machine('n1', { claim: { annotations: { [hash]: 'lull-x', 'lull.dev/nodepool-hash-before': 'h1' } } })],
      asks: ['patch NodeClaim n1-claim'],
    },
  ])('N10: $it', ({ objects, asks }) => {
    expect(requestsOf(round('drive', objects, []))).toEqual(asks);
  });
});

describe('N1: marks in observe', () => {
  it('are reported, since nothing is written', () => {
    const decided = round('observe', [machine('n1', { annotations: parked }), machine('n2', { spec: marked() })], []);
    expect(decided.actions).toEqual([]);
    expect(decided.faults).toMatchObject([
      { object: 'Node/n1', severity: 'info', message: expect.stringMatching(/parked: 1, tainted: 1.*lull release/) },
    ]);
  });

  it('nothing is reported where there are none', () => {
    expect(round('observe', [machine('n1')], []).faults).toEqual([]);
  });
});

it('N6: in guide a nudge without a command is undone', () => {
  const claim = { annotations: { [hash]: 'lull-x', 'lull.dev/nodepool-hash-before': 'h1' } };
  expect(requestsOf(round('guide', [machine('n1', { annotations: parked, claim })], []))).toEqual([
    'patch NodeClaim n1-claim',
  ]);
});
