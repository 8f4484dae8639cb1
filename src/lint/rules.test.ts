import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../cluster/settings.ts';
import { policyOf } from './facts/policyOf.ts';
import { poolText } from './facts/poolText.ts';
import { lint } from './lint.ts';
import { rules } from './rules.ts';

const folder = resolve(import.meta.dirname, 'rules');
const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));

describe('The list of rules', () => {
  it('holds every file of the folder, by name', () => {
    const written = files.filter((file) => !file.endsWith('.test.ts')).map((file) => file.replace('.ts', ''));
    expect(rules.map(({ name }) => name)).toEqual(written.sort());
  });

  it('has a test for each', () => {
    expect(rules.map(({ name }) => `${name}.test.ts`).filter((file) => !files.includes(file))).toEqual([]);
  });
});

describe.each(rules.map((rule) => ({ name: rule.name, rule })))('$name', ({ rule }) => {
  /** Some rules speak only where Lull guides Karpenter. */
  const settings = [defaultSettings, { ...defaultSettings, role: 'guide' as const }];

  it('finds something in its own example, and speaks in its own name', () => {
    const found = settings.flatMap((each) => [...rule.check(policyOf(rule.example, { settings: each }))]);
    expect(found).not.toEqual([]);
    expect(new Set(found.map((finding) => finding.rule))).toEqual(new Set([rule.name]));
  });

  it('says in whole sentences what it finds and why it matters', () => {
    for (const text of [rule.finds, rule.why]) expect(text).toMatch(/\.$/);
  });

  it('is silent about a pool with nothing but a limit, wherever it stands', () => {
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

  it('tells what it finds in the order in which it stands in the file', () => {
    const told = lint(policyOf(text)).map(({ position, severity, rule }) => `${position?.line} ${severity} ${rule}`);
    expect(told).toEqual([
      '7 error upstream-admission',
      '7 info old-spelling',
      '9 warning schedule-overlap',
      '9 warning upstream-cron',
      '15 warning budget-empty-list',
    ]);
  });

  it('says the same twice', () => {
    expect(lint(policyOf(text))).toEqual(lint(policyOf(text)));
  });

  it('finds the place of a pool that is an older Provisioner, whatever a rule calls it', () => {
    const provisioner = 'apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: old}\n';
    const rule = {
      name: 'any',
      finds: '',
      why: '',
      example: '',
      check: () => [{ rule: 'any', severity: 'info' as const, object: 'NodePool/old', path: 'metadata', message: '' }],
    };
    expect(lint(policyOf(provisioner), [rule])[0]?.position).toEqual({ file: 'policy.yaml', line: 3, column: 1 });
  });
});
