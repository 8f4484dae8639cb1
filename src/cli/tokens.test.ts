// Tests of tokens from files and the environment.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runInMemory } from '../../test/inMemory.ts';
import { clientToken, serverTokens } from './tokens.ts';

const folder = mkdtempSync(join(tmpdir(), 'lull-tokens-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('T2: tokens', () => {
  const write = file('token', 'from-file\n');
  const read = file('read', 'read-file\n');

  it.each([
    [{}, {}, {}],
    [{}, { LULL_TOKEN: 'a' }, { write: 'a' }],
    [{}, { LULL_TOKEN: 'a\n', LULL_READ_TOKEN: 'b' }, { write: 'a', read: 'b' }],
    [{}, { LULL_TOKEN: '', LULL_READ_TOKEN: '' }, {}],
    [{}, { LULL_TOKEN: 'a', LULL_TOKEN_FILE: write }, { write: 'from-file' }],
    [{ tokenFile: write }, { LULL_TOKEN: 'a' }, { write: 'from-file' }],
    [{ tokenFile: write, readTokenFile: read }, {}, { write: 'from-file', read: 'read-file' }],
    [{ readTokenFile: read }, {}, { read: 'read-file' }],
  ])('%j and %j', (flags, env, tokens) => {
    expect(serverTokens(flags, env)).toEqual(tokens);
  });

  it.each([
    [{}, undefined],
    [{ LULL_TOKEN: 'a', LULL_READ_TOKEN: 'b' }, 'a'],
    [{ LULL_READ_TOKEN: 'b' }, 'b'],
    [{ LULL_READ_TOKEN_FILE: read }, 'read-file'],
  ])('a client with %j sends %j', (env, token) => {
    expect(clientToken(env)).toBe(token);
  });

  it.each([
    [{ tokenFile: join(folder, 'none') }, {}, 'not the token itself'],
    [{ tokenFile: file('empty', '\n') }, {}, 'is empty'],
    [{ tokenFile: file('lines', 'a\nb') }, {}, 'not one line'],
    [{}, { LULL_TOKEN: 'ä' }, 'not one line'],
    [{}, { LULL_TOKEN: 'a', LULL_READ_TOKEN: 'a' }, 'same as the read-write token'],
  ])('%j and %j: %s', (flags, env, says) => {
    expect(() => serverTokens(flags, env)).toThrow(says);
  });

  it.each(['--token', '--read-token'])('%s on the command line is refused, and not repeated', async (flag) => {
    const { status, stderr } = await runInMemory(['up', flag, 'secret']);
    expect(status).toBe(2);
    expect(stderr).toContain('--token-file');
    expect(stderr).not.toContain('secret');
  });
});
