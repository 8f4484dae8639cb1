// Tests of the lint rules about HealthGates.
import { describe, expect, it } from 'vitest';
import { exampleOf, found, places } from '../../../test/fixtures/lintPolicy.ts';

describe('O3: gate-delay-unused', () => {
  it('finds its example, and nothing for another check', () => {
    expect(found('gate-delay-unused')).toMatchObject([{ severity: 'info', path: 'spec.failAfter' }]);
    const text = exampleOf('gate-delay-unused').replace('manual: {healthy: true}', 'http: {url: "http://web.shop"}');
    expect(places('gate-delay-unused', text)).toEqual([]);
  });
});

describe('O3: gate-ignores-unknown', () => {
  const example = exampleOf('gate-ignores-unknown');

  it('finds its example', () => {
    expect(found('gate-ignores-unknown')).toMatchObject([
      { severity: 'warning', object: 'HealthGate/incident', path: 'spec.onUnknown' },
    ]);
  });

  it.each([
    { name: 'a gate that holds', text: example.replace('Ignore', 'Hold') },
    { name: 'some nodes only', text: `${example}  selector: {matchLabels: {team: a}}\n` },
  ])('is silent about $name', ({ text }) => {
    expect(places('gate-ignores-unknown', text)).toEqual([]);
  });
});

describe('O1: gate-query-invalid', () => {
  const example = exampleOf('gate-query-invalid');
  const asked = (query: string) =>
    found(
      'gate-query-invalid',
      example.replace('"sum(rate(errors_total[5m]) > 1"', () => JSON.stringify(query)),
    );

  it.each([
    { query: 'sum(rate(errors_total[5m]) > 1', says: '( is not closed' },
    { query: 'up == 0)', says: ') closes nothing' },
    { query: 'sum(rate(x[5m)])', says: ') closes nothing' },
    { query: 'up{job="web} == 0', says: 'a string that begins with " does not end' },
  ])('$query: $says', ({ query, says }) => {
    expect(asked(query)[0]?.message).toBe(`Prometheus cannot parse this query: ${says}.`);
  });

  it.each([
    { query: 'sum by (job) (rate(x{a="(["}[5m])) > 1' },
    { query: "up{a='it\\'s ('} == 0" },
    { query: 'up{a=~`\\(`} == 0 # (' },
  ])('$query is well-formed', ({ query }) => {
    expect(asked(query)).toEqual([]);
  });
});

describe('O2: gate-selects-nothing', () => {
  it('finds its example, and the label that was meant', () => {
    expect(found('gate-selects-nothing')).toMatchObject([
      { severity: 'warning', path: 'spec.selector', suggestion: 'Did you mean the label karpenter.sh/nodepool?' },
    ]);
    const text = exampleOf('gate-selects-nothing').replace('nodePool', 'nodepool');
    expect(places('gate-selects-nothing', text)).toEqual([]);
  });
});

describe('O1: what the reader reports', () => {
  const gate = (check: string): string =>
    `apiVersion: lull.dev/v1alpha1\nkind: HealthGate\nmetadata: {name: g}\nspec: {check: ${check}}\n`;

  it.each([
    { name: 'two checks', check: '{manual: {healthy: true}, http: {url: "http://web.shop"}}', path: 'spec.check' },
    {
      name: 'an empty query',
      check: '{prometheus: {url: "http://p", query: ""}}',
      path: 'spec.check.prometheus.query',
    },
    { name: 'credentials', check: '{http: {url: "https://ann:secret@web.shop"}}', path: 'spec.check.http.url' },
    { name: 'another scheme', check: '{http: {url: "ftp://web.shop"}}', path: 'spec.check.http.url' },
    {
      name: 'a bad pattern',
      check: '{alerts: {url: "http://a", match: {severity: "("}}}',
      path: 'spec.check.alerts.match.severity',
    },
    {
      name: 'name and selector',
      check: '{object: {apiVersion: v1, kind: Node, name: a, selector: {}, cel: "true"}}',
      path: 'spec.check.object.name',
    },
    {
      name: 'neither condition nor cel',
      check: '{object: {apiVersion: v1, kind: Node, name: a}}',
      path: 'spec.check.object.condition',
    },
  ])('$name is an error', ({ check, path }) => {
    const errors = found('fault', gate(check)).filter(({ severity }) => severity === 'error');
    expect(errors.map((it) => it.path)).toContain(path);
    expect(JSON.stringify(errors)).not.toContain('secret');
  });
});
