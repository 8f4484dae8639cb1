import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { windowOver } from './window-over.ts';

const { example } = windowOver;
const changed = (from: string, to: string): string => example.replace(from, to);
const allowed = changed('spec:', 'spec:\n  mode: Allow\n  schedules: [{cron: 0 2 * * *, duration: 4h}]');

describe('D4: window-over', () => {
  it('finds its example', () => {
    expect(found(windowOver)).toEqual([
      {
        rule: 'window-over',
        severity: 'info',
        object: 'MaintenanceWindow/black-friday',
        path: 'spec.notAfter',
        message: 'Its time was over at 2025-12-02T00:00:00Z: it has no effect any more.',
        suggestion: 'Remove the window.',
      },
    ]);
  });

  it('warns where an Allow window is over: everything is allowed', () => {
    expect(found(windowOver, allowed)).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('is now allowed at any hour') },
    ]);
  });

  it('does not warn where another Allow window holds on', () => {
    const other =
      '---\n{apiVersion: karpenter.sh/v1alpha1, kind: MaintenanceWindow, metadata: {name: nights}, spec: {mode: Allow, schedules: [{cron: 0 2 * * *, duration: 4h}]}}';
    expect(places(windowOver, allowed + other)).toEqual(['info MaintenanceWindow/black-friday spec.notAfter']);
  });

  it.each([
    { name: 'in its time', at: '2025-11-25T00:00:00Z' },
    { name: 'before it', at: '2025-11-01T00:00:00Z' },
    { name: 'in its last second', at: '2025-12-01T23:59:59Z' },
  ])('is silent $name', ({ at }) => {
    expect(places(windowOver, example, { at })).toEqual([]);
  });
});
