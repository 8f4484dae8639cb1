import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { windowContradiction } from './window-contradiction.ts';

const { example } = windowContradiction;
const changed = (from: string, to: string): string => example.replace(from, to);
const node = (name: string, zone: string): string =>
  `---\n{apiVersion: v1, kind: Node, metadata: {name: ${name}, labels: {zone: ${zone}}}}\n---\n{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: ${name}}, status: {nodeName: ${name}}}\n`;
const inZone = (zone: string): string =>
  `  selector: {matchExpressions: [{key: zone, operator: In, values: [${zone}]}]}\n`;

describe('D3: window-contradiction', () => {
  it('finds its example', () => {
    expect(found(windowContradiction)).toEqual([
      {
        rule: 'window-contradiction',
        severity: 'warning',
        object: 'MaintenanceWindow/nights-only',
        path: 'spec.schedules',
        message:
          'Nodes may go for any reason only while nights-only is open (0 22 * * * for 6h), and backups blocks all of that time: they never may.',
        suggestion:
          'Let nights-only open when backups does not block, or take these nodes or actions out of one of them.',
      },
    ]);
  });

  it('finds it on the nodes that both select, for the actions that both name', () => {
    const text = `${changed('mode: Allow', 'mode: Allow\n  actions: [Drift]')}${inZone('a')}${node('n-1', 'a')}${node('n-2', 'b')}`;
    expect(found(windowContradiction, text)[0]?.message).toContain('Nodes may go for Drifted only while');
  });

  it.each([
    { name: 'hours that leave a moment', text: changed('duration: 10h', 'duration: 7h') },
    { name: 'a block on weekdays alone', text: changed('0 20 * * *', '0 20 * * 1-5') },
    { name: 'a block that ends some day', text: `${example}  notAfter: "2026-12-24T00:00:00Z"\n` },
    {
      name: 'another Allow window that is open by day',
      text: `${example}---\n{apiVersion: karpenter.sh/v1alpha1, kind: MaintenanceWindow, metadata: {name: noon}, spec: {mode: Allow, schedules: [{cron: 0 12 * * *, duration: 1h}]}}\n`,
    },
    {
      name: 'different actions',
      text: `${changed('mode: Allow', 'mode: Allow\n  actions: [Drift]')}  actions: [Repair]\n`,
    },
    {
      name: 'different nodes',
      text: `${changed('mode: Allow', `mode: Allow\n${inZone('a').trimEnd()}`)}${inZone('b')}${node('n-1', 'a')}${node('n-2', 'b')}`,
    },
    { name: 'D5: a window that only caps', text: `${example}  nodes: "1"\n` },
    { name: 'a window that cannot be read', text: changed('0 20 * * *', 'soon') },
  ])('is silent about $name', ({ text }) => {
    expect(places(windowContradiction, text)).toEqual([]);
  });
});
