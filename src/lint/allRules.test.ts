// Tests of all lint rules together: names, examples, order of findings.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exampleOf, policyOf, poolText } from '../../test/fixtures/lintPolicy.ts';
import { defaultSettings } from '../cluster/settings.ts';
import { rules } from './allRules.ts';
import type { LintRule } from './rule.ts';
import { findingsOf, lint } from './runRules.ts';

const folder = resolve(import.meta.dirname, 'rules');
const tests = readdirSync(folder)
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => readFileSync(resolve(folder, file), 'utf8'));

describe('The list of rules', () => {
  it('is sorted by name, without duplicates', () => {
    const names = rules.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].sort());
    expect(names).toHaveLength(81);
  });

  it('has a test for each', () => {
    const isTested = ({ name }: LintRule): boolean =>
      tests.some((text) => new RegExp(`(found|places)\\(\\s*'${name}'`).test(text));
    expect(rules.filter((rule) => !isTested(rule)).map(({ name }) => name)).toEqual([]);
  });
});

describe.each(rules.map((rule) => ({ name: rule.name, rule })))('$name', ({ rule }) => {
  /** Some rules report only in guide mode. */
  const settings = [defaultSettings, { ...defaultSettings, role: 'guide' as const }];

  it('finds something in its own example, under its own name', () => {
    const found = settings.flatMap((each) => findingsOf(rule, policyOf(exampleOf(rule.name), { settings: each })));
    expect(found).not.toEqual([]);
    expect(new Set(found.map((finding) => finding.rule))).toEqual(new Set([rule.name]));
  });

  it('describes in full sentences what it finds and why it matters', () => {
    for (const text of [rule.finds, rule.why]) expect(text).toMatch(/\.$/);
  });

  it('is silent about a pool with nothing but a limit', () => {
    const quiet = poolText('- nodes: "20%"');
    expect([...rule.check(policyOf(quiet))]).toEqual([]);
    expect([
      ...rule.check(policyOf('apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n')),
    ]).toEqual([]);
  });
});

describe('lint', () => {
  const text = `${poolText('- nodes: 5\n- nodes: "30%"\n  schedule: "0 0 * * sat-sun"\n  duration: 48h')}---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: another}
spec: {disruption: {budgets: []}}
`;

  it('reports findings in file order', () => {
    const findings = lint(policyOf(text)).map(
      ({ position, severity, rule }) => `${position?.line} ${severity} ${rule}`,
    );
    expect(findings).toEqual([
      '7 error upstream-admission',
      '7 info old-spelling',
      '9 warning schedule-overlap',
      '9 warning upstream-cron',
      '15 warning budget-empty-list',
    ]);
  });

  it('is deterministic', () => {
    expect(lint(policyOf(text))).toEqual(lint(policyOf(text)));
  });

  it('finds the position of a Provisioner that a rule calls a NodePool', () => {
    const provisioner = 'apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: old}\n';
    const rule: LintRule = {
      name: 'any',
      severity: 'info',
      finds: '',
      why: '',
      check: () => [{ object: 'NodePool/old', path: 'metadata', message: '' }],
    };
    expect(lint(policyOf(provisioner), [rule])[0]?.position).toEqual({ file: 'policy.yaml', line: 3, column: 1 });
  });
});
