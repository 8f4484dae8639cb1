// Every scenario runs without violations, meets its expectations, and prints its golden text.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDocuments } from '../../src/kinds/text/documents.ts';
import { isScenario } from '../../src/sim/scenario/readScenario.ts';
import { root } from '../architecture/sources.ts';
import { runInMemory } from '../inMemory.ts';

const folder = resolve(root, 'scenarios');
const path = (name: string): string => resolve(folder, name);
const hasScenario = (name: string): boolean =>
  readDocuments(readFileSync(path(name), 'utf8'), name).documents.some(isScenario);

/** Files with a Scenario; the others are input for `lull decide` only. */
const scenarios = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml') && hasScenario(name))
  .sort();

describe.each(scenarios)('scenarios/%s', (name) => {
  const golden = path(name.replace(/\.yaml$/, '.golden.txt'));

  it('meets its expectations, violates no invariant, and prints its golden text', async () => {
    const { status, stdout, stderr } = await runInMemory(['simulate', path(name)]);
    expect(stderr).toBe('');
    if (process.env.UPDATE_GOLDEN) writeFileSync(golden, stdout);
    expect(stdout).toBe(
      existsSync(golden) ? readFileSync(golden, 'utf8') : 'UPDATE_GOLDEN=1 npx vitest run test/golden-sim',
    );
    expect(status, stdout).toBe(0);
  });
});

describe('Golden texts', () => {
  it('exist for every scenario and for nothing else', () => {
    const texts = readdirSync(folder)
      .filter((name) => name.endsWith('.golden.txt'))
      .sort();
    expect(texts).toEqual(scenarios.map((name) => name.replace(/\.yaml$/, '.golden.txt')));
  });

  it('report no violations, and all expectations met', () => {
    for (const name of scenarios) {
      const text = readFileSync(path(name.replace(/\.yaml$/, '.golden.txt')), 'utf8');
      expect(text, name).toMatch(/^ {2}violations +none$/m);
      expect(text, name).toMatch(/^ {2}expectations +(met|all \d+ met)$/m);
    }
  });
});
