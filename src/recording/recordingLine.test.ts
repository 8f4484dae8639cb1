// Errors of the recording format, with their line numbers.
import { describe, expect, it } from 'vitest';
import { RecordingError, readLines } from './recordingLine.ts';

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

describe('K1: errors in a recording name their line', () => {
  it('a valid recording has no errors', () => {
    expect(
      failure(header, keyframe, '{"put":{"kind":"Pod","metadata":{"name":"p"}}}', round, '{"end":{"rounds":1}}'),
    ).toBe('none');
  });

  it.each([
    ['empty', [''], /^1: .*is truncated/],
    ['invalid JSON', ['PK\u0003\u0004'], /^1: Not valid JSON/],
    ['a list', ['[]'], /^1: Not a JSON object/],
    ['an ordinary object', ['{"kind":"Pod","metadata":{}}'], /^1: A line has exactly one of header/],
    ['no header', [keyframe], /^1: A recording starts with its header/],
    [
      'a newer version',
      ['{"header":{"version":2,"program":"9","settings":{}}}'],
      /^1: .*version 2; this version of Lull reads version 1/,
    ],
    ['two headers', [header, header], /^2: .*second header/],
    ['no keyframe', [header, round], /^2: A keyframe must come/],
    ['a broken line in the middle', [header, keyframe, '{"put":{"kind":"Po'], /^3: Not valid JSON/],
    ['an object without a name', [header, keyframe, '{"put":{"kind":"Pod"}}'], /^3: .*no metadata/],
    ['an invalid instant', [header, '{"keyframe":{"at":"noon","objects":0}}'], /^2: at is not an RFC 3339/],
    ['an invalid count', [header, '{"keyframe":{"at":"2026-03-10T12:00:00Z","objects":-1}}'], /^2: objects/],
    ['gone without a name', [header, keyframe, '{"gone":{"kind":"Pod"}}'], /^3: gone needs/],
    ['a round without its output', [header, keyframe, '{"round":{"at":"2026-03-10T12:00:00Z"}}'], /^3: A round needs/],
    ['a ledger that is a string', [header, keyframe, round.replace('"keys"', '"ledger":"x","keys"')], /^3: The ledger/],
    [
      'invalid proposals',
      [header, keyframe, round.replace('"keys"', '"proposals":[{"nodes":"n1"}],"keys"')],
      /^3: The proposals of this round/,
    ],
    ['keys that are numbers', [header, keyframe, round.replace('[]', '[1]')], /^3: The keys/],
    [
      'a wrong count at the end',
      [header, keyframe, round, end],
      /^4: The end line says 0 rounds, but the recording has 1/,
    ],
    ['a line after the end', [header, keyframe, end, round], /^4: There is a line after the end/],
    ['no end', [header, keyframe, round], /^3: .*is truncated/],
    ['an inherited property name', ['{"constructor":{}}'], /^1: A line has exactly one of/],
    ['two keys on one line', ['{"header":{},"put":{}}'], /^1: A line has exactly one of/],
  ])('%s', (_, lines, message) => {
    expect(failure(...lines)).toMatch(message);
  });
});
