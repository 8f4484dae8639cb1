import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { windowFreezeWithoutEnd } from './window-freeze-without-end.ts';

const { example } = windowFreezeWithoutEnd;
const added = (line: string): string => `${example}  ${line}\n`;

describe('D2: window-freeze-without-end', () => {
  it('finds its example', () => {
    expect(found(windowFreezeWithoutEnd)).toEqual([
      {
        rule: 'window-freeze-without-end',
        severity: 'info',
        object: 'MaintenanceWindow/freeze',
        path: 'spec.schedules',
        message:
          'It has no schedules, which means always, and no notAfter: it keeps every node from going for any reason until it is removed.',
        suggestion: 'Give it a notAfter, or schedules (cron and duration), unless a freeze without end is meant.',
      },
    ]);
  });

  it('names actions and selected nodes', () => {
    const text = `${added('actions: [Drift, Consolidation]')}  selector: {matchExpressions: [{key: team, operator: Exists}]}\n`;
    expect(found(windowFreezeWithoutEnd, text)[0]?.message).toContain(
      'keeps the nodes it selects from going for Empty, Drifted and Underutilized until',
    );
  });

  it('finds one that only begins', () => {
    expect(places(windowFreezeWithoutEnd, added('notBefore: "2026-01-01T00:00:00Z"'))).toHaveLength(1);
  });

  it.each([
    { name: 'a freeze that ends', text: added('notAfter: "2099-01-01T00:00:00Z"') },
    { name: 'a freeze that is over', text: added('notAfter: "2020-01-01T00:00:00Z"') },
    { name: 'a schedule', text: added('schedules: [{cron: 0 9 * * *, duration: 8h}]') },
    { name: 'a window that allows', text: added('mode: Allow') },
    { name: 'D5: a cap over all pools', text: added('nodes: "3"') },
    { name: 'a window that cannot be read', text: added('nodes: some') },
  ])('is silent about $name', ({ text }) => {
    expect(places(windowFreezeWithoutEnd, text)).toEqual([]);
  });
});
