// docs/reference is what `npm run reference` writes.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../../scripts/reference/pages.ts';

const pages = await referencePages();

describe('docs/reference', () => {
  it.each(Object.entries(pages))('%s is up to date (`npm run reference`)', (name, text) => {
    expect(readFileSync(`docs/reference/${name}`, 'utf8')).toBe(text);
  });
});
