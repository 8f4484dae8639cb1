import { describe, expect, it } from 'vitest';
import { codesOf, command, decide, ledger, longAgo, machine, pod, pool, startsOf } from '../../../test/build.ts';

const drifted = machine('n1', { drifted: longAgo });
const pending = (parts: Parameters<typeof pod>[2] = {}) =>
  pod('p', '', { phase: 'Pending', status: { nominatedNodeName: 'n1' }, ...parts });

describe('N0: a nominated node stays', () => {
  it('where a pending pod is given to it', () => {
    expect(codesOf(decide([pool(), drifted, pending()]), 'n1', 'Drifted')).toEqual(['Nominated']);
  });

  it('where a command under way promised it pods', () => {
    const known = ledger({ commands: [command('n2', { promisedTo: ['n1'] })] });
    expect(codesOf(decide([pool(), drifted, machine('n2')], { ledger: known }), 'n1', 'Drifted')).toEqual([
      'Nominated',
    ]);
  });

  it('where a command of this very round promises it pods', () => {
    const round = decide([
      pool(),
      machine('n1', { drifted: '2026-03-09T00:00:00Z' }),
      pod('q', 'n1'),
      machine('n2', { drifted: longAgo }),
      pod('p', 'n2'),
    ]);
    expect(startsOf(round)).toEqual(['n2 Drifted']);
    expect(codesOf(round, 'n1', 'Drifted')).toEqual(['Nominated']);
    expect(round.commands[0]?.promisedTo).toEqual(['n1']);
  });
});

describe('N0: who is not nominated', () => {
  it.each([
    { it: 'the pod is bound', objects: [pod('p', 'n1', { status: { nominatedNodeName: 'n1' } })] },
    {
      it: 'the pod has failed',
      objects: [pending({ phase: 'Failed', status: { nominatedNodeName: 'n1', phase: 'Failed' } })],
    },
    { it: 'the pod is terminating', objects: [pending({ deleted: longAgo })] },
    {
      it: 'the pod is given to another',
      objects: [pending({ status: { phase: 'Pending', nominatedNodeName: 'n2' } })],
    },
  ])('$it', ({ objects }) => {
    expect(startsOf(decide([pool(), drifted, objects]))).toEqual(['n1 Drifted']);
  });

  it('an interrupted node goes all the same', () => {
    const node = machine('n1', { claim: { conditions: { Interrupted: longAgo } } });
    expect(startsOf(decide([pool(), node, pending()]))).toEqual(['n1 Interrupted']);
  });
});
