import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ConvertedText, convertText } from '../../src/kinds/convert/convertText.ts';
import { filesBelow, root } from '../architecture/sources.ts';

/** The policy at the top of a scenario, without its comments and the cluster below it. */
const policyOf = (scenario: string): string =>
  scenario.replace(/^(#.*\n)*/, '').replace(/^---\napiVersion: v1\nkind: List\n[\s\S]*/m, '');

const read = (file: string): string => readFileSync(resolve(root, file), 'utf8');

const seeds = filesBelow('scenarios/seeds', '.yaml').map((file) => ({ file, text: policyOf(read(file)) }));
/** YAML and JSON as people lay it out; as .txt, so that no formatter changes it. */
const examples = filesBelow('test/convert/examples', '.txt').map((file) => ({ file, text: read(file) }));

function convert(text: string): ConvertedText {
  const converted = convertText(text, 'policy.yaml');
  if ('errors' in converted) throw new Error(JSON.stringify(converted.errors));
  return converted;
}

const goldenOf = (file: string): string => `test/convert/golden/${file.replace(/^.*\//, '').replace(/\.\w+$/, '')}.txt`;

/** The converted text, and below it the notes. */
const tell = ({ text, notes }: ConvertedText): string =>
  `${text}\n${notes
    .map(({ line, object, path, change, behaviour, karpenter }) =>
      [
        `${line} ${object} ${path}: ${change}`,
        behaviour && `  behaviour: ${behaviour}`,
        karpenter && `  Karpenter: ${karpenter}`,
      ]
        .filter((words) => words !== undefined)
        .join('\n'),
    )
    .join('\n')}\n`;

/** Those that are current. */
const unchanged = seeds.filter(({ text }) => convert(text).text === text);
const changed = [...seeds.filter((seed) => !unchanged.includes(seed)), ...examples];

describe('An example of the design documents that is current', () => {
  it.each(unchanged)('$file has no notes', ({ text }) => {
    expect(convert(text).notes).toEqual([]);
  });

  it('is one of the zones, of the pods, or a window', () => {
    const of = unchanged.map(({ file }) => file.replace(/^.*\/(\w+)-.*$/, '$1'));
    expect(new Set(of)).toEqual(new Set(['zones', 'pods', 'deprovisioning']));
  });
});

describe('An older example', () => {
  it.each(changed)('$file is converted as its golden file says', ({ file, text }) => {
    const golden = resolve(root, goldenOf(file));
    const told = tell(convert(text));
    // Users do not know the codes of the contract.
    expect(told).not.toMatch(/\([A-S]\d{1,2}\b[^)]*\)/);
    if (process.env.UPDATE_GOLDEN) writeFileSync(golden, told);
    expect(told).toBe(
      existsSync(golden) ? readFileSync(golden, 'utf8') : 'UPDATE_GOLDEN=1 npx vitest run test/convert',
    );
  });

  it('has a golden file, and no golden file is left over', () => {
    expect(filesBelow('test/convert/golden', '.txt')).toEqual(changed.map(({ file }) => goldenOf(file)).sort());
  });
});
