import { describe, expect, it } from 'vitest';
import { decide, ledger, longAgo, machine, noon, type Objects, pool, underway } from '../../../test/build.ts';

const parked = { annotations: { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': longAgo } };
const parking = (objects: Objects, role = 'guide') => decide(objects, { settings: { role } }).parking;

describe('N3: how far parking is', () => {
  it.each([
    { it: 'parked', parts: parked, counts: { parked: 1, unparked: 0, late: 0 } },
    { it: 'old and not parked', parts: {}, counts: { parked: 0, unparked: 1, late: 1 } },
    { it: 'just born', parts: { created: '2026-03-10T11:59:40Z' }, counts: { parked: 0, unparked: 1, late: 0 } },
    {
      it: 'kept by a user',
      parts: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
      counts: { parked: 0, unparked: 0, late: 0 },
    },
    { it: 'being deleted', parts: { claim: { deleted: noon } }, counts: { parked: 0, unparked: 0, late: 0 } },
  ])('a node that is $it', ({ parts, counts }) => {
    expect(parking([pool(), machine('n1', parts)])).toEqual([{ pool: 'web', ...counts }]);
  });

  it('one that is offered is not to be parked', () => {
    const known = ledger({ commands: [underway('n1', { hands: 'karpenter', step: 'offered' })] });
    const round = decide([pool(), machine('n1', { drifted: longAgo })], { settings: { role: 'guide' }, ledger: known });
    expect(round.parking).toEqual([{ pool: 'web', parked: 0, unparked: 0, late: 0 }]);
  });

  it.each(['observe', 'drive'])('%s parks nothing', (role) => {
    expect(parking([pool(), machine('n1')], role)).toBeUndefined();
  });
});
