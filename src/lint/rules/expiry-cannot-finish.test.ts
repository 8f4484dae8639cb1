import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { expiryCannotFinish } from './expiry-cannot-finish.ts';

const { example } = expiryCannotFinish;
const changed = (from: string | RegExp, to: string): string => example.replace(from, to);

describe('N7: expiry-cannot-finish', () => {
  it('finds its example', () => {
    expect(found(expiryCannotFinish)).toEqual([
      {
        rule: 'expiry-cannot-finish',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.template.spec.expireAfter',
        message:
          '3 nodes of default expire by 2098-03-03T00:00:00Z, but in its open hours and at its limit only about 2 of them can be replaced before. Karpenter takes the others by force, all at once.',
        suggestion:
          'Let more nodes of default go at once for Expired, open it longer, or let them go earlier (lull.dev/expire-after).',
      },
    ]);
  });

  it('D5: counts the cap of a window', () => {
    const capped = `${changed('nodes: "1"', 'nodes: "2"')}---\n{apiVersion: karpenter.sh/v1alpha1, kind: MaintenanceWindow, metadata: {name: cap}, spec: {nodes: "1"}}\n`;
    expect(places(expiryCannotFinish, capped)).toHaveLength(1);
  });

  it.each([
    { name: 'two at a time', text: changed('nodes: "1"', 'nodes: "2"') },
    {
      name: 'more minutes of the day',
      text: changed('schedule: 10 0 * * *, duration: 23h50m', 'schedule: 20 0 * * *, duration: 23h40m'),
    },
    {
      name: 'nodes born on different days',
      text: changed(
        'name: default-3, creationTimestamp: "2098-03-01',
        'name: default-3, creationTimestamp: "2098-03-02',
      ),
    },
    {
      name: 'hours that do not open at all: another rule says so',
      text: changed('schedule: 10 0 * * *, duration: 23h50m', 'reasons: [Expired]'),
    },
    { name: 'claims that never expire', text: changed(/spec: \{expireAfter: 48h\}/g, 'spec: {expireAfter: Never}') },
  ])('is silent about $name', ({ text }) => {
    expect(text).not.toBe(example);
    expect(places(expiryCannotFinish, text)).toEqual([]);
  });
});
