// Room that commands under way have promised to pods.
import { describe, expect, it } from 'vitest';
import { codesOf, decide, longAgo, machine, pod, pool, startsOf } from '../../../test/build.ts';

describe('F6: room that a command under way was promised', () => {
  const room = pool('web', { budgets: [{ nodes: '100%' }] });
  const leaving = (replacements: readonly object[]) => ({
    version: 1 as const,
    turns: [],
    backoffs: [],
    commands: [
      {
        id: 'drifted-1',
        reason: 'Drifted' as const,
        pool: 'web',
        hands: 'lull' as const,
        nodes: [{ name: 'n1', claim: 'n1' }],
        replacements: replacements as never,
        promisedTo: ['n3'],
        step: 'draining' as const,
        startedAt: 0 as never,
        stepAt: 0 as never,
      },
    ],
  });
  /** n1 leaves with a pod of 3 cpu; n2 has one too; n3 alone has room, for one of them. */
  const objects = [
    room,
    machine('n1', { drifted: longAgo }),
    pod('p1', 'n1', { cpu: '3' }),
    machine('n2', { drifted: longAgo }),
    pod('p2', 'n2', { cpu: '3' }),
    machine('n3'),
  ];

  it.each([
    { name: 'without replacements', replacements: [] },
    { name: 'beside replacements', replacements: [{ name: 'r', pool: 'web' }] },
  ])('is not promised again: $name', ({ replacements }) => {
    const round = decide(objects, { ledger: leaving(replacements) });
    expect(startsOf(round)).toEqual(['n2 Drifted']);
    expect(round.commands.at(-1)?.promisedTo).toEqual([]);
    expect(round.commands.at(-1)?.replacements).toHaveLength(1);
    expect(codesOf(round, 'n3', 'Empty')).toContain('Nominated');
  });
});
