// Damaged texts: documents or errors with a line and advice.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readObject } from '../../src/kinds/readObject.ts';
import { readDocuments } from '../../src/kinds/text/documents.ts';
import { runInMemory } from '../inMemory.ts';
import { damagedBytes, damagedText } from './damage.ts';
import { manifests } from './manifests.ts';
import { wrongInRound } from './roundShape.ts';
import { longEnough, runsOf, watchOver } from './runs.ts';

/** Where it is, then what is wrong, then what to write instead. */
const advice = /\S[.:] .*\S[.?]$/s;

describe('K1: damaged texts', () => {
  it('are valid before', () => {
    for (const text of manifests) expect(readDocuments(text, 'f').errors).toEqual([]);
    expect(manifests.length).toBeGreaterThan(40);
  });

  it('give documents, or errors with a line and advice', { timeout: longEnough }, () => {
    watchOver();
    fc.assert(
      fc.property(damagedText, (text) => {
        const { documents, errors } = readDocuments(text, 'f');
        const lines = text.split('\n').length;
        const places = [...errors, ...documents.flatMap(({ object, position }) => placesOf(object, position))];
        for (const { line, column } of places) {
          if (!(line >= 1 && line <= lines && (column ?? 1) >= 1)) throw new Error(`${line}:${column} of ${lines}`);
        }
        for (const { message } of errors) if (!advice.test(message)) throw new Error(message);
      }),
      runsOf('texts'),
    );
  });
});

function placesOf(object: unknown, position: (path: string) => { line: number; column: number }) {
  const read = readObject(object, (path) => ({ file: 'f', ...position(path) }));
  const faults = read.kind === 'ignored' ? [] : read.faults;
  return [position('metadata.labels[a/b][0].c'), ...faults.flatMap((fault) => fault.position ?? [])];
}

/** Control characters that a terminal would interpret. A line break ends a line of the answer, and is the only one allowed. */
const obeyed = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

describe('L7: damaged files', () => {
  it('give a round, or errors and status 2', { timeout: longEnough }, async () => {
    watchOver();
    await fc.assert(
      fc.asyncProperty(damagedBytes, fc.boolean(), async (stdin, isJson) => {
        const argv = ['decide', '-f', '-', '-o', isJson ? 'json' : 'text'];
        const { status, stdout, stderr } = await runInMemory(argv, { stdin });
        if (stderr.includes('internal error')) throw new Error(stderr);
        if (status === 0) {
          expect(stderr).toBe('');
          if (isJson) expect(wrongInRound(stdout)).toEqual([]);
          else expect(stdout.replaceAll('\n', '')).not.toMatch(obeyed);
          return;
        }
        expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
        const messages = isJson ? messagesIn(stderr) : [stderr.trimEnd()];
        for (const message of messages) expect(message).toMatch(/\S[.?]$/);
        if (!isJson) expect(stderr.replaceAll('\n', '')).not.toMatch(obeyed);
      }),
      runsOf('bytes'),
    );
  });
});

const messagesIn = (stderr: string): string[] =>
  (JSON.parse(stderr) as { errors: { message: string }[] }).errors.map(({ message }) => message);
