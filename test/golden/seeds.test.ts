// Golden tests: the decisions on every example of the design documents.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatInstant } from '../../src/time/instant.ts';
import { filesBelow, root } from '../architecture/sources.ts';
import { readScenario, type Scenario } from './scenario.ts';
import { transcribe } from './transcript.ts';

/** Every YAML example of the five design documents, named after its document. */
const examples = filesBelow('scenarios/seeds', '.yaml');

const tell = ({ decide, moments }: Scenario): string =>
  moments
    .map(({ at, what }) => `${formatInstant(at)} ${what}\n${transcribe(decide(at)).join('\n').replace(/^/gm, '  ')}\n`)
    .join('\n');

describe.each(examples)('%s', (file) => {
  const scenario = readScenario(resolve(root, file), file);
  const golden = resolve(root, file.replace(/\.yaml$/, '.golden.txt'));

  it.each(scenario.moments.map(({ at, what, expected }) => ({ name: `${formatInstant(at)} ${what}`, at, expected })))(
    '$name',
    ({ at, expected }) => {
      expect(expected).not.toEqual([]);
      expect(transcribe(scenario.decide(at))).toEqual(expect.arrayContaining([...expected]));
    },
  );

  it('decides as its golden file says', () => {
    const told = tell(scenario);
    if (process.env.UPDATE_GOLDEN) writeFileSync(golden, told);
    expect(told).toBe(existsSync(golden) ? readFileSync(golden, 'utf8') : 'UPDATE_GOLDEN=1 npx vitest run test/golden');
  });
});

describe('The examples of the design documents', () => {
  /** Some examples are decided in several situations: the zonal roll in three, a spec with open choices in two. */
  it.each([
    { document: 'zones', shown: 3, files: 5 },
    { document: 'reasons', shown: 6, files: 6 },
    { document: 'controls', shown: 2, files: 3 },
    { document: 'pods', shown: 8, files: 8 },
    { document: 'deprovisioning', shown: 5, files: 5 },
  ])('$document: all $shown are included', ({ document, files }) => {
    expect(examples.filter((file) => file.startsWith(`scenarios/seeds/${document}-`))).toHaveLength(files);
  });

  it('all have a golden file, and every golden file has an example', () => {
    const golden = filesBelow('scenarios/seeds', '.golden.txt').map((file) => file.replace('.golden.txt', '.yaml'));
    expect(golden).toEqual(examples);
  });
});
