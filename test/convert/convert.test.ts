import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConvertedText, convertText } from '../../src/kinds/convert/convertText.ts';
import { isSame } from '../../src/kinds/edit/patch.ts';
import { readObject } from '../../src/kinds/readObject.ts';
import { readDocuments } from '../../src/kinds/text/documents.ts';
import { policies } from './policies.ts';
import { hand, lostComments, render, type Written } from './render.ts';
import { decided } from './world.ts';

/** LULL_RUNS=20000 tries more. */
const numRuns = Number(process.env.LULL_RUNS ?? 250);
const seed = Number(process.env.LULL_SEED ?? 4);

/** A cache, since all properties use the same texts. */
const known = new Map<string, ConvertedText>();

function convert(text: string): ConvertedText {
  const converted = known.get(text) ?? convertText(text, 'policy.yaml');
  if ('errors' in converted) throw new Error(JSON.stringify(converted.errors));
  known.set(text, converted);
  return converted;
}

/** Generated texts that are not parsed as the same objects are discarded. */
const forAll = (property: (written: Written, objects: readonly unknown[]) => void): void =>
  fc.assert(
    fc.property(policies, hand, (objects, by) => {
      const written = render(objects, by);
      const { documents } = readDocuments(written.text, '');
      fc.pre(
        isSame(
          documents.map(({ object }) => object),
          objects,
        ),
      );
      property(written, objects);
    }),
    { numRuns, seed },
  );

describe('Converting any policy', () => {
  it('changes nothing the second time', () => {
    forAll((written) => {
      const { text } = convert(written.text);
      expect(convert(text).text).toBe(text);
    });
  });

  it('leaves no older spelling that the reader would report', () => {
    forAll((written) => {
      const { text, notes } = convert(written.text);
      if (notes.some(({ change }) => change.startsWith('unchanged'))) return;
      for (const { object } of readDocuments(text, '').documents) {
        expect(object.kind).not.toBe('Provisioner');
        expect(object.apiVersion).not.toMatch(/v1beta1|v1alpha5/);
        const read = readObject(object);
        const faults = read.kind === 'ignored' ? [] : read.faults;
        expect(faults.filter(({ message }) => /\bold (name|spelling)\b|means always/.test(message))).toEqual([]);
      }
    });
  });

  it('keeps every comment', () => {
    forAll((written) => {
      expect(lostComments(written.text, convert(written.text).text, written)).toEqual([]);
    });
  });

  it('keeps as many documents as there were', () => {
    forAll((written, objects) => {
      expect(readDocuments(convert(written.text).text, '').documents).toHaveLength(objects.length);
    });
  });

  it('can always be written', () => {
    forAll((written) => {
      const { notes } = convert(written.text);
      expect(notes.filter(({ change }) => change.includes('cannot be changed'))).toEqual([]);
    });
  });

  it('reports every change of meaning', () => {
    forAll((written) => {
      expect(
        convert(written.text).notes.filter(({ behaviour }) => behaviour?.includes('differently than before')),
      ).toEqual([]);
    });
  });

  /** The nodes of the test have claims, so that the warnings about nodes without one do not apply. */
  const changesBehaviour = ({ notes }: ConvertedText): boolean =>
    notes.some(({ path, behaviour }) => behaviour !== undefined && path !== 'kind');

  it('never changes decisions in drive unless its notes say so', () => {
    let compared = 0;
    forAll(({ text }) => {
      const converted = convert(text);
      if (converted.text === text || changesBehaviour(converted)) return;
      compared++;
      expect(decided(converted.text, 'drive')).toBe(decided(text, 'drive'));
    });
    expect(compared).toBeGreaterThan(numRuns / 5);
  });

  it.each(['observe', 'guide'] as const)(
    'never changes decisions beside Karpenter unless its notes say so, in %s',
    (role) => {
      forAll(({ text }) => {
        const converted = convert(text);
        if (changesBehaviour(converted) || converted.notes.some(({ karpenter }) => karpenter)) return;
        expect(decided(converted.text, role)).toBe(decided(text, role));
      });
    },
  );
});

describe('R1: schedules that Karpenter cannot read', () => {
  const pool = (schedule: string): string =>
    `apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\nspec:\n  disruption:\n    budgets:\n      - {nodes: "0", schedule: "${schedule}", duration: 1h}\n`;

  it.each([
    ['0 9 L 1,3 *', '0 9 31 1,3 *'],
    ['0 9 * * 6-7', '0 9 * * 0,6'],
    ['0 9 * * tue#1,tue#2,tue#3,tue#4,tue#5', '0 9 * * 2'],
  ])('%s is written as %s', (schedule, written) => {
    const { text, notes } = convert(pool(schedule));
    expect(text).toBe(pool(written));
    expect(notes.map(({ change }) => change)).toContain(`"${schedule}" is now "${written}", which Karpenter reads too`);
  });

  it.each(['0 9 * * sat#1', '0 9 L * *', 'TZ=Europe/Berlin 0 9 * * *'])(
    '%s is kept, and the note says why',
    (schedule) => {
      const { text, notes } = convert(pool(schedule));
      expect(text).toBe(pool(schedule));
      expect(notes).toMatchObject([{ change: expect.stringMatching(/^unchanged: Karpenter cannot read it \(.+\)/) }]);
    },
  );
});
