import { describe, expect, it } from 'vitest';
import { brief, Findings, nowhere, type Severity, show } from './findings.ts';

const gather = (usual: Severity = 'error'): Findings => new Findings(() => 'Kind/name', usual, nowhere);

describe('K1: the faults of one object', () => {
  it('are listed once each', () => {
    const findings = gather();
    for (const path of ['a', 'a', 'b']) findings.add(path, 5, 'This is wrong. Fix it.');
    expect(findings.faults.map(({ path }) => path)).toEqual(['a', 'b']);
    expect(findings.wrongs).toBe(2);
  });

  it('are listed up to a thousand; all are counted', () => {
    const findings = gather();
    for (let i = 0; i < 5000; i++) findings.add(`a[${i}]`, i, 'This is wrong. Fix it.');
    expect(findings.faults).toHaveLength(1001);
    expect(findings.faults.at(-1)).toMatchObject({
      path: '',
      message: expect.stringMatching(/may have more.*Fix these/),
    });
    expect(findings.wrongs).toBe(5000);
  });

  it('never leave out the first error, which makes a rule fail closed', () => {
    const findings = gather();
    for (let i = 0; i < 5000; i++) findings.add(`a[${i}]`, i, 'This is old. Fix it.', 'info');
    findings.add('b', 5, 'This is wrong. Fix it.');
    expect(findings.error?.path).toBe('b');
    expect(findings.faults).toContain(findings.error);
  });

  it.each([
    { name: 'a small one', value: { a: [1, 'x'] }, given: { a: [1, 'x'] } },
    { name: 'a long text', value: 'x'.repeat(20_000), given: `"${'x'.repeat(59)}…` },
    { name: 'a long list', value: new Array(20_000).fill(1), given: 'a list of 20000' },
    { name: 'NaN', value: Number.NaN, given: 'NaN' },
  ])('give the value: $name', ({ value, given }) => {
    const findings = gather();
    findings.add('a', value, 'This is wrong. Fix it.');
    expect(findings.faults[0]?.value).toEqual(given);
  });
});

describe('A value within a sentence', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  it.each([
    { value: undefined, shown: 'nothing' },
    { value: 'soon', shown: '"soon"' },
    { value: 5, shown: '5' },
    { value: Number.POSITIVE_INFINITY, shown: 'Infinity' },
    { value: { a: 1 }, shown: '{"a":1}' },
    { value: ['x'.repeat(100)], shown: `["${'x'.repeat(58)}…` },
    { value: Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [i, i])), shown: 'a map of 9000 fields' },
    { value: cyclic, shown: 'a map of 1 fields' },
    { value: Symbol('x'), shown: 'a symbol' },
  ])('$shown', ({ value, shown }) => {
    expect(show(value)).toBe(shown);
  });

  it('is not cut within a sign', () => {
    expect(brief(`${'x'.repeat(59)}🦉`)).toBe(`${'x'.repeat(59)}…`);
    expect(brief('🦉', 2)).toBe('🦉');
  });
});
