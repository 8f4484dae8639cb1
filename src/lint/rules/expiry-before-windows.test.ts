import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { expiryBeforeWindows } from './expiry-before-windows.ts';

const { example } = expiryBeforeWindows;
const changed = (from: string, to: string): string => example.replace(from, to);
const node = (name: string, born: string): string =>
  `---\n{apiVersion: v1, kind: Node, metadata: {name: ${name}, labels: {karpenter.sh/nodepool: default, karpenter.sh/initialized: "true"}}}\n---\n{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: ${name}, creationTimestamp: "${born}"}, spec: {expireAfter: 336h}, status: {nodeName: ${name}}}\n`;

describe('N7: expiry-before-windows', () => {
  it('finds its example', () => {
    expect(found(expiryBeforeWindows)).toEqual([
      {
        rule: 'expiry-before-windows',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.template.spec.expireAfter',
        message:
          'Nodes of default live for 336h and go for their age in the last 168h of that at most, but budgets and windows are closed for Expired for up to 736h at a time. Karpenter takes by force whatever expires meanwhile.',
        suggestion: 'Open default for Expired more often, or make expireAfter longer.',
      },
    ]);
  });

  it('names the nodes that are there, and when the windows would open', () => {
    const text =
      example +
      node('n-1', '2026-11-10T00:00:00Z') +
      node('n-2', '2026-11-12T00:00:00Z') +
      node('n-3', '2026-11-17T09:00:00Z');
    expect(found(expiryBeforeWindows, text)[0]?.message).toBe(
      'Karpenter will take 2 nodes of default by force when they expire (n-1 and n-2), the first at 2026-11-24T00:00:00Z: for Expired, budgets and windows do not open before 2026-12-01T02:00:00Z.',
    );
  });

  it('does not count hours in which the node is too young to go', () => {
    // Born on the first, it lives until the fifteenth; the window was open on its first day alone.
    const text = example + node('n-1', '2026-12-01T00:00:00Z');
    expect(found(expiryBeforeWindows, text, { at: '2026-12-01T03:00:00Z' })[0]?.message).toContain(
      'node n-1 of default by force when it expires at 2026-12-15T00:00:00Z: for Expired, budgets and windows do not open before 2027-01-01T02:00:00Z.',
    );
  });

  it('finds a pool that is closed for ever', () => {
    const text =
      '{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {disruption: {budgets: [{nodes: "0"}]}}}';
    expect(found(expiryBeforeWindows, text)[0]?.message).toContain('closed for Expired for ever');
  });

  it('finds a freeze by date that is longer than the lead', () => {
    const freeze = changed(
      '  mode: Allow\n  schedules: [{cron: 0 2 1 * *, duration: 8h}]',
      '  notBefore: "2026-12-15T00:00:00Z"\n  notAfter: "2027-01-10T00:00:00Z"',
    );
    expect(found(expiryBeforeWindows, freeze)[0]?.message).toContain('for up to 624h at a time');
    expect(places(expiryBeforeWindows, freeze.replace('2027-01-10', '2026-12-20'))).toEqual([]);
  });

  it('knows where v1beta1 had it', () => {
    const text =
      '{apiVersion: karpenter.sh/v1beta1, kind: NodePool, metadata: {name: default}, spec: {disruption: {expireAfter: 240h, budgets: [{nodes: "0"}]}}}';
    expect(places(expiryBeforeWindows, text)).toEqual(['warning NodePool/default spec.disruption.expireAfter']);
  });

  it.each([
    { name: 'windows that open often enough', text: changed('0 2 1 * *', '0 2 * * 6') },
    { name: 'nodes that never expire', text: changed('336h', 'Never') },
    { name: 'a window for drift alone', text: changed('mode: Allow', 'mode: Allow\n  actions: [Drift]') },
    { name: 'a pool without windows and freezes', text: example.slice(0, example.indexOf('---')) },
    {
      name: 'a window over another pool',
      text: changed(
        'mode: Allow',
        'mode: Allow\n  selector: {matchExpressions: [{key: karpenter.sh/nodepool, operator: In, values: [other]}]}',
      ),
    },
    {
      name: 'nodes that are on their way out',
      text:
        changed('0 2 1 * *', '0 2 * * 6') +
        node('n-1', '2026-11-10T00:00:00Z').replace(
          'creationTimestamp',
          'deletionTimestamp: "2026-11-17T10:00:00Z", creationTimestamp',
        ),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places(expiryBeforeWindows, text)).toEqual([]);
  });

  it('is silent where the user wants expiry by force', () => {
    expect(places(expiryBeforeWindows, example, { settings: { expiration: 'forceful' } })).toEqual([]);
  });
});
