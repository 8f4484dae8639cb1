import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { windowAllowEnds } from './window-allow-ends.ts';

const { example } = windowAllowEnds;
const changed = (from: string, to: string): string => example.replace(from, to);
const other = (spec: string): string =>
  `${example}---\n{apiVersion: karpenter.sh/v1alpha1, kind: MaintenanceWindow, metadata: {name: weekends}, spec: {mode: Allow, schedules: [{cron: 0 0 * * 6, duration: 48h}], ${spec}}}\n`;

describe('D4: window-allow-ends', () => {
  it('finds its example', () => {
    expect(found(windowAllowEnds)).toEqual([
      {
        rule: 'window-allow-ends',
        severity: 'warning',
        object: 'MaintenanceWindow/nights',
        path: 'spec.notAfter',
        message:
          'From 2099-01-01T00:00:00Z on this window has no effect any more: what it allows only in its hours may then happen at any hour.',
        suggestion:
          'Remove notAfter. To stop everything from that date on, add a window of mode Block with that date as notBefore.',
      },
    ]);
  });

  it.each([
    {
      name: 'a window that has not begun yet',
      text: changed('notAfter', 'notBefore: "2098-01-01T00:00:00Z"\n  notAfter'),
    },
    { name: 'another one that speaks of less', text: other('actions: [Drift]') },
    {
      name: 'another one that ends before',
      text: other('notAfter: "2098-01-01T00:00:00Z", actions: [Drift]').replace(
        'notAfter: "2098',
        'notBefore: "2097-01-01T00:00:00Z", notAfter: "2098',
      ),
    },
  ])('finds it beside $name', ({ text }) => {
    expect(places(windowAllowEnds, text)).toContain('warning MaintenanceWindow/nights spec.notAfter');
  });

  it.each([
    { name: 'a window that blocks', text: changed('mode: Allow', 'mode: Block') },
    { name: 'a window that only begins', text: changed('notAfter', 'notBefore') },
    { name: 'a window that is over: another rule says so', text: changed('2099', '2020') },
    { name: 'a window beside one that goes on', text: other('note: for ever') },
    { name: 'a window that cannot be read', text: changed('0 22 * * *', 'soon') },
  ])('is silent about $name', ({ text }) => {
    expect(places(windowAllowEnds, text)).toEqual([]);
  });
});
