import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Budget } from '../../cluster/model.ts';
import { asDuration, asInstant, hour, minute, parseInstant } from '../../time/instant.ts';
import { readObject } from '../readObject.ts';

function pool(disruption: string, annotation?: string) {
  const result = readObject({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'p', ...(annotation !== undefined && { annotations: { 'lull.dev/budgets': annotation } }) },
    spec: { disruption: parse(disruption) },
  });
  if (result.kind !== 'NodePool') throw new Error(result.kind);
  return { record: result.record, faults: result.faults, budget: result.record.budgets[0] as Budget };
}

const one = (fields: string) => pool(`{budgets: [{${fields}}]}`);
const noon = parseInstant('2026-11-16T12:00:00Z') ?? asInstant(0);
const night = parseInstant('2026-11-16T03:00:00Z') ?? asInstant(0);

describe('C1: defaults', () => {
  it.each([
    { name: 'an absent list is one budget of 10%', text: '{}', nodes: [{ percent: 10 }], from: 'default' },
    { name: 'so is null', text: '{budgets: null}', nodes: [{ percent: 10 }], from: 'default' },
    { name: 'absent nodes are 10%', text: '{budgets: [{}]}', nodes: [{ percent: 10 }], from: 'spec' },
    { name: 'an empty list means no limit', text: '{budgets: []}', nodes: [], from: 'spec' },
  ])('$name', ({ text, nodes, from }) => {
    const { record } = pool(text);
    expect(record.budgets.map((budget) => budget.nodes)).toEqual(nodes);
    expect(record.budgetsFrom).toBe(from);
    expect(record.fault).toBeUndefined();
  });

  it('an empty list of budgets warns', () => {
    expect(pool('{budgets: []}').faults).toMatchObject([{ path: 'spec.disruption.budgets', severity: 'warning' }]);
  });

  it('an empty list of reasons reads as absent, with a warning', () => {
    const { budget, faults } = one('reasons: []');
    expect(budget.reasons).toBeUndefined();
    expect(faults).toMatchObject([{ path: 'spec.disruption.budgets[0].reasons', severity: 'warning' }]);
  });

  it('fills in patience and settle', () => {
    expect(one('topologyKey: zone').budget).toMatchObject({ sequential: false, settle: 0, patience: hour });
    expect(one('topologyKey: zone, sequential: true, settle: 10m, patience: 2h').budget).toMatchObject({
      sequential: true,
      settle: 10 * minute,
      patience: 2 * hour,
    });
  });
});

describe('C1: nodes', () => {
  it.each([
    { text: '"0"', nodes: { count: 0 } },
    { text: '"007"', nodes: { count: 7 } },
    { text: '"2147483647"', nodes: { count: 2147483647 } },
    { text: '"0%"', nodes: { percent: 0 } },
    { text: '"100%"', nodes: { percent: 100 } },
    { text: '10%', nodes: { percent: 10 } },
  ])('$text is read', ({ text, nodes }) => {
    const { budget, faults } = one(`nodes: ${text}`);
    expect(budget.nodes).toEqual(nodes);
    expect(faults).toEqual([]);
  });

  it.each([
    '"101%"',
    '"-1"',
    '-1',
    '"-10%"',
    '1.5',
    '"1.5"',
    '"5 "',
    '"+5"',
    '"abc"',
    '""',
    '"%"',
    '"2147483648"',
    '3000000000',
    'true',
    '[]',
    '{}',
  ])('%s is an error that stops the pool and, read alone, lets nothing go', (text) => {
    const { record, budget, faults } = one(`nodes: ${text}`);
    expect(budget.nodes).toEqual({ count: 0 });
    expect(faults).toMatchObject([
      { object: 'NodePool/p', path: 'spec.disruption.budgets[0].nodes', severity: 'error' },
    ]);
    expect(faults[0]?.message).toMatch(/use a whole number/);
    expect(record.fault).toBe(faults[0]);
  });
});

describe('C2: spelling of the older documents', () => {
  it.each([
    {
      name: 'maxUnavailable',
      text: 'maxUnavailable: "3"',
      want: { nodes: { count: 3 } },
      path: 'maxUnavailable',
      say: 'nodes',
    },
    { name: 'a number for nodes', text: 'nodes: 3', want: { nodes: { count: 3 } }, path: 'nodes', say: '"3"' },
    {
      name: 'nodes beside maxUnavailable',
      text: 'nodes: "1", maxUnavailable: "3"',
      want: { nodes: { count: 1 } },
      path: 'maxUnavailable',
      say: 'nodes',
    },
    {
      name: 'reason as a text',
      text: 'reason: Drifted',
      want: { reasons: new Set(['Drifted']) },
      path: 'reason',
      say: 'reasons',
    },
    {
      name: 'reason as a list',
      text: 'reason: [Drifted]',
      want: { reasons: new Set(['Drifted']) },
      path: 'reason',
      say: 'reasons',
    },
    {
      name: 'reasons as a text',
      text: 'reasons: Drifted',
      want: { reasons: new Set(['Drifted']) },
      path: 'reasons',
      say: '[Drifted]',
    },
    {
      name: 'lower case',
      text: 'reasons: [empty]',
      want: { reasons: new Set(['Empty']) },
      path: 'reasons[0]',
      say: 'Empty',
    },
    {
      name: 'drift',
      text: 'reasons: [drift]',
      want: { reasons: new Set(['Drifted']) },
      path: 'reasons[0]',
      say: 'Drifted',
    },
    {
      name: 'Consolidation',
      text: 'reasons: [Consolidation]',
      want: { reasons: new Set(['Underutilized']) },
      path: 'reasons[0]',
      say: 'Underutilized',
    },
    {
      name: 'expiration',
      text: 'reasons: [expiration]',
      want: { reasons: new Set(['Expired']) },
      path: 'reasons[0]',
      say: 'Expired',
    },
    {
      name: 'every minute without a duration',
      text: 'schedule: "* * * * *"',
      want: {},
      path: 'schedule',
      say: 'always',
    },
  ])('$name is read, with a note of the new one', ({ text, want, path, say }) => {
    const { record, budget, faults } = one(text);
    expect(budget).toMatchObject(want);
    expect(budget.window).toBeUndefined();
    expect(faults).toMatchObject([{ path: `spec.disruption.budgets[0].${path}`, severity: 'info' }]);
    expect(faults[0]?.message).toContain(say);
    expect(record.fault).toBeUndefined();
  });

  it('crontab is the older name of schedule', () => {
    const { budget, faults } = one('crontab: "0 9 * * mon-fri", duration: 8h');
    expect([budget.window?.isOpen(noon), budget.window?.isOpen(night)]).toEqual([true, false]);
    expect(faults).toMatchObject([{ path: 'spec.disruption.budgets[0].crontab', severity: 'info' }]);
  });

  it('a budget repeated by a YAML alias keeps both of its indexes', () => {
    const { record } = pool('{budgets: [&a {nodes: "1"}, *a]}');
    expect(record.budgets.map((budget) => budget.index)).toEqual([0, 1]);
  });

  it('the same reason twice is one', () => {
    expect(one('reasons: [Drifted, Drifted]').budget.reasons).toEqual(new Set(['Drifted']));
  });
});

describe('C1, B5, B6: schedules', () => {
  it.each([
    { name: 'drops seconds', text: 'schedule: "@daily", duration: 1h0m59s', end: hour },
    { name: 'reads hours and minutes', text: 'schedule: "@daily", duration: 1h30m', end: asDuration(90 * minute) },
  ])('$name', ({ text, end }) => {
    const { budget, faults } = one(text);
    const midnight = parseInstant('2026-11-16T00:00:00Z') ?? asInstant(0);
    expect(faults).toEqual([]);
    expect(budget.window?.nextChange(midnight)).toBe(midnight + end);
  });

  it.each([
    { name: 'less than a minute', text: 'schedule: "@daily", duration: 59s', path: 'duration', say: '1m' },
    { name: 'zero', text: 'schedule: "@daily", duration: 0h', path: 'duration', say: '1m' },
    { name: 'a negative duration', text: 'schedule: "@daily", duration: -8h', path: 'duration', say: '1m' },
    { name: 'days', text: 'schedule: "@daily", duration: 1d', path: 'duration', say: 'Go duration' },
    { name: 'a bare number', text: 'schedule: "@daily", duration: 20', path: 'duration', say: 'Go duration' },
    { name: 'a schedule without duration', text: 'schedule: "0 9 * * *"', path: 'schedule', say: 'both or neither' },
    { name: 'a duration without schedule', text: 'duration: 10m', path: 'duration', say: 'both or neither' },
    { name: 'a bad cron', text: 'schedule: "0 25 * * *", duration: 1h', path: 'schedule', say: 'five fields' },
    { name: 'an empty cron', text: 'schedule: "", duration: 1h', path: 'schedule', say: 'five fields' },
    { name: 'a cron of another type', text: 'schedule: 5, duration: 1h', path: 'schedule', say: 'quotes' },
    { name: '30 February', text: 'schedule: "0 0 30 2 *", duration: 1h', path: 'schedule', say: 'never fires' },
    { name: '@every', text: 'schedule: "@every 1h", duration: 1h', path: 'schedule', say: 'five fields' },
    {
      name: 'a zone that is not there',
      text: 'schedule: "@daily", duration: 1h, timeZone: Mars/Base',
      path: 'timeZone',
      say: 'Europe/Berlin',
    },
    {
      name: 'a prefix that is not there',
      text: 'schedule: "TZ=Mars/Base 0 0 * * *", duration: 1h',
      path: 'schedule',
      say: 'Mars/Base',
    },
  ])('$name is an error', ({ text, path, say }) => {
    const { record, faults } = one(text);
    expect(faults).toMatchObject([{ path: `spec.disruption.budgets[0].${path}`, severity: 'error' }]);
    expect(faults[0]?.message).toContain(say);
    expect(record.fault).toBe(faults[0]);
  });

  it('B3: a prefix wins over timeZone, with a warning', () => {
    const { budget, faults } = one('schedule: "TZ=Asia/Seoul 0 9 * * *", duration: 1h, timeZone: Europe/Berlin');
    expect(faults).toMatchObject([{ path: 'spec.disruption.budgets[0].timeZone', severity: 'warning' }]);
    expect(budget.window?.isOpen(parseInstant('2026-11-16T00:30:00Z') ?? noon)).toBe(true);
  });

  it('B3: timeZone moves the schedule', () => {
    const { budget } = one('schedule: "0 9 * * *", duration: 1h, timeZone: Europe/Berlin');
    expect(budget.window?.isOpen(parseInstant('2026-11-16T08:30:00Z') ?? noon)).toBe(true);
  });
});

describe('C8: a bad value', () => {
  it.each([
    {
      name: 'an unknown reason',
      text: '{budgets: [{reasons: [Tired]}]}',
      path: 'spec.disruption.budgets[0].reasons[0]',
      say: 'Underutilized',
    },
    {
      name: 'Interrupted',
      text: '{budgets: [{reasons: [Interrupted]}]}',
      path: 'spec.disruption.budgets[0].reasons[0]',
      say: 'never held by a budget',
    },
    {
      name: 'a reason that is not a string',
      text: '{budgets: [{reasons: [5]}]}',
      path: 'spec.disruption.budgets[0].reasons[0]',
      say: 'quotes',
    },
    {
      name: 'reasons that are a map',
      text: '{budgets: [{reasons: {}}]}',
      path: 'spec.disruption.budgets[0].reasons',
      say: 'list',
    },
    { name: 'budgets of another type', text: '{budgets: 5}', path: 'spec.disruption.budgets', say: 'list' },
    {
      name: 'a budget of another type',
      text: '{budgets: [{nodes: "1"}, "10%"]}',
      path: 'spec.disruption.budgets[1]',
      say: 'map',
    },
    {
      name: 'settle',
      text: '{budgets: [{settle: soon}]}',
      path: 'spec.disruption.budgets[0].settle',
      say: 'Go duration',
    },
    {
      name: 'patience',
      text: '{budgets: [{patience: -1h}]}',
      path: 'spec.disruption.budgets[0].patience',
      say: 'Go duration',
    },
    {
      name: 'sequential as a text',
      text: '{budgets: [{topologyKey: z, sequential: "yes"}]}',
      path: 'spec.disruption.budgets[0].sequential',
      say: 'true or false',
    },
  ])('$name is an error with the entry in its path', ({ text, path, say }) => {
    const { record, faults } = pool(text);
    expect(faults).toMatchObject([{ path, severity: 'error' }]);
    expect(faults[0]?.message).toContain(say);
    expect(record.fault).toBe(faults[0]);
  });

  it('more than fifty budgets are an error', () => {
    const list = JSON.stringify({ budgets: Array.from({ length: 51 }, () => ({ nodes: '1' })) });
    expect(pool(list).record.fault).toMatchObject({ path: 'spec.disruption.budgets' });
    expect(pool(JSON.stringify({ budgets: Array.from({ length: 50 }, () => ({ nodes: '1' })) })).faults).toEqual([]);
  });
});

describe('C10: sequential and topologyKey', () => {
  it.each([
    { text: 'sequential: true', path: 'sequential' },
    { text: 'sequential: true, topologyKey: ""', path: 'sequential' },
    { text: 'sequential: true, topologyKey: "not a label"', path: 'topologyKey' },
    { text: 'topologyKey: "a/b/c"', path: 'topologyKey' },
    { text: 'topologyKey: "-zone"', path: 'topologyKey' },
  ])('$text is an error', ({ text, path }) => {
    expect(one(text).faults).toMatchObject([{ path: `spec.disruption.budgets[0].${path}`, severity: 'error' }]);
  });

  it('accepts a qualified label name', () => {
    const { budget, faults } = one('topologyKey: topology.kubernetes.io/zone, sequential: true');
    expect(faults).toEqual([]);
    expect(budget).toMatchObject({ topologyKey: 'topology.kubernetes.io/zone', sequential: true });
  });
});

describe('P1: per', () => {
  it.each([
    ['per: 24h', 24 * hour],
    ['per: 1m59s', hour / 60],
    ['per: 720h, reasons: [Drifted], schedule: "@daily", duration: 1h', 720 * hour],
  ])('%s is a rate limit, apart from the limits at a time', (text, per) => {
    const { record, faults } = pool(`{budgets: [{nodes: "2"}, {nodes: "1", ${text}}]}`);
    expect(faults).toEqual([]);
    expect(record.budgets.map(({ index }) => index)).toEqual([0]);
    expect(record.rates).toMatchObject([{ index: 1, per, nodes: { count: 1 } }]);
  });

  it.each(['per: 59s', 'per: 721h', 'per: soon', 'per: 1h, topologyKey: zone', 'per: 1h, settle: 1m'])(
    '%s is a fault of the pool',
    (text) => {
      const { record } = pool(`{budgets: [{nodes: "1", ${text}}]}`);
      expect(record.fault).toMatchObject({ path: 'spec.disruption.budgets[0].per', severity: 'error' });
    },
  );

  it('N4: Karpenter reads it as a limit of nodes at a time', () => {
    const { record } = pool('{budgets: [{nodes: "5", per: 24h}]}');
    expect(record.karpenterFault).toBeUndefined();
    expect(record.karpenterBudgets).toMatchObject([{ index: 0, nodes: { count: 5 } }]);
    expect(record.karpenterBudgets[0]).not.toHaveProperty('per');
  });
});

describe('P7: driftAfter', () => {
  it('is a duration on a budget for Drifted', () => {
    const { budget, faults } = one('reasons: [Drifted, Expired], driftAfter: 72h');
    expect(faults).toEqual([]);
    expect(budget).toMatchObject({ driftAfter: 72 * hour });
    expect(one('nodes: "1"').budget).not.toHaveProperty('driftAfter');
  });

  it.each([
    'driftAfter: 72h',
    'reasons: [Empty], driftAfter: 72h',
    'reasons: [Drifted], driftAfter: soon',
    'reasons: [Drifted], driftAfter: 72h, schedule: "@daily", duration: 1h',
  ])('%s is an error', (text) => {
    expect(one(text).faults).toMatchObject([{ path: 'spec.disruption.budgets[0].driftAfter', severity: 'error' }]);
  });
});

describe('P3: waves', () => {
  it('are growing numbers and percentages on a budget for Drifted alone', () => {
    const { budget, faults } = one('reasons: [Drifted], waves: ["1", 10%, 50%, "200"], settle: 10m');
    expect(faults).toEqual([]);
    expect(budget).toMatchObject({ waves: [{ count: 1 }, { percent: 10 }, { percent: 50 }, { count: 200 }] });
    expect(one('nodes: "1"').budget).not.toHaveProperty('waves');
  });

  it.each([
    { text: 'waves: ["1"]', at: 'waves' },
    { text: 'reasons: [Empty], waves: ["1"]', at: 'waves' },
    { text: 'reasons: [Drifted, Empty], waves: ["1"]', at: 'waves' },
    { text: 'reasons: [Drifted], waves: []', at: 'waves' },
    { text: 'reasons: [Drifted], waves: "1"', at: 'waves' },
    { text: `reasons: [Drifted], waves: [${Array.from({ length: 11 }, (_, index) => `"${index + 1}"`)}]`, at: 'waves' },
    { text: 'reasons: [Drifted], waves: ["1"], schedule: "@daily", duration: 1h', at: 'waves' },
    { text: 'reasons: [Drifted], waves: ["0"]', at: 'waves[0]' },
    { text: 'reasons: [Drifted], waves: ["0%", "1"]', at: 'waves[0]' },
    { text: 'reasons: [Drifted], waves: ["1", null]', at: 'waves[1]' },
    { text: 'reasons: [Drifted], waves: ["1", few]', at: 'waves[1]' },
    { text: 'reasons: [Drifted], waves: ["3", "3"]', at: 'waves[1]' },
    { text: 'reasons: [Drifted], waves: ["1", 50%, 10%]', at: 'waves[2]' },
  ])('$text is an error', ({ text, at }) => {
    expect(one(text).faults).toMatchObject([{ path: `spec.disruption.budgets[0].${at}`, severity: 'error' }]);
  });
});

describe('P5: haltAfter', () => {
  it('is a whole number on a budget for Drifted', () => {
    const { budget, faults } = one('reasons: [Drifted, Empty], haltAfter: 3');
    expect(faults).toEqual([]);
    expect(budget).toMatchObject({ haltAfter: 3 });
  });

  it.each([
    'haltAfter: 3',
    'reasons: [Empty], haltAfter: 3',
    'reasons: [Drifted], haltAfter: "3"',
    'reasons: [Drifted], haltAfter: -1',
    'reasons: [Drifted], haltAfter: 101',
    'reasons: [Drifted], haltAfter: 3, schedule: "@daily", duration: 1h',
  ])('%s is an error', (text) => {
    expect(one(text).faults).toMatchObject([{ path: 'spec.disruption.budgets[0].haltAfter', severity: 'error' }]);
  });
});

describe('K4: unknown fields of budgets in the spec', () => {
  it('are ignored if no known field is similar: a newer Karpenter may have more', () => {
    expect(one('colour: red').faults).toEqual([]);
  });

  it.each(['topologykey: zone', 'node: "1"', 'reaons: [Drifted]', 'timezone: UTC'])(
    '%s is a slip that gets a note',
    (text) => {
      expect(one(text).faults).toMatchObject([{ severity: 'info', message: expect.stringContaining('Did you mean') }]);
    },
  );
});

describe('C17: budgets in the annotation', () => {
  it.each([
    { name: 'a YAML list', text: '- nodes: "1"\n  reasons: [Drifted]\n', budgets: [{ nodes: { count: 1 }, index: 0 }] },
    {
      name: 'a JSON list',
      text: '[{"nodes":"1"},{"nodes":"2"}]',
      budgets: [{ nodes: { count: 1 } }, { nodes: { count: 2 }, index: 1 }],
    },
    { name: 'an empty list', text: '[]', budgets: [] },
  ])('$name takes precedence over the spec', ({ text, budgets }) => {
    const { record } = pool('{budgets: [{nodes: "100%"}]}', text);
    expect(record.budgets).toMatchObject(budgets);
    expect(record.budgetsFrom).toBe('annotation');
    expect(record.karpenterBudgets).toMatchObject([{ nodes: { percent: 100 } }]);
    expect(record.fault).toBeUndefined();
  });

  it('faults name the annotation and the entry', () => {
    const { record } = pool('{}', '- nodes: "1"\n- nodes: many\n');
    expect(record.fault).toMatchObject({ path: 'metadata.annotations[lull.dev/budgets][1].nodes', value: 'many' });
  });

  it.each(['- nodes: "1', 'nodes: "1"', '', '5', '- a: 1\n  a: 2\n'])(
    '%j is an error: nothing is half applied',
    (text) => {
      const { record } = pool('{}', text);
      expect(record.fault).toMatchObject({ path: 'metadata.annotations[lull.dev/budgets]', severity: 'error' });
      expect(record.fault?.message).toContain('Write a YAML or JSON list');
    },
  );

  it.each([
    ['[{"nodes": "1", "topologykey": "zone"}]', 'topologykey', ['topologyKey']],
    ['[{"nodes": "1", "colour": "red"}]', 'colour', []],
    ['[{"nodes": "1", "period": "1h"}]', 'period', []],
  ])('K4: an unknown field in %s is a fault of the pool', (text, key, meant) => {
    const path = `metadata.annotations[lull.dev/budgets][0].${key}`;
    expect(pool('{}', text).record.fault).toMatchObject({ path, severity: 'error', meant });
  });

  it('C2: an older name is known', () => {
    const { record } = pool('{}', '[{maxUnavailable: 1, crontab: "@daily", duration: 1h, reason: drift}]');
    expect(record.fault).toBeUndefined();
  });

  it('faults of the spec are not reported if the spec is not used', () => {
    expect(pool('{budgets: [{nodes: 3}]}', '[]').faults).toMatchObject([{ severity: 'warning' }]);
  });
});

describe('N4: as Karpenter reads the spec', () => {
  it.each([
    { name: 'the default', text: '{}', want: [{ nodes: { percent: 10 } }] },
    { name: 'no limit', text: '{budgets: []}', want: [] },
    {
      name: 'a topology budget as a flat one',
      text: '{budgets: [{nodes: "1", topologyKey: zone, sequential: true}]}',
      want: [{ nodes: { count: 1 }, sequential: false }],
    },
    { name: 'nothing of a number', text: '{budgets: [{nodes: 1}]}', want: [] },
    { name: 'nothing of a reason it does not know', text: '{budgets: [{nodes: "1", reasons: [Expired]}]}', want: [] },
    { name: 'nothing of no reasons', text: '{budgets: [{nodes: "1", reasons: []}]}', want: [] },
    { name: 'nothing of weekday 7', text: '{budgets: [{nodes: "1", schedule: "0 0 * * 7", duration: 1h}]}', want: [] },
    {
      name: 'nothing of a zone in the text',
      text: '{budgets: [{nodes: "1", schedule: "TZ=Asia/Seoul 0 0 * * *", duration: 1h}]}',
      want: [],
    },
    { name: 'nothing of maxUnavailable', text: '{budgets: [{maxUnavailable: "1"}]}', want: [] },
    { name: 'nothing of reason', text: '{budgets: [{nodes: "1", reason: Drifted}]}', want: [] },
    { name: 'nothing of seconds', text: '{budgets: [{nodes: "1", schedule: "@daily", duration: 90s}]}', want: [] },
    {
      name: 'the place in the list',
      text: '{budgets: [{nodes: 1}, {nodes: "2"}]}',
      want: [{ index: 1, nodes: { count: 2 } }],
    },
  ])('keeps $name', ({ text, want }) => {
    const { record } = pool(text);
    expect(record.karpenterBudgets).toMatchObject(want);
    expect(record.karpenterBudgets).toHaveLength(want.length);
  });
});
