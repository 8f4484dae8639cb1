import { describe, expect, it } from 'vitest';
import { RecordingError, readLines } from './line.ts';

const header = '{"header":{"version":1,"program":"1","settings":{}}}';
const keyframe = '{"keyframe":{"at":"2026-03-10T12:00:00Z","objects":0}}';
const round = '{"round":{"at":"2026-03-10T12:00:00Z","keys":[],"changed":{},"fingerprint":"x"}}';
const end = '{"end":{"rounds":0}}';

const failure = (...lines: readonly string[]): string => {
  try {
    for (const _ of readLines(lines.join('\n')));
  } catch (error) {
    if (error instanceof RecordingError) return `${error.line}: ${error.message}`;
    throw error;
  }
  return 'none';
};

describe('K1: what is no recording is told with its line', () => {
  it('a sound one has nothing wrong', () => {
    expect(
      failure(header, keyframe, '{"put":{"kind":"Pod","metadata":{"name":"p"}}}', round, '{"end":{"rounds":1}}'),
    ).toBe('none');
  });

  it.each([
    ['empty', [''], /^1: .*breaks off/],
    ['no JSON', ['PK\u0003\u0004'], /^1: This is no JSON/],
    ['a list', ['[]'], /^1: This is no JSON object/],
    ['an ordinary object', ['{"kind":"Pod","metadata":{}}'], /^1: A line holds one of header/],
    ['no header', [keyframe], /^1: A recording begins with its header/],
    [
      'a header of tomorrow',
      ['{"header":{"version":2,"program":"9","settings":{}}}'],
      /^1: .*version 2; this Lull reads 1/,
    ],
    ['two headers', [header, header], /^2: .*second header/],
    ['no keyframe', [header, round], /^2: A keyframe has to stand/],
    ['a broken line in the middle', [header, keyframe, '{"put":{"kind":"Po'], /^3: This is no JSON/],
    ['an object without a name', [header, keyframe, '{"put":{"kind":"Pod"}}'], /^3: .*no metadata/],
    ['an instant that is none', [header, '{"keyframe":{"at":"noon","objects":0}}'], /^2: at is no RFC 3339/],
    ['a number that is none', [header, '{"keyframe":{"at":"2026-03-10T12:00:00Z","objects":-1}}'], /^2: objects/],
    ['gone without a name', [header, keyframe, '{"gone":{"kind":"Pod"}}'], /^3: What is gone/],
    ['a round without its print', [header, keyframe, '{"round":{"at":"2026-03-10T12:00:00Z"}}'], /^3: A round needs/],
    ['a ledger that is a text', [header, keyframe, round.replace('"keys"', '"ledger":"x","keys"')], /^3: The ledger/],
    [
      'proposals that are none',
      [header, keyframe, round.replace('"keys"', '"proposals":[{"nodes":"n1"}],"keys"')],
      /^3: The proposals of this round/,
    ],
    ['keys that are numbers', [header, keyframe, round.replace('[]', '[1]')], /^3: The keys/],
    ['another count at its end', [header, keyframe, round, end], /^4: It ends after 0 rounds, but 1 stand here/],
    ['more after its end', [header, keyframe, end, round], /^4: Something stands after the end/],
    ['no end', [header, keyframe, round], /^3: .*breaks off here/],
    ['a word that objects know', ['{"constructor":{}}'], /^1: A line holds one of/],
    ['two things on one line', ['{"header":{},"put":{}}'], /^1: A line holds one of/],
  ])('%s', (_, lines, message) => {
    expect(failure(...lines)).toMatch(message);
  });
});
