// Room for successors of evicted pods.
import { describe, expect, it } from 'vitest';
import {
  codesOf,
  decide,
  ledger,
  longAgo,
  machine,
  marked,
  type Objects,
  type Plain,
  pod,
  pool,
  startsOf,
  underway,
} from '../../../test/build.ts';

const room = pool('web', { budgets: [{ nodes: '100%' }] });
const justNow = '2026-03-10T12:00:00Z';
/** It was asked to end just now, with its 30 seconds of grace. */
const ending = { deleted: '2026-03-10T12:00:30Z' };
/** n1 is drained into n3, which was made for it and has room for one such pod; n2 would like to go there as well. */
const stage = (...pods: Objects): Objects => [
  room,
  machine('n1', { drifted: longAgo, spec: marked() }),
  machine('n2', { drifted: longAgo }),
  pod('p2', 'n2', { cpu: '3' }),
  machine('n3', { claim: {} }),
  ...pods,
];
const going = (fields: Plain = {}) =>
  ledger({
    commands: [
      underway('n1', {
        step: 'draining',
        evictedAt: '2026-03-10T11:59:30Z',
        replacements: [{ name: 'n3-claim', pool: 'web', state: 'made' }],
        ...fields,
      }),
    ],
  });
const replacementsOf = (objects: Objects): number =>
  decide(objects, { ledger: going(), at: justNow }).commands.at(-1)?.replacements.length ?? 0;

describe('F6: the room of a pod that was just evicted', () => {
  it.each([
    {
      it: 'is kept while its successor is not seen',
      pods: [pod('p1', 'n1', { cpu: '3', ...ending })],
      replacements: 1,
    },
    {
      it: 'is kept for the successor that is pending',
      pods: [pod('p1', 'n1', { cpu: '3', ...ending }), pod('q', '', { cpu: '3', phase: 'Pending', created: justNow })],
      replacements: 1,
    },
    {
      it: 'is the successor’s, once it has come there',
      pods: [pod('p1', 'n1', { cpu: '3', ...ending }), pod('q', 'n3', { cpu: '0', created: justNow })],
      replacements: 0,
    },
    {
      it: 'is not taken for that of an older pod of the workload',
      pods: [pod('p1', 'n1', { cpu: '3', ...ending }), pod('q', 'n3', { cpu: '0', created: longAgo })],
      replacements: 1,
    },
    {
      it: 'nor for that of another workload',
      pods: [
        pod('p1', 'n1', { cpu: '3', ...ending }),
        pod('q', 'n3', { cpu: '0', created: justNow, owner: 'ReplicaSet/api' }),
      ],
      replacements: 1,
    },
    {
      it: 'is free if the pod is not recreated',
      pods: [pod('p1', 'n1', { cpu: '3', ...ending, owner: 'Job/once' })],
      replacements: 0,
    },
  ])('$it', ({ pods, replacements }) => {
    expect(startsOf(decide(stage(...pods), { ledger: going(), at: justNow }))).toEqual(['n2 Drifted']);
    expect(replacementsOf(stage(...pods))).toBe(replacements);
  });
});

describe('N0: a node that the pods of a leaving node will need', () => {
  const eager = pool('web', { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] });
  const spare = (...pods: Objects): Objects => [
    eager,
    machine('n1', { drifted: longAgo, spec: marked() }),
    pod('p1', 'n1', { cpu: '3' }),
    machine('n4'),
    ...pods,
  ];

  it('is not removed as Empty, although no command promised it', () => {
    const round = decide(spare(), { ledger: going({ replacements: [{ name: 'gone', pool: 'web', state: 'made' }] }) });
    expect(codesOf(round, 'n4', 'Empty')).toEqual(['Nominated']);
  });

  it('is, while a replacement is still to come for them', () => {
    const known = ledger({
      commands: [underway('n1', { step: 'replacing', replacements: [{ name: 'r', pool: 'web' }] })],
    });
    const round = decide(spare(), { ledger: known });
    expect(startsOf(round)).toEqual(['n4 Empty']);
  });
});
