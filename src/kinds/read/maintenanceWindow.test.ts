import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { budgetReasons } from '../../cluster/reason.ts';
import { asInstant, hour, type Instant, parseInstant } from '../../time/instant.ts';
import { always } from '../../time/window.ts';
import { readObject } from '../readObject.ts';

const instant = (text: string): Instant => parseInstant(text) ?? asInstant(NaN);
const monday = (hours: string): Instant => instant(`2026-11-16T${hours}:00Z`);

function window(spec: string) {
  const result = readObject({
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'MaintenanceWindow',
    metadata: { name: 'w' },
    spec: parse(spec),
  });
  if (result.kind !== 'MaintenanceWindow') throw new Error(result.kind);
  return result;
}

describe('D1, D2: a window', () => {
  it('that says nothing blocks everything on every node, always', () => {
    const { record, faults } = window('{}');
    expect(faults).toEqual([]);
    expect(record).toEqual({
      name: 'w',
      mode: 'Block',
      window: always,
      life: always,
      reasons: new Set(budgetReasons),
      nodes: { count: 0 },
    });
  });

  it('opens at each of its schedules', () => {
    const { record } = window(
      '{schedules: [{cron: "0 6 * * 1-5", duration: 1h}, {cron: "0 9 * * 1-5", duration: 10h, timeZone: UTC}]}',
    );
    const open = ['05:59', '06:00', '07:00', '08:59', '09:00', '18:59', '19:00'].map((time) =>
      record.window.isOpen(monday(time)),
    );
    expect(open).toEqual([false, true, false, false, true, true, false]);
  });

  it.each([
    { actions: '[Consolidation]', reasons: ['Empty', 'Underutilized'] },
    { actions: '[EmptyConsolidation]', reasons: ['Empty'] },
    { actions: '[NonEmptyConsolidation]', reasons: ['Underutilized'] },
    { actions: '[Drift, Expiration]', reasons: ['Drifted', 'Expired'] },
    { actions: '[Rebalance, Repair]', reasons: ['Rebalance', 'Unhealthy'] },
    { actions: '[]', reasons: budgetReasons },
  ])('$actions', ({ actions, reasons }) => {
    const { record, faults } = window(`{actions: ${actions}}`);
    expect([record.reasons, faults]).toEqual([new Set(reasons), []]);
  });

  it.each([
    { selector: '{}', want: undefined },
    { selector: '{matchLabels: {team: a}}', want: [{ key: 'team', operator: 'In', values: ['a'] }] },
    {
      selector: '{matchExpressions: [{key: cpu, operator: Gt, values: ["8"]}]}',
      want: [{ key: 'cpu', operator: 'Gt', values: ['8'] }],
    },
  ])('selector $selector', ({ selector, want }) => {
    const { record, faults } = window(`{selector: ${selector}}`);
    expect([record.selector, faults]).toEqual([want, []]);
  });
});

describe('P2: per', () => {
  it.each([
    ['nodes: "5", per: 24h', 24 * hour],
    ['nodes: 10%, per: opening, schedules: [{cron: "@daily", duration: 1h}]', 'opening'],
  ])('%s', (fields, per) => {
    const { record, faults } = window(`{${fields}}`);
    expect(faults).toEqual([]);
    expect(record.per).toBe(per);
  });
});

describe('D3–D5: mode, life, nodes and note', () => {
  it('are read', () => {
    const { record, faults } = window(
      '{mode: Allow, notBefore: "2026-12-01T00:00:00Z", notAfter: "2027-01-01T00:00:00+01:00", nodes: 25%, note: freeze}',
    );
    expect(faults).toEqual([]);
    expect(record).toMatchObject({ mode: 'Allow', nodes: { percent: 25 }, note: 'freeze' });
    const alive = ['2026-11-30T23:59:59Z', '2026-12-01T00:00:00Z', '2026-12-31T22:59:59Z', '2026-12-31T23:00:00Z'];
    expect(alive.map((at) => record.life.isOpen(instant(at)))).toEqual([false, true, true, false]);
  });
});

describe('D7: an invalid window fails closed', () => {
  const spec = (fields: string) => `{mode: Allow, actions: [Drift], selector: {matchLabels: {team: a}}, ${fields}}`;

  it.each([
    { fields: 'schedules: [{cron: "0 25 * * *", duration: 1h}]', path: 'spec.schedules[0].cron' },
    {
      fields: 'schedules: [{cron: "0 9 * * *", duration: 1h}, {cron: "0 0 30 2 *", duration: 1h}]',
      path: 'spec.schedules[1].cron',
    },
    { fields: 'schedules: [{cron: "0 9 * * *"}]', path: 'spec.schedules[0].duration' },
    { fields: 'schedules: [{duration: 1h}]', path: 'spec.schedules[0].cron' },
    { fields: 'schedules: [{cron: "0 9 * * *", duration: 30s}]', path: 'spec.schedules[0].duration' },
    { fields: 'schedules: [{cron: "0 9 * * *", duration: 1h, timeZone: Mars}]', path: 'spec.schedules[0].timeZone' },
    { fields: 'schedules: daily', path: 'spec.schedules' },
    { fields: 'schedules: [daily]', path: 'spec.schedules[0]' },
    { fields: 'notBefore: tomorrow', path: 'spec.notBefore' },
    { fields: 'notAfter: "2026-13-01T00:00:00Z"', path: 'spec.notAfter' },
    { fields: 'notBefore: "2027-01-01T00:00:00Z", notAfter: "2026-01-01T00:00:00Z"', path: 'spec.notAfter' },
    { fields: 'nodes: many', path: 'spec.nodes' },
    { fields: 'nodes: 101%', path: 'spec.nodes' },
    { fields: 'per: 24h', path: 'spec.per' },
    { fields: 'nodes: 0%, per: 24h', path: 'spec.per' },
    { fields: 'nodes: "5", per: opening', path: 'spec.per' },
    { fields: 'nodes: "5", per: 30s', path: 'spec.per' },
    { fields: 'nodes: "5", per: 721h', path: 'spec.per' },
  ])('$fields blocks its actions on the nodes it selects', ({ fields, path }) => {
    const { record, faults } = window(spec(fields));
    expect(record).toEqual({
      name: 'w',
      mode: 'Block',
      window: always,
      life: always,
      nodes: { count: 0 },
      reasons: new Set(['Drifted']),
      selector: [{ key: 'team', operator: 'In', values: ['a'] }],
      fault: faults[0],
    });
    expect(faults).toMatchObject([{ object: 'MaintenanceWindow/w', path, severity: 'error' }]);
  });

  it('a bad mode blocks too', () => {
    expect(window('{mode: allow, schedules: [{cron: "0 9 * * *", duration: 1h}]}').record).toMatchObject({
      mode: 'Block',
      window: always,
    });
  });

  it.each([
    '{matchExpressions: [{key: team, operator: Like, values: [a]}, {key: b, operator: Exists}]}',
    '{matchExpressions: [{key: team, operator: In, values: []}]}',
    '{matchExpressions: [{key: cpu, operator: Gt, values: [large]}]}',
    '[{key: team}]',
  ])('selector %s blocks all nodes', (selector) => {
    const { record } = window(`{selector: ${selector}, actions: [Drift], mode: Allow}`);
    expect(record.selector).toBeUndefined();
    expect(record).toMatchObject({ mode: 'Block', window: always, fault: { severity: 'error' } });
  });

  it.each(['[Drift, Sleep]', '[Drifted]', '[5]', 'Drift'])('actions %s block all', (actions) => {
    const { record, faults } = window(`{actions: ${actions}}`);
    expect(record.reasons).toEqual(new Set(budgetReasons));
    expect(faults).toMatchObject([{ severity: 'error' }]);
  });

  it.each([
    ['{notbefore: "2027-01-01T00:00:00Z"}', 'spec.notbefore', ['notBefore']],
    ['{colour: red}', 'spec.colour', []],
    ['{schedules: [{cron: "@daily", duration: 1h, timezone: UTC}]}', 'spec.schedules[0].timezone', ['timeZone']],
    ['{selector: {matchExpresions: []}}', 'spec.selector.matchExpresions', ['matchExpressions']],
    [
      '{selector: {matchExpressions: [{key: a, operator: Exists, value: x}]}}',
      'spec.selector.matchExpressions[0].value',
      ['values'],
    ],
  ])('K4: an unknown field in %s is a warning', (text, path, meant) => {
    const { record, faults } = window(text);
    expect(faults).toMatchObject([{ severity: 'warning', path, meant }]);
    expect(record.fault).toBeUndefined();
  });
});

describe('R2: weeks and excepted dates of a schedule', () => {
  const saturdays = (more: string, mode = 'Allow') =>
    window(`{mode: ${mode}, schedules: [{cron: "0 22 * * sat", duration: 4h, timeZone: Europe/Berlin, ${more}}]}`);
  const openAt = (more: string, mode?: string) =>
    ['2026-11-07', '2026-11-14', '2026-11-21', '2026-12-26'].map((date) =>
      saturdays(more, mode).record.window.isOpen(instant(`${date}T22:00:00Z`)),
    );

  it.each(['Allow', 'Block'])('are read, in mode %s', (mode) => {
    expect(openAt('every: 2w, anchor: 2026-11-02', mode)).toEqual([true, false, true, false]);
    expect(openAt('exceptDates: [2026-11-07, "2026-12-25..2026-12-26"]', mode)).toEqual([false, true, true, false]);
    expect(saturdays('every: 2w, anchor: 2026-11-02, exceptDates: [2026-12-24]', mode).faults).toEqual([]);
  });

  it('an Allow window is closed on the whole date, a Block window continues what began before', () => {
    const sunday = instant('2026-11-08T00:30:00Z');
    expect(saturdays('exceptDates: [2026-11-08]', 'Allow').record.window.isOpen(sunday)).toBe(false);
    expect(saturdays('exceptDates: [2026-11-08]', 'Block').record.window.isOpen(sunday)).toBe(true);
  });

  it.each([
    ['every: 2w', 'every', /^every is set without anchor/],
    ['anchor: 2026-11-02', 'anchor', /^anchor is set without every/],
    ['every: 14d, anchor: 2026-11-02', 'every', /is not a valid number of weeks: use weeks from 1w to 52w/],
    ['every: 2, anchor: 2026-11-02', 'every', /is not a valid string/],
    ['every: 2w, anchor: 2026-02-30', 'anchor', /"2026-02-30" is not a valid date/],
    ['exceptDates: [Christmas]', 'exceptDates[0]', /"Christmas" is not a date/],
    ['exceptDates: [2026-12-26..2026-12-24]', 'exceptDates[0]', /is not a date/],
    ['exceptDates: 2026-12-24', 'exceptDates', /is not a valid list/],
  ])('D7: %s fails closed', (more, path, message) => {
    for (const mode of ['Allow', 'Block']) {
      const { record, faults } = saturdays(more, mode);
      expect(record).toMatchObject({ mode: 'Block', window: always, fault: { path: `spec.schedules[0].${path}` } });
      expect(faults[0]?.message).toMatch(message);
    }
  });

  it('B6: a date that never falls into the weeks is a fault', () => {
    const { faults } = window('{schedules: [{cron: "0 0 24 12 *", duration: 4h, every: 52w, anchor: 2026-06-01}]}');
    expect(faults.map(({ message }) => message)).toEqual([expect.stringMatching(/never fires in the weeks/)]);
  });
});
