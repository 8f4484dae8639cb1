import { describe, expect, it } from 'vitest';
import { sayMissing } from './liveMissing.ts';

describe('K3: what is missing is said by cause, with what to do', () => {
  it.each([
    {
      name: "Lull's own definitions",
      why: [
        'MaintenanceWindow is not listed yet: 404: the server could not find the requested resource',
        'DisruptionLedger is not listed yet: 404: x',
      ],
      says: 'the server does not know MaintenanceWindow, DisruptionLedger: `lull install` brings their definitions',
    },
    {
      name: 'Karpenter',
      why: ['NodePool is not listed yet: 404: x', 'NodeClaim is not listed yet: 404: x'],
      says: 'the server does not know NodePool, NodeClaim in karpenter.sh/v1: install Karpenter',
    },
    {
      name: 'rights',
      why: ['Pod is not listed yet: 403: forbidden'],
      says: 'Lull may not read Pod: `lull install` brings the rights',
    },
    {
      name: 'nothing but time',
      why: ['Node is not listed yet', 'Pod is not listed yet'],
      says: 'not listed yet: Node, Pod',
    },
    {
      name: 'a server',
      why: ['Node is being listed again: refused', 'Pod is being listed again: refused'],
      says: 'being listed again: Node, Pod (refused)',
    },
    {
      name: 'a watch',
      why: ['the watch of Node has been down since 2026-03-10T12:00:00Z: 503: not yet'],
      says: 'nothing has come of Node for a while (503: not yet)',
    },
    {
      name: 'what another has seen',
      why: ["Node is seen up to 80, the ledger's author saw 90"],
      says: 'another Lull has seen more of Node; this one is catching up',
    },
    { name: 'what nobody thought of', why: ['The ledger cannot be read: x'], says: 'The ledger cannot be read: x' },
  ])('$name', ({ why, says }) => {
    expect(sayMissing(why).text).toBe(says);
  });

  it('is no news as long as the causes are the same', () => {
    const [many, few, other] = [
      ['Node is not listed yet', 'Pod is not listed yet'],
      ['Pod is not listed yet'],
      ['Pod is not listed yet: 403: x'],
    ];
    expect(sayMissing(many).key).toBe(sayMissing(few).key);
    expect(sayMissing(other).key).not.toBe(sayMissing(few).key);
    expect(sayMissing(['late by 3 s']).key).toBe(sayMissing(['late by 4 s']).key);
  });
});
