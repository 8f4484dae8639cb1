// Damages texts and files: cut off, doubled, reversed, with flipped bits and inserted fragments.
import fc from 'fast-check';
import { manifests } from './manifests.ts';

interface Blow {
  readonly how: 'cut' | 'end' | 'double' | 'put' | 'flip' | 'swap';
  /** The position, in thousandths of the whole. */
  readonly at: number;
  readonly length: number;
  readonly piece: string;
}

const pieces = [
  ...['{', '}', '[', ']', ',', ':', ': ', '- ', '? ', '"', "'", '|\n', '>-\n', '#', '\n', '\r\n', '\r', '\t', ' '],
  ...['---\n', '...\n', '%YAML 1.2\n', '%TAG ! tag:x,\n', '!!str ', '!!set ', '!!binary ', '!x ', '!<', '@', '`'],
  ...['&a ', '*a', '<<: *a\n', '<<: [*a, *a]\n', 'a: &a {<<: *a}\n', '&a [*a]'],
  ...[
    '\u0000',
    '\ufeff',
    '\ufffd',
    '\ud800',
    '\u202e',
    '\u2028',
    '\u0085',
    '\u001b[2J',
    '\\u0000',
    '\\ud800',
    '\\x',
    '\\',
  ],
  ...['null', '~', 'true', '.inf', '.nan', '1e400', '0x7f', '0o7', '1_0', '190:20:30', '2026-01-01', '-'],
  ...[
    '"__proto__": {"x": 1},',
    '__proto__: {x: 1}\n',
    'constructor: 1\n',
    'kind: List\nitems: ',
    '"kind":"List","items":',
  ],
  '{"kind":"Pod"}\n',
  'a'.repeat(2000),
];

const blows: fc.Arbitrary<Blow[]> = fc.array(
  fc.record({
    how: fc.constantFrom('cut', 'end', 'double', 'put', 'put', 'put', 'flip', 'swap'),
    at: fc.nat({ max: 999 }),
    length: fc.nat({ max: 40 }),
    piece: fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 5 })),
  }),
  { minLength: 1, maxLength: 4 },
);

function strike(text: string, { how, at, length, piece }: Blow): string {
  const place = Math.floor((text.length * at) / 1000);
  const [before, part, after] = [text.slice(0, place), text.slice(place, place + length), text.slice(place + length)];
  switch (how) {
    case 'cut':
      return before + after;
    case 'end':
      return before;
    case 'double':
      return before + part + part + after;
    case 'put':
      return before + piece + part + after;
    case 'flip':
      return before + String.fromCharCode(part.charCodeAt(0) ^ (1 << (length % 8))) + part.slice(1) + after;
    case 'swap':
      return after + part + before;
  }
}

export const damagedText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(fc.constantFrom(...manifests), blows).map(([text, list]) => list.reduce(strike, text)),
  },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((list) => list.join('')) },
);

/** The same in bytes: invalid UTF-8, another encoding, or compressed. */
export const damagedBytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 4, arbitrary: damagedText.map((text) => Buffer.from(text)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...manifests), fc.nat(), fc.uint8Array({ maxLength: 4 }))
      .map(([text, at, put]) => {
        const bytes = Buffer.from(text);
        const place = at % bytes.length;
        return Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + put.length)]);
      }),
  },
  { weight: 1, arbitrary: damagedText.map((text) => Buffer.from(`\ufeff${text}`, 'utf16le')) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from([0x1f, 0x8b, ...bytes])) },
);
