// Golden test of the lint findings in every example of the design documents.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { policyOf } from '../../test/fixtures/lintPolicy.ts';
import { lint } from './runRules.ts';

/** Every YAML example of the five design documents. */
const folder = resolve(import.meta.dirname, '../../scenarios/seeds');
const golden = resolve(import.meta.dirname, 'seeds.golden.txt');
/** The week in which the examples are decided. */
const at = '2026-03-11T10:00:00Z';

function tell(file: string): string {
  const findings = lint(policyOf(readFileSync(resolve(folder, file), 'utf8'), { at }));
  const told = findings.flatMap(({ position, severity, rule, object, path, message, suggestion }) => [
    `${position?.line}:${position?.column} ${severity}[${rule}] ${object} ${path}`,
    `  ${message}`,
    ...(suggestion === undefined ? [] : suggestion.split('\n').map((line) => `    ${line}`)),
  ]);
  return [`# ${file}`, ...(told.length > 0 ? told : ['nothing found']), ''].join('\n');
}

describe('The examples of the design documents', () => {
  it('are reported as in the golden file', () => {
    const files = readdirSync(folder)
      .filter((file) => file.endsWith('.yaml'))
      .sort();
    const told = files.map(tell).join('\n');
    if (process.env.UPDATE_GOLDEN) writeFileSync(golden, told);
    expect(told).toBe(
      existsSync(golden) ? readFileSync(golden, 'utf8') : 'UPDATE_GOLDEN=1 npx vitest run src/lint/seeds',
    );
  });

  it.each([
    ['zones-business-hours.yaml', 'Saturday 09:00 to Monday 17:00 UTC'],
    ['zones-rolling.yaml', 'Topology budgets limit only drift'],
    ['zones-quarter.yaml', 'Topology budgets limit only drift'],
    [
      'pods-by-pool.yaml',
      'so nothing is ever disrupted, not even in the hours of budgets[0] (100%, Saturday 02:00 to 06:00 UTC)',
    ],
    ['reasons-no-default.yaml', 'No budget applies to Unhealthy, Expired and Rebalance'],
    ['reasons-list.yaml', 'there budgets[1] (5) is a ceiling'],
    ['reasons-controls-apart.yaml', 'spec.disruption.drift is ignored'],
    ['controls-proposed.yaml', 'crontab is an old name'],
  ])('%s: reports "%s"', (file, words) => {
    expect(tell(file)).toContain(words);
  });
});
