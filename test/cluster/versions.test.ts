// The list of versions, which of them run, the go.mod generated for other versions, and the table of results.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pairOfTheDay, storiesNamed, storiesWithin } from '../../scripts/versions/plan.ts';
import { type Result, withResult } from '../../scripts/versions/supportTable.ts';
import { goModFrom } from './generate.ts';
import { root } from './places.ts';
import { defaultPair, versionList, wholeVersion } from './versions.ts';

const modOf = (folder: string): string => readFileSync(join(import.meta.dirname, folder, 'go.mod'), 'utf8');

describe('The list of versions', () => {
  it('begins with the versions that the modules beside it pin', () => {
    expect(modOf('kubernetes')).toContain(`k8s.io/kubernetes v${defaultPair.kubernetes} `);
    expect(modOf('karpenter')).toContain(`sigs.k8s.io/karpenter v${defaultPair.karpenter} `);
  });

  it('names stories that exist', () => {
    for (const story of Object.keys(versionList.stories))
      expect(existsSync(join(root, 'test', 'e2e', `${story}.e2e.ts`))).toBe(true);
  });

  it.each([
    { text: '1.30', version: '1.30.14' },
    { text: 'v1.30.14', version: '1.30.14' },
    { text: '1.36', version: '1.36.3' },
  ])('Kubernetes $text is $version', ({ text, version }) => {
    expect(wholeVersion('kubernetes', text)).toBe(version);
  });

  it('does not take 1.1 for 1.15, and rejects what it does not have', () => {
    expect(wholeVersion('karpenter', '1.1')).toBe('1.1.5');
    expect(() => wholeVersion('karpenter', '0.37')).toThrow('Unknown karpenter "0.37"');
  });
});

describe('What runs', () => {
  it('is each pair except the default in turn, by the day', () => {
    const days = [14, 15, 16, 17].map((day) => pairOfTheDay(new Date(Date.UTC(2026, 10, day, 23))));
    expect(new Set(days.slice(0, 3))).toEqual(new Set(versionList.pairs.slice(1)));
    expect(days[3]).toBe(days[0]);
    expect(pairOfTheDay(new Date(Date.UTC(2026, 10, 14)))).toBe(days[0]);
  });

  it('is what ends in time, three stories at a time, and at least the first', () => {
    const all = Object.keys(versionList.stories);
    expect(storiesWithin(Number.POSITIVE_INFINITY)).toEqual(all);
    expect(storiesWithin(3)).toEqual(all.slice(0, 3));
    expect(storiesWithin(-5)).toEqual(all.slice(0, 1));
  });

  it('can be named', () => {
    expect(storiesNamed(['20', '31-drive'])).toEqual(['20-zone-by-zone', '31-drive']);
    expect(() => storiesNamed(['99'])).toThrow('Unknown core story "99"');
  });
});

it('The go.mod of another version pins what its own does, with published staging modules', () => {
  const own = `// Generated.

module k8s.io/kubernetes

go 1.22.0

require (
	github.com/blang/semver/v4 v4.0.0
	k8s.io/api v0.0.0
	k8s.io/sample-apiserver v0.0.0
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/sample-apiserver => ./staging/src/k8s.io/sample-apiserver
)

retract (
	v0.1.0
)
`;
  expect(
    goModFrom(own, { of: 'k8s.io/kubernetes', version: '1.30.14', what: 'kubernetes' }),
  ).toBe(`module lull.dev/test/cluster/kubernetes

go 1.22.0

require (
	github.com/blang/semver/v4 v4.0.0
	k8s.io/api v0.0.0
)

replace (
	k8s.io/api => k8s.io/api v0.30.14
)

require k8s.io/kubernetes v1.30.14
`);
});

describe('The table of results', () => {
  const page = readFileSync(join(root, 'docs', 'support.md'), 'utf8');
  const result: Result = {
    pair: { kubernetes: '1.29.1', karpenter: '1.2.3' },
    date: '2026-11-16',
    commit: 'abc1234',
    stories: ['24-opt-outs', '20-zone-by-zone'],
    passed: 12,
    failed: 1,
    skipped: 0,
  };
  const rowsOf = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('| 1.29.1'));
  const cellsOf = (row = ''): string[] => row.split('|').map((cell) => cell.trim());

  it('gets a row for a pair, and keeps the others', () => {
    const written = withResult(page, result);
    expect(rowsOf(written).map(cellsOf)).toEqual([
      ['', '1.29.1', '1.2.3', '12', '1', '0', '20 24', '2026-11-16', 'abc1234', ''],
    ]);
    expect(written.split('\n').length).toBe(page.split('\n').length + 1);
  });

  it('replaces the row of the same pair', () => {
    const again = withResult(withResult(page, result), { ...result, passed: 13, failed: 0 });
    expect(rowsOf(again).map((row) => cellsOf(row).slice(3, 5))).toEqual([['13', '0']]);
  });

  it('is found by its markers only', () => {
    expect(() => withResult('# A page', result)).toThrow('The page has no table');
  });
});
