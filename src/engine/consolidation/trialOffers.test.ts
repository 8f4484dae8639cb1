// Trial offers of nodes that Karpenter is to judge (F5).
import { describe, expect, it } from 'vitest';
import {
  at,
  decide,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  type Objects,
  type Plain,
  pod,
  pool,
  requestsOf,
  startsOf,
  underway,
} from '../../../test/build.ts';

const parked = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': longAgo };

/** A large node that bears its price and holds little: no other type has been seen. */
const large = (name: string, parts: Plain = {}): Plain[] => {
  const { labels, ...rest } = parts as { labels?: Plain };
  return [
    ...machine(name, {
      zone: 'a',
      annotations: parked,
      labels: {
        'node.kubernetes.io/instance-type': 'large',
        'karpenter.sh/capacity-type': 'on-demand',
        'eks-node-viewer/instance-price': '0.4',
        ...labels,
      },
      allocatable: { cpu: '8', memory: '32Gi' },
      ...rest,
    }),
    // More than half of a node: two of them never share one.
    pod(`p-${name}`, name, { cpu: '4500m' }),
  ];
};
const web = (parts: Plain = {}) => pool('web', { consolidateAfter: '0s', budgets: [{ nodes: '100%' }], ...parts });
const nodes = (count: number): Plain[][] => Array.from({ length: count }, (_, index) => large(`n${index + 1}`));

interface Given {
  readonly commands?: readonly Plain[];
  readonly declined?: readonly Plain[];
  readonly settings?: Plain;
}
const guide = (objects: Objects, { commands = [], declined, settings }: Given = {}) =>
  decide(objects, {
    settings: { role: 'guide', ...settings },
    ledger: ledger({ commands, ...(declined && { declined }) }),
  });

const says = (round: ReturnType<typeof guide>, node = 'n1') =>
  round.verdicts.find((it) => it.node === node && it.reason === 'Underutilized')?.refusals ?? [];

describe('F5: in guide a node that only the types seen speak against is offered, so that Karpenter judges it', () => {
  it('it says why, and nothing of what it saves', () => {
    const round = guide([web(), nodes(1)]);
    expect(startsOf(round)).toEqual(['n1 Underutilized']);
    expect(round.commands[0]).toMatchObject({ trial: true, step: 'offered', podsMoved: 1, replacements: [] });
    expect(round.commands[0]).not.toHaveProperty('savings');
    expect(requestsOf(round)).toEqual(['patch Node n1']);
  });

  it.each([
    { it: 'by its own hands', settings: { role: 'drive' } },
    { it: 'where it only looks on', settings: { role: 'observe' } },
    { it: 'where Karpenter does not know what must be saved', settings: { minimumSavings: '5%' } },
    { it: 'or what a move must save', settings: { podMoveCost: '0.001' } },
    {
      it: 'where a catalogue lists every type',
      settings: {
        catalogue: [
          {
            name: 'large',
            cpu: '8',
            memory: '32Gi',
            pods: '110',
            offerings: [{ zone: 'a', capacityType: 'on-demand', price: 0.4 }],
          },
        ],
      },
    },
  ])('not $it', ({ settings }) => {
    expect(startsOf(guide([web(), nodes(1)], { settings }))).toEqual([]);
  });

  it('not a spot node, which Karpenter would replace by spot alone, unless spotToSpot is on', () => {
    const spot = large('n1', { labels: { 'karpenter.sh/capacity-type': 'spot' } });
    expect(startsOf(guide([web(), spot]))).toEqual([]);
    expect(startsOf(guide([web(), spot], { settings: { spotToSpot: 'true' } }))).toEqual(['n1 Underutilized']);
  });

  it('at most three of a pool at a time; the others say that they wait', () => {
    const round = guide([web(), nodes(6)]);
    expect(startsOf(round)).toHaveLength(3);
    expect(says(round, 'n6')[0]?.message).toContain('of the types seen');
    expect(says(round, 'n6')[0]?.message).toContain('after other nodes');
    expect(says(round, 'n6')[0]?.typesSeenOnly).toBe(true);
  });

  it('C5: budgets by reason hold for them, and what Karpenter reads', () => {
    const one = web({ budgets: [{ nodes: '100%' }, { nodes: '1', reasons: ['Underutilized'] }] });
    expect(startsOf(guide([one, nodes(6)]))).toHaveLength(1);
    const none = web({ budgets: [{ nodes: '0', reasons: ['Underutilized'] }] });
    expect(startsOf(guide([none, nodes(6)]))).toEqual([]);
  });

  it('D2: a window holds them', () => {
    expect(startsOf(guide([web(), nodes(2), maintenanceWindow('freeze')]))).toEqual([]);
  });

  it('N4: not where Karpenter would take the node for drift first, which may not go', () => {
    const frozen = web({ budgets: [{ nodes: '100%' }, { nodes: '0', reasons: ['Drifted'] }] });
    expect(startsOf(guide([frozen, large('n1', { drifted: longAgo })]))).toEqual([]);
  });

  it('nothing is tried in a pool where something else is under way; another pool does not wait for it', () => {
    const api = pool('api', { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] });
    const objects = [web(), api, nodes(3), large('m1', { pool: 'api' })];
    const offered = underway('n1', { hands: 'karpenter', step: 'offered', reason: 'Underutilized' });
    const round = guide(objects, { commands: [offered] });
    expect(startsOf(round)).toEqual(['m1 Underutilized']);
    expect(says(round, 'n2')[0]?.message).toContain('once nothing else is under way');
  });

  it('N3: not again within an hour, and it wakes when that is over', () => {
    const declined = [{ node: 'n1', at: '2026-03-10T11:30:00Z' }];
    const round = guide([web(), nodes(1)], { declined });
    expect(startsOf(round)).toEqual([]);
    expect(says(round)[0]?.message).toContain('it can be offered again from 2026-03-10T12:30:00Z');
    expect(round.wakeAt).toBe(at('2026-03-10T12:30:00Z'));
    const longer = [{ node: 'n1', at: '2026-03-10T10:59:00Z' }];
    expect(startsOf(guide([web(), nodes(1)], { declined: longer }))).toEqual(['n1 Underutilized']);
  });

  it('but after a quarter of an hour where its pods have changed since', () => {
    const declined = [{ node: 'n1', at: '2026-03-10T11:44:00Z' }];
    const changed = large('n1', { claim: { lastPodEvent: '2026-03-10T11:45:00Z' } });
    expect(startsOf(guide([web(), changed], { declined }))).toEqual(['n1 Underutilized']);
  });

  it('what Karpenter says of it ends the trial at once', () => {
    const offered = underway('n1', { hands: 'karpenter', step: 'offered', reason: 'Underutilized', trial: true });
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'n1.1', namespace: 'default' },
      involvedObject: { kind: 'Node', name: 'n1' },
      reason: 'Unconsolidatable',
      message: "Can't replace with a cheaper node",
      lastTimestamp: '2026-03-10T12:00:00Z',
    };
    const round = guide([web(), nodes(1), event], { commands: [offered] });
    expect(round.commands[0]).toMatchObject({ step: 'withdrawn', why: expect.stringContaining("Can't replace") });
    expect(round.ledger.declined).toMatchObject([{ node: 'n1' }]);
  });
});
