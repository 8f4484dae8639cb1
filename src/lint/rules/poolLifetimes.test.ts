// Tests of the lint rules about the lifetime of nodes.
import { describe, expect, it } from 'vitest';
import { exampleOf, found, places } from '../../../test/fixtures/lintPolicy.ts';

describe('A3: consolidation-never', () => {
  const example = exampleOf('consolidation-never');

  it('finds its example', () => {
    expect(found('consolidation-never')).toEqual([
      {
        rule: 'consolidation-never',
        severity: 'info',
        object: 'NodePool/default',
        path: 'spec.disruption.consolidationPolicy',
        message:
          'consolidateAfter: Never switches consolidation off, so this policy has no effect: even empty nodes of default are kept.',
        suggestion: 'Set consolidateAfter to a duration such as 30s, unless you want no consolidation.',
      },
    ]);
  });

  it('C2: finds the fields where older documents put them', () => {
    expect(places('consolidation-never', example.replace('  disruption:\n', '').replace(/ {4}/g, '  '))).toEqual([
      'info NodePool/default spec.consolidationPolicy',
    ]);
  });

  it.each([
    { name: 'a duration', text: example.replace('Never', '30s') },
    { name: 'no policy', text: example.replace(/.*consolidationPolicy.*\n/, '') },
  ])('is silent about $name', ({ text }) => {
    expect(places('consolidation-never', text)).toEqual([]);
  });
});

describe('N7: expiry-before-windows', () => {
  const example = exampleOf('expiry-before-windows');
  const changed = (from: string, to: string): string => example.replace(from, to);
  const node = (name: string, born: string): string =>
    `---\n{apiVersion: v1, kind: Node, metadata: {name: ${name}, labels: {karpenter.sh/nodepool: default, karpenter.sh/initialized: "true"}}}\n---\n{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: ${name}, creationTimestamp: "${born}"}, spec: {expireAfter: 336h}, status: {nodeName: ${name}}}\n`;

  it('finds its example', () => {
    expect(found('expiry-before-windows')).toEqual([
      {
        rule: 'expiry-before-windows',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.template.spec.expireAfter',
        message:
          'Nodes of default live for 336h and can be replaced for their age at most 168h before that ends, but budgets and windows are closed for Expired for up to 736h at a time. Karpenter forcefully terminates nodes that expire while they are closed.',
        suggestion: 'Allow disruption of default for Expired more often, or make expireAfter longer.',
      },
    ]);
  });

  it('names the nodes that are there, and when the windows would open', () => {
    const text =
      example +
      node('n-1', '2026-11-10T00:00:00Z') +
      node('n-2', '2026-11-12T00:00:00Z') +
      node('n-3', '2026-11-17T09:00:00Z');
    expect(found('expiry-before-windows', text)[0]?.message).toBe(
      'Karpenter will forcefully terminate 2 nodes of default when they expire (n-1 and n-2), the first at 2026-11-24T00:00:00Z: for Expired, budgets and windows do not open before 2026-12-01T02:00:00Z.',
    );
  });

  it('does not count hours in which the node is too young to go', () => {
    // Born on the first, it lives until the fifteenth; the window was open on its first day alone.
    const text = example + node('n-1', '2026-12-01T00:00:00Z');
    expect(found('expiry-before-windows', text, { at: '2026-12-01T03:00:00Z' })[0]?.message).toContain(
      'node n-1 of default when it expires at 2026-12-15T00:00:00Z: for Expired, budgets and windows do not open before 2027-01-01T02:00:00Z.',
    );
  });

  it('finds a pool that is closed for ever', () => {
    const text =
      '{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {disruption: {budgets: [{nodes: "0"}]}}}';
    expect(found('expiry-before-windows', text)[0]?.message).toContain('closed for Expired permanently');
  });

  it('finds a freeze by date that is longer than the lead', () => {
    const freeze = changed(
      '  mode: Allow\n  schedules: [{cron: 0 2 1 * *, duration: 8h}]',
      '  notBefore: "2026-12-15T00:00:00Z"\n  notAfter: "2027-01-10T00:00:00Z"',
    );
    expect(found('expiry-before-windows', freeze)[0]?.message).toContain('for up to 624h at a time');
    expect(places('expiry-before-windows', freeze.replace('2027-01-10', '2026-12-20'))).toEqual([]);
  });

  it('knows where v1beta1 had it', () => {
    const text =
      '{apiVersion: karpenter.sh/v1beta1, kind: NodePool, metadata: {name: default}, spec: {disruption: {expireAfter: 240h, budgets: [{nodes: "0"}]}}}';
    expect(places('expiry-before-windows', text)).toEqual(['warning NodePool/default spec.disruption.expireAfter']);
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
    expect(places('expiry-before-windows', text)).toEqual([]);
  });

  it('is silent where the user wants expiry by force', () => {
    expect(places('expiry-before-windows', example, { settings: { expiration: 'forceful' } })).toEqual([]);
  });
});

describe('N7: expiry-cannot-finish', () => {
  const example = exampleOf('expiry-cannot-finish');
  const changed = (from: string | RegExp, to: string): string => example.replace(from, to);

  it('finds its example', () => {
    expect(found('expiry-cannot-finish')).toEqual([
      {
        rule: 'expiry-cannot-finish',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.template.spec.expireAfter',
        message:
          '3 nodes of default expire by 2098-03-03T00:00:00Z, but at its limit and in its open hours only about 2 of them can be replaced before. Karpenter terminates the others forcefully.',
        suggestion:
          'Allow more nodes of default at a time for Expired, allow disruption for longer hours, or replace nodes earlier (lull.dev/expire-after).',
      },
    ]);
  });

  it('D5: counts the cap of a window', () => {
    const capped = `${changed('nodes: "1"', 'nodes: "2"')}---\n{apiVersion: karpenter.sh/v1alpha1, kind: MaintenanceWindow, metadata: {name: cap}, spec: {nodes: "1"}}\n`;
    expect(places('expiry-cannot-finish', capped)).toHaveLength(1);
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
    expect(places('expiry-cannot-finish', text)).toEqual([]);
  });
});

describe('A: expiry-never-and-drift-frozen', () => {
  const example = exampleOf('expiry-never-and-drift-frozen');
  const changed = (from: string, to: string): string => example.replace(from, to);

  it('finds its example', () => {
    expect(found('expiry-never-and-drift-frozen')).toEqual([
      {
        rule: 'expiry-never-and-drift-frozen',
        severity: 'warning',
        object: 'NodePool/database',
        path: 'spec.template.spec.expireAfter',
        message:
          'Nodes of database never expire, and its budgets and windows never allow disruption for Drifted: no new image ever reaches them.',
        suggestion: 'Allow disruption for Drifted at some hour, such as one night a week, or set expireAfter.',
      },
    ]);
  });

  it('finds a freeze by a window', () => {
    const window =
      '---\n{apiVersion: karpenter.sh/v1alpha1, kind: MaintenanceWindow, metadata: {name: freeze}, spec: {actions: [Drift]}}\n';
    const text = changed('{nodes: "0", reasons: [Drifted]}, ', '') + window;
    expect(places('expiry-never-and-drift-frozen', text)).toHaveLength(1);
  });

  it.each([
    { name: 'nodes that expire', text: changed('Never', '720h') },
    {
      name: 'nodes that go for their age before',
      text: changed('{name: database}', '{name: database, annotations: {lull.dev/expire-after: 480h}}'),
    },
    {
      name: 'drift at weekends',
      text: changed('reasons: [Drifted]', 'reasons: [Drifted], schedule: 0 0 * * 1, duration: 120h'),
    },
    { name: 'another frozen reason', text: changed('[Drifted]', '[Underutilized]') },
  ])('is silent about $name', ({ text }) => {
    expect(places('expiry-never-and-drift-frozen', text)).toEqual([]);
  });
});

describe('P7: drift-after-expiry', () => {
  const example = exampleOf('drift-after-expiry');

  it('finds its example', () => {
    expect(found('drift-after-expiry')).toEqual([
      {
        rule: 'drift-after-expiry',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'metadata.annotations[lull.dev/drift-after]',
        message:
          'Nodes of default are replaced for their age after 336h, before they have been drifted for 720h: none is ever replaced for drift.',
        suggestion: 'Use a driftAfter well below the lifetime of the nodes, such as 72h, or let them live longer.',
      },
    ]);
  });

  it('names the budget, and counts the earlier of two ages', () => {
    const text = example
      .replace('lull.dev/drift-after: 720h', 'lull.dev/expire-after: 48h')
      .replace('template:', 'disruption: {budgets: [{nodes: "1", reasons: [Drifted], driftAfter: 48h}]}, template:');
    expect(places('drift-after-expiry', text)).toEqual([
      'warning NodePool/default spec.disruption.budgets[0].driftAfter',
    ]);
  });

  it.each([
    { name: 'a shorter wait', text: example.replace('720h', '335h') },
    { name: 'nodes that never expire', text: example.replace('336h', 'Never') },
    { name: 'no wait', text: example.replace('720h', '0s') },
  ])('is silent about $name', ({ text }) => {
    expect(places('drift-after-expiry', text)).toEqual([]);
  });
});

describe('A7: repair-after-short', () => {
  const example = exampleOf('repair-after-short');

  it('finds its example', () => {
    expect(found('repair-after-short')).toEqual([
      {
        rule: 'repair-after-short',
        severity: 'info',
        object: 'NodePool/default',
        path: 'spec.disruption.repairAfter',
        message:
          'A node of default is replaced when it has not been Ready for 1m: a reboot or a short network outage is enough.',
        suggestion: 'Use at least 5m.',
      },
    ]);
  });

  it.each([
    { name: 'five minutes', text: example.replace('1m', '5m') },
    { name: 'never', text: example.replace('1m', 'Never') },
    { name: 'nothing said', text: example.replace('repairAfter: 1m', '') },
  ])('is silent about $name', ({ text }) => {
    expect(places('repair-after-short', text)).toEqual([]);
  });
});

describe('D2: window-and-budgets-never-meet', () => {
  const example = exampleOf('window-and-budgets-never-meet');
  const changed = (from: string, to: string): string => example.replace(from, to);

  it('finds its example', () => {
    expect(found('window-and-budgets-never-meet')).toEqual([
      {
        rule: 'window-and-budgets-never-meet',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets',
        message:
          'The budgets of default and the windows on its nodes (nights-only) are never open at the same time: nothing is ever disrupted for any reason.',
        suggestion: 'Define the hours in one place: in the windows, or in budgets of 0.',
      },
    ]);
  });

  it('names the reasons for which it is so', () => {
    const text = changed('{nodes: "0", schedule', '{nodes: "0", reasons: [Drifted, Expired], schedule');
    expect(found('window-and-budgets-never-meet', text)[0]?.message).toMatch(
      /ever disrupted for Drifted and Expired\.$/,
    );
  });

  it.each([
    { name: 'hours that meet', text: changed('duration: 14h', 'duration: 5h') },
    {
      name: 'a pool that never opens by itself',
      text: changed('schedule: 0 18 * * *, duration: 14h', 'reasons: [Drifted]').replace('nodes: 10%', 'nodes: "0"'),
    },
    {
      name: 'a window over other nodes',
      text: changed(
        'mode: Allow',
        'mode: Allow\n  selector: {matchExpressions: [{key: karpenter.sh/nodepool, operator: In, values: [other]}]}',
      ),
    },
    {
      name: 'a window that asks for what is not known yet',
      text: changed(
        'mode: Allow',
        'mode: Allow\n  selector: {matchExpressions: [{key: zone, operator: NotIn, values: [a]}]}',
      ),
    },
    { name: 'a pool with a fault', text: changed('nodes: 10%', 'nodes: some') },
  ])('is silent about $name', ({ text }) => {
    expect(places('window-and-budgets-never-meet', text)).toEqual([]);
  });
});
