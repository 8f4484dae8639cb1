// Tests of the lint rules about MaintenanceWindows.
import { describe, expect, it } from 'vitest';
import { exampleOf, found, places } from '../../../test/fixtures/lintPolicy.ts';

describe('D4: schedule-never-open', () => {
  const changed = (from: string, to: string): string => exampleOf('schedule-never-open').replace(from, to);

  it('finds its example', () => {
    expect(found('schedule-never-open')).toMatchObject([
      {
        severity: 'warning',
        object: 'MaintenanceWindow/upgrade-week',
        path: 'spec.schedules',
        message:
          'Its schedules (0 2 * * sat for 4h) never open from 2026-11-23T00:00:00Z until 2026-11-28T00:00:00Z: it never allows disruption, and its nodes are held until it ends.',
      },
    ]);
  });

  it('says what a window that blocks fails to do', () => {
    expect(found('schedule-never-open', changed('Allow', 'Block'))[0]?.message).toMatch(/it never blocks anything\.$/);
  });

  it.each([
    { name: 'a schedule that opens once', text: changed('2026-11-28', '2026-11-29') },
    {
      name: 'one that is open as its time begins',
      text: changed('0 2 * * sat, duration: 4h', '0 20 * * sun, duration: 8h'),
    },
    {
      name: 'a window that is over, which window-over tells',
      text: changed('2026-11-28', '2025-11-28').replace('2026-11-23', '2025-11-24'),
    },
    { name: 'dates alone', text: changed('schedules: [{cron: 0 2 * * sat, duration: 4h}]', 'note: x') },
  ])('is silent about $name', ({ text }) => {
    expect(places('schedule-never-open', text)).toEqual([]);
  });
});

describe('D4: window-allow-ends', () => {
  const example = exampleOf('window-allow-ends');
  const changed = (from: string, to: string): string => example.replace(from, to);
  const other = (spec: string): string =>
    `${example}---\n{apiVersion: karpenter.sh/v1alpha1, kind: MaintenanceWindow, metadata: {name: weekends}, spec: {mode: Allow, schedules: [{cron: 0 0 * * 6, duration: 48h}], ${spec}}}\n`;

  it('finds its example', () => {
    expect(found('window-allow-ends')).toEqual([
      {
        rule: 'window-allow-ends',
        severity: 'warning',
        object: 'MaintenanceWindow/nights',
        path: 'spec.notAfter',
        message:
          'From 2099-01-01T00:00:00Z on, this window has no effect: disruption that it allows only in its hours is then allowed at any hour.',
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
    expect(places('window-allow-ends', text)).toContain('warning MaintenanceWindow/nights spec.notAfter');
  });

  it.each([
    { name: 'a window that blocks', text: changed('mode: Allow', 'mode: Block') },
    { name: 'a window that only begins', text: changed('notAfter', 'notBefore') },
    { name: 'a window that is over: another rule says so', text: changed('2099', '2020') },
    { name: 'a window beside one that goes on', text: other('note: for ever') },
    { name: 'a window that cannot be read', text: changed('0 22 * * *', 'soon') },
  ])('is silent about $name', ({ text }) => {
    expect(places('window-allow-ends', text)).toEqual([]);
  });
});

describe('D3: window-contradiction', () => {
  const example = exampleOf('window-contradiction');
  const changed = (from: string, to: string): string => example.replace(from, to);
  const node = (name: string, zone: string): string =>
    `---\n{apiVersion: v1, kind: Node, metadata: {name: ${name}, labels: {zone: ${zone}}}}\n---\n{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: ${name}}, status: {nodeName: ${name}}}\n`;
  const inZone = (zone: string): string =>
    `  selector: {matchExpressions: [{key: zone, operator: In, values: [${zone}]}]}\n`;

  it('finds its example', () => {
    expect(found('window-contradiction')).toEqual([
      {
        rule: 'window-contradiction',
        severity: 'warning',
        object: 'MaintenanceWindow/nights-only',
        path: 'spec.schedules',
        message:
          'Nodes may be disrupted for any reason only while nights-only is open (0 22 * * * for 6h), and backups blocks all of that time: they can never be disrupted.',
        suggestion: 'Open nights-only when backups does not block, or exclude these nodes or actions from one of them.',
      },
    ]);
  });

  it('finds it on the nodes that both select, for the actions that both name', () => {
    const text = `${changed('mode: Allow', 'mode: Allow\n  actions: [Drift]')}${inZone('a')}${node('n-1', 'a')}${node('n-2', 'b')}`;
    expect(found('window-contradiction', text)[0]?.message).toContain('Nodes may be disrupted for Drifted only while');
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
    expect(places('window-contradiction', text)).toEqual([]);
  });
});

describe('D2: window-freeze-without-end', () => {
  const example = exampleOf('window-freeze-without-end');
  const added = (line: string): string => `${example}  ${line}\n`;

  it('finds its example', () => {
    expect(found('window-freeze-without-end')).toEqual([
      {
        rule: 'window-freeze-without-end',
        severity: 'info',
        object: 'MaintenanceWindow/freeze',
        path: 'spec.schedules',
        message:
          'It has no schedules, which means always, and no notAfter: it keeps every node from being disrupted for any reason until it is removed.',
        suggestion: 'Add a notAfter, or schedules (cron and duration), unless the freeze is meant to be permanent.',
      },
    ]);
  });

  it('names actions and selected nodes', () => {
    const text = `${added('actions: [Drift, Consolidation]')}  selector: {matchExpressions: [{key: team, operator: Exists}]}\n`;
    expect(found('window-freeze-without-end', text)[0]?.message).toContain(
      'keeps the nodes it selects from being disrupted for Empty, Drifted and Underutilized until',
    );
  });

  it('finds one that only begins', () => {
    expect(places('window-freeze-without-end', added('notBefore: "2026-01-01T00:00:00Z"'))).toHaveLength(1);
  });

  it.each([
    { name: 'a freeze that ends', text: added('notAfter: "2099-01-01T00:00:00Z"') },
    { name: 'a freeze that is over', text: added('notAfter: "2020-01-01T00:00:00Z"') },
    { name: 'a schedule', text: added('schedules: [{cron: 0 9 * * *, duration: 8h}]') },
    { name: 'a window that allows', text: added('mode: Allow') },
    { name: 'D5: a cap over all pools', text: added('nodes: "3"') },
    { name: 'a window that cannot be read', text: added('nodes: some') },
  ])('is silent about $name', ({ text }) => {
    expect(places('window-freeze-without-end', text)).toEqual([]);
  });
});

describe('D4: window-freeze-without-note', () => {
  const example = exampleOf('window-freeze-without-note');

  it('finds its example', () => {
    expect(found('window-freeze-without-note')).toEqual([
      {
        rule: 'window-freeze-without-note',
        severity: 'info',
        object: 'MaintenanceWindow/year-end',
        path: 'spec.note',
        message:
          'It freezes nodes from 2098-12-20T00:00:00Z until 2099-01-05T00:00:00Z, but does not say who asked for it and why.',
        suggestion: 'Add a note, such as note: shop team, sales week.',
      },
    ]);
  });

  it.each([
    { name: 'a freeze with a note', text: `${example}  note: shop team\n` },
    { name: 'a freeze that is over', text: example.replace('2098', '2018').replace('2099', '2019') },
    {
      name: 'a window without dates',
      text: example.replace(/ {2}not[\s\S]*/, '  schedules: [{cron: 0 9 * * *, duration: 8h}]\n'),
    },
    { name: 'a window that allows', text: `${example}  mode: Allow\n` },
  ])('is silent about $name', ({ text }) => {
    expect(places('window-freeze-without-note', text)).toEqual([]);
  });
});

describe('D2: window-mode-missing', () => {
  const window = (spec: string) => `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: it}
spec: ${spec}
`;

  it('finds its example', () => {
    expect(found('window-mode-missing')).toEqual([
      {
        rule: 'window-mode-missing',
        severity: 'warning',
        object: 'MaintenanceWindow/nightly',
        path: 'spec.schedules',
        message:
          'Without a mode it blocks while it is open: every day 22:00 to 06:00 the next day UTC. At all other hours it permits disruption.',
        suggestion: 'mode: Allow  # disruption in these hours only; to block in them, write mode: Block',
      },
    ]);
  });

  it.each([
    { name: 'a weekend', spec: '{schedules: [{cron: "0 0 * * sat", duration: 48h}]}' },
    { name: 'a night of a zone', spec: '{schedules: [{cron: "0 1 * * *", duration: 4h, timeZone: Asia/Tokyo}]}' },
    { name: 'the first night of a month', spec: '{schedules: [{cron: "0 2 1 * *", duration: 2h}]}' },
  ])('finds $name', ({ spec }) => {
    expect(places('window-mode-missing', window(spec))).toEqual(['warning MaintenanceWindow/it spec.schedules']);
  });

  it.each([
    {
      name: 'a window that says that it blocks',
      spec: '{mode: Block, schedules: [{cron: "0 22 * * *", duration: 8h}]}',
    },
    { name: 'a window that allows', spec: '{mode: Allow, schedules: [{cron: "0 22 * * *", duration: 8h}]}' },
    { name: 'working hours', spec: '{schedules: [{cron: "0 9 * * mon-fri", duration: 8h}]}' },
    { name: 'a night that reaches into the morning', spec: '{schedules: [{cron: "0 22 * * *", duration: 12h}]}' },
    { name: 'a cap, which is none of both', spec: '{nodes: "2", schedules: [{cron: "0 22 * * *", duration: 8h}]}' },
    { name: 'a freeze', spec: '{note: sale}' },
  ])('is silent about $name', ({ spec }) => {
    expect(places('window-mode-missing', window(spec))).toEqual([]);
  });
});

describe('D4: window-over', () => {
  const example = exampleOf('window-over');
  const changed = (from: string, to: string): string => example.replace(from, to);
  const allowed = changed('spec:', 'spec:\n  mode: Allow\n  schedules: [{cron: 0 2 * * *, duration: 4h}]');

  it('finds its example', () => {
    expect(found('window-over')).toEqual([
      {
        rule: 'window-over',
        severity: 'info',
        object: 'MaintenanceWindow/black-friday',
        path: 'spec.notAfter',
        message: 'It ended at 2025-12-02T00:00:00Z: it no longer has an effect.',
        suggestion: 'Remove the window.',
      },
    ]);
  });

  it('warns where an Allow window is over: everything is allowed', () => {
    expect(found('window-over', allowed)).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('is now allowed at any hour') },
    ]);
  });

  it('does not warn where another Allow window holds on', () => {
    const other =
      '---\n{apiVersion: karpenter.sh/v1alpha1, kind: MaintenanceWindow, metadata: {name: nights}, spec: {mode: Allow, schedules: [{cron: 0 2 * * *, duration: 4h}]}}';
    expect(places('window-over', allowed + other)).toEqual(['info MaintenanceWindow/black-friday spec.notAfter']);
  });

  it.each([
    { name: 'in its time', at: '2025-11-25T00:00:00Z' },
    { name: 'before it', at: '2025-11-01T00:00:00Z' },
    { name: 'in its last second', at: '2025-12-01T23:59:59Z' },
  ])('is silent $name', ({ at }) => {
    expect(places('window-over', example, { at })).toEqual([]);
  });
});

describe('D8: window-selects-nothing', () => {
  const example = exampleOf('window-selects-nothing');
  const changed = (from: string, to: string): string => example.replace(from, to);

  it('finds its example, and the label that was meant', () => {
    expect(found('window-selects-nothing')).toEqual([
      {
        rule: 'window-selects-nothing',
        severity: 'warning',
        object: 'MaintenanceWindow/batch-days',
        path: 'spec.selector',
        message: 'It selects none of the nodes in the input (1 node managed by Karpenter): it has no effect.',
        suggestion: 'Did you mean the label karpenter.sh/nodepool?',
      },
    ]);
  });

  it.each([
    {
      wanted: '{key: karpenter.sh/nodepool, operator: In, values: [Batch]}',
      suggestion: 'Did you mean the value batch of karpenter.sh/nodepool?',
    },
    // Close, but another one.
    {
      wanted: '{key: karpenter.sh/nodepool, operator: In, values: [batch2]}',
      suggestion: 'Select labels that the nodes have, or remove the window.',
    },
  ])('suggests for $wanted', ({ wanted, suggestion }) => {
    const text = changed('{key: karpenter.sh/nodePool, operator: In, values: [batch]}', wanted);
    expect(found('window-selects-nothing', text)[0]?.suggestion).toBe(suggestion);
  });

  it.each([
    { name: 'a window that selects a node', text: changed('nodePool', 'nodepool') },
    {
      name: 'a window over every node',
      text: changed(
        '  selector: {matchExpressions: [{key: karpenter.sh/nodePool, operator: In, values: [batch]}]}\n',
        '',
      ),
    },
    { name: 'input without nodes', text: example.slice(0, example.indexOf('---')) },
    { name: "input without nodes of Karpenter's", text: changed('nodeName: n-1', 'nodeName: n-2') },
    { name: 'a window that cannot be read', text: changed('0 8 * * *', 'soon') },
  ])('is silent about $name', ({ text }) => {
    expect(places('window-selects-nothing', text)).toEqual([]);
  });
});
