// Every text of the corpus once more: what was found is fixed, and stays so.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { corpusFolder, corpusOf } from './corpus.ts';
import { targets } from './targets.ts';

describe('the corpus of the fuzzer', () => {
  it('has a folder for each target, and no other', () => {
    expect(readdirSync(corpusFolder).toSorted()).toEqual(Object.keys(targets).toSorted());
  });

  it.each(Object.entries(targets))('%s', (name, target) => {
    const texts = corpusOf(name);
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) expect(() => target(text), JSON.stringify(text)).not.toThrow();
  });
});
