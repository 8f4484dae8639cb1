// Compares upstream's answers with Lull's, case by case and facet by facet. What differs must be listed in differences.ts with
// Lull's own answer, and what is listed must differ.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { differences, type Facets, type VectorFile } from './differences.ts';

export interface Answers {
  readonly upstream: Facets;
  readonly lull: Facets;
}

export interface Case<Input, Want> {
  /** `category/detail`. */
  readonly name: string;
  readonly input: Input;
  readonly want: Want;
}

export function readCases<Input, Want>(file: VectorFile): readonly Case<Input, Want>[] {
  const text = readFileSync(new URL(`${file}.json`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { cases: Case<Input, Want>[] }).cases;
}

/** One test a case. */
export function compareWithUpstream<Input, Want>(file: VectorFile, answer: (it: Case<Input, Want>) => Answers): void {
  describe(`${file}.json, compared with upstream`, () => {
    for (const vector of readCases<Input, Want>(file)) {
      it(vector.name, () => {
        const { upstream, lull } = answer(vector);
        expect(Object.keys(lull).sort()).toEqual(Object.keys(upstream).sort());
        const differing = Object.keys(lull).filter((facet) => lull[facet] !== upstream[facet]);
        const said = differing.map((facet) => `${facet}: upstream ${upstream[facet]}, Lull ${lull[facet]}`).join('\n');
        expect(Object.fromEntries(differing.map((facet) => [facet, lull[facet]])), said).toEqual(
          listed(file, vector.name),
        );
      });
    }
  });
}

/** Lull's own answers to a case, if they differ. */
function listed(file: VectorFile, name: string): Facets {
  return Object.assign({}, ...differences.map(({ cases }) => cases[file]?.[name])) as Facets;
}
