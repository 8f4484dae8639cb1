import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { repairAfterShort } from './repair-after-short.ts';

const { example } = repairAfterShort;

describe('A7: repair-after-short', () => {
  it('finds its example', () => {
    expect(found(repairAfterShort)).toEqual([
      {
        rule: 'repair-after-short',
        severity: 'info',
        object: 'NodePool/default',
        path: 'spec.disruption.repairAfter',
        message:
          'A node of default is replaced when it has not been Ready for 1m: a reboot or a short loss of network is enough.',
        suggestion: 'Use at least 5m.',
      },
    ]);
  });

  it.each([
    { name: 'five minutes', text: example.replace('1m', '5m') },
    { name: 'never', text: example.replace('1m', 'Never') },
    { name: 'nothing said', text: example.replace('repairAfter: 1m', '') },
  ])('is silent about $name', ({ text }) => {
    expect(places(repairAfterShort, text)).toEqual([]);
  });
});
