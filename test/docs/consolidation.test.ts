import { expect, it } from 'vitest';
import { readSettings } from '../../src/kinds/readSettings.ts';
import { parseText } from '../../src/kinds/text/documents.ts';
import { blocksOf } from './blocks.ts';

const page = 'docs/guide/consolidation.md';

it('M: the settings on the consolidation page are read without a fault', () => {
  const written = blocksOf(page).filter(({ language }) => language === 'yaml');
  expect(written.length).toBeGreaterThan(0);
  for (const { text } of written) {
    const { settings, faults } = readSettings(parseText(text).values[0]?.value);
    expect(faults).toEqual([]);
    expect(settings.catalogue?.map(({ name }) => name)).toEqual(['m5.xlarge']);
  }
});
