// Delta encoding of recorded rounds.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../kinds/read/reader.ts';
import { RoundReader, RoundWriter } from './roundDelta.ts';

const lineOf = (fields: string): { keys?: string[]; changed: Json; fingerprint: string } => JSON.parse(`{${fields}}`);

describe('J4: a round kept as what differs from the one before', () => {
  it('keeps only that', () => {
    const writer = new RoundWriter();
    writer.write({ at: '1', verdicts: [1, 2, 3, 4], pods: [] });
    const { keys, changed } = lineOf(writer.write({ at: '2', verdicts: [1, 5, 3, 4], pods: [] }));
    expect(keys).toBeUndefined();
    expect(changed).toEqual({ at: { is: '2' }, verdicts: { from: 1, cut: 1, put: [5] } });
  });

  it('keeps nothing where nothing differs', () => {
    const writer = new RoundWriter();
    writer.write({ verdicts: [1], pods: [] });
    expect(lineOf(writer.write({ verdicts: [1], pods: [] })).changed).toEqual({});
  });

  const item = fc.record({ node: fc.constantFrom('a', 'b', 'c'), n: fc.nat(3) });
  const round = fc.record(
    {
      at: fc.string(),
      wakeAt: fc.string(),
      verdicts: fc.array(item, { maxLength: 6 }),
      ledger: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
      ['__proto__']: fc.nat(2),
    },
    { requiredKeys: ['at', 'verdicts'] },
  );

  it('is put together again to the byte, whatever the rounds', () => {
    fc.assert(
      fc.property(fc.array(round, { minLength: 1, maxLength: 8 }), (rounds) => {
        const [writer, reader] = [new RoundWriter(), new RoundReader()];
        for (const printed of rounds) {
          expect(reader.read(lineOf(writer.write(printed)))).toEqual({ text: JSON.stringify(printed) });
        }
      }),
    );
  });

  it.each([
    ['a list that is shorter than that', { verdicts: { from: 3, cut: 1, put: [] } }],
    ['no place', { verdicts: { from: -1, cut: 0, put: [] } }],
    ['half a place', { verdicts: { from: 0.5, cut: 0, put: [] } }],
    ['nothing to put', { verdicts: { from: 0, cut: 0 } }],
    ['no map', { verdicts: 7 }],
    ['another round', { verdicts: { from: 0, cut: 1, put: [9] } }],
  ])('says what is wrong: %s', (_, changed) => {
    const [writer, reader] = [new RoundWriter(), new RoundReader()];
    const first = lineOf(writer.write({ verdicts: [1, 2] }));
    reader.read(first);
    expect(reader.read({ changed, fingerprint: first.fingerprint })).toEqual({ wrong: expect.any(String) });
  });
});
