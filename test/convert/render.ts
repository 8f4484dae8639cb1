// Renders a value as a person might write it: YAML in block or flow style with random quotes, comments and indentation, or JSON.
import fc from 'fast-check';
import { Document, isCollection, isScalar, visit } from 'yaml';

export interface Hand {
  readonly json: boolean;
  readonly indent: 2 | 4;
  readonly indentSeq: boolean;
  readonly crlf: boolean;
  /** The layout to use at each place. */
  readonly whims: readonly number[];
}

export const hand: fc.Arbitrary<Hand> = fc.record({
  json: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  indent: fc.constantFrom(2, 4),
  indentSeq: fc.boolean(),
  crlf: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  whims: fc.array(fc.nat(99), { minLength: 20, maxLength: 60 }),
});

export interface Written {
  readonly text: string;
  /** How many comments are in it: `# c0`, `# c1`, … */
  readonly comments: number;
}

/** One document after another. */
export function render(objects: readonly unknown[], { json, indent, indentSeq, crlf, whims }: Hand): Written {
  if (json) return { text: objects.map((object) => JSON.stringify(object)).join('\n'), comments: 0 };
  let turn = 0;
  let comments = 0;
  const whim = (one: number): boolean => (whims[turn++ % whims.length] ?? 1) % one === 0;
  const texts = objects.map((object) => {
    const document = new Document(object, { version: '1.1', aliasDuplicateObjects: false });
    visit(document, {
      Node: (at, node) => {
        if (isCollection(node) && whim(5)) node.flow = true;
        if (isScalar(node) && typeof node.value === 'string' && !node.value.includes('\n') && at !== 'key' && whim(3))
          node.type = whim(2) ? 'QUOTE_DOUBLE' : 'QUOTE_SINGLE';
        if (whim(5)) node.commentBefore = ` c${comments++}`;
        const oneLine = isScalar(node) && at !== 'key' && !String(node.value).includes('\n');
        if (oneLine && whim(6)) node.comment = ` c${comments++}`;
      },
    });
    return document.toString({ indent, indentSeq, lineWidth: 0 });
  });
  const text = texts.join('---\n');
  return { text: crlf ? text.replaceAll('\n', '\r\n') : text, comments };
}

/** Those in one text but not in the other. */
export const lostComments = (before: string, after: string, { comments }: Written): string[] =>
  Array.from({ length: comments }, (_, i) => `# c${i}`).filter((comment) => {
    const found = new RegExp(`${comment}(?!\\d)`);
    return found.test(before) && !found.test(after);
  });
