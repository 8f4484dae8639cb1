import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInMemory } from '../../src/cli/inMemory.ts';
import { readDocuments } from '../../src/kinds/documents.ts';
import { isScenario } from '../../src/sim/scenario/readScenario.ts';
import { root } from '../architecture/sources.ts';

const folder = resolve(root, 'scenarios');
const path = (name: string): string => resolve(folder, name);
const tells = (name: string): boolean =>
  readDocuments(readFileSync(path(name), 'utf8'), name).documents.some(isScenario);

/** Every scenario that can be played; files that are only decided have none. */
const scenarios = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml') && tells(name))
  .sort();

describe.each(scenarios)('scenarios/%s', (name) => {
  const golden = path(name.replace(/\.yaml$/, '.golden.txt'));

  it('comes as it expects, breaks nothing, and reads as its golden text', async () => {
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
  it('are there for every scenario, and none is left over', () => {
    const texts = readdirSync(folder)
      .filter((name) => name.endsWith('.golden.txt'))
      .sort();
    expect(texts).toEqual(scenarios.map((name) => name.replace(/\.yaml$/, '.golden.txt')));
  });

  it('tell of nothing that must never be', () => {
    for (const name of scenarios) {
      const text = readFileSync(path(name.replace(/\.yaml$/, '.golden.txt')), 'utf8');
      expect(text, name).toMatch(/^ {2}violations +none$/m);
      expect(text, name).toMatch(/^ {2}expected +(came|all \d+ came)$/m);
    }
  });
});
