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

describe('G1: commands of drive, met in guide', () => {
  const held = { annotations: parked };
  it.each([
    { it: 'what is chosen is let go', step: 'chosen', parts: held, asks: [], to: [] },
    {
      it: 'a taint is taken off',
      step: 'tainted',
      parts: { ...held, spec: marked() },
      asks: ['patch Node n1'],
      to: ['released'],
    },
    {
      it: 'also in the midst of a drain',
      step: 'draining',
      parts: { ...held, spec: marked() },
      asks: ['patch Node n1'],
      to: ['released'],
    },
    {
      it: 'with its deadline',
      step: 'draining',
      parts: { ...held, spec: marked(), claim: { annotations: { [deadline]: noon } } },
      asks: ['patch Node n1', 'patch NodeClaim n1-claim'],
      to: ['released'],
    },
    {
      it: 'what is deleted already is waited for',
      step: 'terminating',
      parts: { claim: { deleted: noon } },
      asks: [],
      to: ['terminating'],
    },
    {
      it: 'whatever its step was',
      step: 'draining',
      parts: { claim: { deleted: noon } },
      asks: [],
      to: ['terminating'],
    },
    {
      it: 'what was about to be deleted is not',
      step: 'terminating',
      parts: { ...held, spec: marked() },
      asks: ['patch Node n1'],
      to: ['released'],
    },
  ])('$it', ({ step, parts, asks, to }) => {
    const told = round('guide', [drifted(parts), pod()], [own(step)]);
    expect(requestsOf(told)).toEqual(asks);
    expect(stepsOf(told)).toEqual(to);
  });

  it('nothing is deleted: replacements stay as ordinary nodes, and are parked', () => {
    const command = own('replacing', { replacements: [{ name: 'r1-claim', pool: 'web', state: 'failed' }] });
    const told = round('guide', [drifted({ annotations: parked, spec: marked() }), machine('r1')], [command]);
    expect(requestsOf(told)).toEqual(['patch Node r1', 'patch Node n1']);
    expect(told.commands).toMatchObject([{ step: 'released', replacements: [], why: 'Lull is in the role guide now' }]);
  });

  it('its node counts until the marks are off, and is not begun anew before', () => {
    const objects = [
      drifted({ annotations: parked, spec: marked() }),
      machine('n2', { drifted: longAgo, annotations: parked }),
    ];
    const one = pool('web', { annotations: { 'lull.dev/budgets': '[{nodes: 1}]' } });
    const told = decide([one, ...objects], {
      settings: { role: 'guide' },
      ledger: ledger({ commands: [own('draining')] }),
    });
    expect(startsOf(told)).toEqual([]);
    expect(codesOf(told, 'n2', 'Drifted')).toEqual(['BudgetSpent']);
  });

  it('over when node and claim are gone', () => {
    expect(stepsOf(round('guide', [], [own('terminating')]))).toEqual([]);
  });
});

describe('G1: commands of guide, met in drive', () => {
  it.each([
    { it: 'an offer is withdrawn', step: 'offered', parts: {}, asks: ['patch Node n1'], to: ['withdrawn'] },
    { it: 'what Karpenter has taken is waited for', step: 'offered', parts: { spec: taken }, asks: [], to: ['taken'] },
    { it: 'as before', step: 'taken', parts: { spec: taken }, asks: [], to: ['taken'] },
    { it: 'until it gives up', step: 'taken', parts: {}, asks: ['patch Node n1'], to: ['withdrawn'] },
    {
      it: 'a nudge is taken back',
      step: 'offered',
      parts: { claim: { annotations: { [hash]: 'lull-x', 'lull.dev/nodepool-hash-before': 'h1' } } },
      asks: ['patch NodeClaim n1-claim', 'patch Node n1'],
      to: ['withdrawn'],
    },
  ])('$it', ({ step, parts, asks, to }) => {
    const told = round('drive', [drifted(parts), pod()], [guided(step)]);
    expect(requestsOf(told)).toEqual(asks);
    expect(stepsOf(told)).toEqual(to);
    expect(startsOf(told)).toEqual([]);
  });

  it('a minute later Lull takes the node by its own hands', () => {
    const command = guided('withdrawn', { parkedAt: '2026-03-10T11:58:00Z' });
    const node = drifted({ annotations: parked });
    expect(stepsOf(round('drive', [node], [command]))).toEqual([]);
    expect(startsOf(round('drive', [node], []))).toEqual(['n1 Drifted']);
  });

  it.each([
    {
      it: 'parked nodes stay so: Karpenter would take them',
      objects: [machine('n1', { annotations: parked })],
      asks: [],
    },
    { it: "a user's own stays", objects: [machine('n1', { annotations: { [doNotDisrupt]: 'true' } })], asks: [] },
    {
      it: 'pods are free',
      objects: [machine('n1'), pod('p1', 'n1', { annotations: parked })],
      asks: ['patch shop/p1'],
    },
    {
      it: 'but not from a drain of Karpenter’s while their window is closed',
      objects: [
        machine('n1', { claim: { deleted: noon } }),
        pod('p1', 'n1', { annotations: { ...parked, 'karpenter.sh/disruption-schedule': '0 3 * * *' } }),
      ],
      asks: [],
    },
    {
      it: 'a nudge that no command knows is taken back',
      objects: [machine('n1', { claim: { annotations: { [hash]: 'lull-x', 'lull.dev/nodepool-hash-before': 'h1' } } })],
      asks: ['patch NodeClaim n1-claim'],
    },
  ])('N10: $it', ({ objects, asks }) => {
    expect(requestsOf(round('drive', objects, []))).toEqual(asks);
  });
});

describe('N1: marks in observe', () => {
  it('are told, since nothing is written', () => {
    const told = round('observe', [machine('n1', { annotations: parked }), machine('n2', { spec: marked() })], []);
    expect(told.actions).toEqual([]);
    expect(told.faults).toMatchObject([
      { object: 'Node/n1', severity: 'info', message: expect.stringMatching(/parked: 1, tainted: 1.*lull release/) },
    ]);
  });

  it('nothing is told where there are none', () => {
    expect(round('observe', [machine('n1')], []).faults).toEqual([]);
  });
});

it('N6: in guide a nudge that no command knows is taken back', () => {
  const claim = { annotations: { [hash]: 'lull-x', 'lull.dev/nodepool-hash-before': 'h1' } };
  expect(requestsOf(round('guide', [machine('n1', { annotations: parked, claim })], []))).toEqual([
    'patch NodeClaim n1-claim',
  ]);
});
