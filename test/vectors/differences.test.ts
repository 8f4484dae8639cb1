// The list of intended differences is sound; its coverage is pinned so that changes are visible.
import { describe, expect, it } from 'vitest';
import { type Difference, differences, listed, ours, type VectorFile } from './differences.ts';
import { readCases } from './facets.ts';

const files: readonly VectorFile[] = [
  'budgets',
  'candidates',
  'consolidatable',
  'consumed',
  'drift',
  'pdbs',
  'pods',
  'repair',
  'selectors',
];

const casesOf = (file: VectorFile): string[] => differences.flatMap(({ cases }) => Object.keys(cases[file] ?? {}));

describe('the list of differences', () => {
  it.each(files)('names only cases that are in %s.json', (file) => {
    const known = new Set(readCases(file).map(({ name }) => name));
    expect(casesOf(file).filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(files)('explains no answer to %s.json twice', (file) => {
    const facets = differences.flatMap(({ cases }) =>
      Object.entries(cases[file] ?? {}).flatMap(([name, answers]) =>
        Object.keys(answers).map((facet) => `${name}: ${facet}`),
      ),
    );
    expect(facets.filter((facet, index) => facets.indexOf(facet) !== index)).toEqual([]);
  });

  it.each<[VectorFile, number, number]>([
    ['budgets', 551, 76],
    ['candidates', 99, 28],
    ['consolidatable', 15, 3],
    ['consumed', 50, 3],
    ['drift', 82, 4],
    ['pdbs', 58, 2],
    ['pods', 124, 6],
    ['repair', 23, 6],
    ['selectors', 94, 14],
  ])('leaves most of %s.json equal: of %i cases %i differ', (file, cases, differing) => {
    expect(readCases(file).length).toBe(cases);
    expect(new Set(casesOf(file)).size).toBe(differing);
  });

  const counts = (table: Readonly<Record<string, Difference>>): Record<string, number> =>
    Object.fromEntries(
      Object.entries(table).map(([name, { cases }]) => [
        name,
        Object.values(cases).flatMap((it) => Object.keys(it)).length,
      ]),
    );

  it('covers the expected number of cases by each row of the README', () =>
    expect(counts(listed)).toEqual({
      'budgets without reasons': 0,
      'empty reasons': 24,
      'absent budgets': 2,
      'integers beyond 32 bits': 4,
      'bad text in an inactive budget': 4,
      'schedules that never fire': 7,
      'seconds in durations': 5,
      'weekday 7 and wrapping ranges': 8,
      'days counted within the month': 2,
      '@every': 2,
      'a node that is itself being deleted': 3,
      'busy nodes that cost nothing': 2,
      'PDBs that cannot be read': 3,
      'negative disruptionsAllowed': 0,
      'replacements beyond the limits of a pool': 0,
      'percentages above 100 and negative counts': 13,
      'older spellings': 3,
      'a TZ= prefix': 1,
      'older and longer protections': 4,
      'costs below nothing': 3,
      'nodes that are not Ready': 11,
      'what refuses repair': 1,
      '`DisruptionReason` alone': 0,
      'when a node is stable': 2,
      'commands a round': 10,
      'claims of another node class kind': 2,
    }));

  it('covers the expected number of cases by each clause of ours', () =>
    expect(counts(ours)).toEqual({
      'nodes that are not counted, in a freeze': 1,
      'machines that are ending': 0,
      'a budget without nodes': 1,
      'an empty list against none': 1,
      'expireAfter absent': 1,
      'kubelet settings': 1,
      'static pools': 1,
      'requirements that cannot be asked': 13,
      "Karpenter's taint without DisruptionReason": 2,
      'a selector without expressions': 1,
      'pods of other nodes that fit nowhere': 1,
      'unknown instance types': 2,
      'what an instance type keeps for itself': 1,
      'grace periods of repair policies': 1,
    }));
});
