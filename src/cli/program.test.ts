// Tests of exit statuses, usage errors, help and colours.
import { describe, expect, it } from 'vitest';
import { runInMemory } from '../../test/inMemory.ts';
import { asDuration } from '../time/instant.ts';
import { wantsColor } from './io.ts';
import { run } from './program.ts';

const stackTrace = /\n\s+at /;

describe('L7: wrong usage exits with 2 and prints a helpful error to stderr only', () => {
  it.each([
    { name: 'an unknown command', argv: ['decid'], says: "unknown command 'decid'. Did you mean decide?" },
    { name: 'an unknown option', argv: ['decide', '--fil', 'x'], says: "unknown option '--fil'. Did you mean --file?" },
    { name: 'no input', argv: ['decide'], says: 'Name files with -f' },
    { name: 'an argument too many', argv: ['settings', 'x'], says: 'too many arguments' },
    { name: 'an unknown form', argv: ['decide', '-f', '-', '-o', 'xml'], says: 'text, json, yaml' },
    { name: 'a bad instant', argv: ['decide', '-f', '-', '--at', 'noon'], says: 'RFC 3339 such as' },
    {
      name: 'a date that does not exist',
      argv: ['decide', '-f', '-', '--at', '2026-02-30T00:00:00Z'],
      says: 'RFC 3339',
    },
    { name: 'an unknown setting', argv: ['decide', '-f', '-', '--set', 'rol=guide'], says: 'Did you mean role?' },
    { name: 'a setting far from any', argv: ['settings', '--set', 'colour=red'], says: 'Known settings: role, pools' },
    { name: 'a bad value of a setting', argv: ['settings', '--set', 'role=boss'], says: 'observe, guide or drive' },
    { name: 'a pair without =', argv: ['settings', '--set', 'role'], says: 'key=value' },
    { name: 'a settings file that is not there', argv: ['settings', '--settings', '/nope.yaml'], says: 'No such file' },
    { name: 'an option without its value', argv: ['decide', '-f'], says: 'argument missing' },
  ])('$name', async ({ argv, says }) => {
    const { status, stdout, stderr } = await runInMemory(argv, { stdin: 'kind: Pod' });
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(says);
    expect(stderr).toMatch(/^(lull|\/nope.yaml): [^\n]+\n$/);
    expect(stderr).not.toMatch(stackTrace);
  });

  it('in JSON if that is the output format, however the option is written', async () => {
    for (const form of [['-o', 'json'], ['-ojson'], ['--output', 'json'], ['--output=json']]) {
      const { status, stdout, stderr } = await runInMemory(['decide', '--unheard', ...form]);
      expect(status).toBe(2);
      expect(stdout).toBe('');
      expect(JSON.parse(stderr)).toEqual({ errors: [{ message: "unknown option '--unheard'" }] });
    }
  });

  it.each([
    { debug: false, boom: 'boom', says: /^lull: internal error: boom; please report it together with the input\n$/ },
    { debug: true, boom: 'boom', says: /^lull: internal error: boom; [^\n]+\nTypeError: boom\n\s+at / },
    {
      debug: true,
      boom: 'a\nlull: all is well\u001b[2J',
      says: /^lull: [^\n]+\nTypeError: a\\nlull: all is well\\x1b\[2J\n\s+at /,
    },
  ])('an internal error is one line, with a stack only in debug mode: $debug', async ({ debug, boom, says }) => {
    let stderr = '';
    const status = await run(['when', '0 0 * * *'], {
      stdin: async () => new Uint8Array(),
      stdout: () => undefined,
      stderr: (text) => {
        stderr += text;
      },
      now: () => {
        throw new TypeError(boom);
      },
      localZone: () => 'UTC',
      localOffset: () => asDuration(0),
      width: 100,
      color: false,
      version: '1.2.3',
      debug,
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(says);
    expect(stderr).not.toContain('\u001b');
  });
});

describe('L7: help and version exit with 0', () => {
  it.each([
    { argv: ['--help'], says: 'Commands:' },
    { argv: ['help', 'decide'], says: 'kubectl get nodes,pods' },
    { argv: ['decide', '--help'], says: 'Examples:' },
    { argv: ['when', '--help'], says: 'Europe/Berlin' },
    { argv: ['settings', '--help'], says: '--set role=guide' },
    { argv: ['version'], says: 'lull 1.2.3' },
    { argv: ['--version'], says: 'lull 1.2.3' },
  ])('$argv', async ({ argv, says }) => {
    const { status, stdout, stderr } = await runInMemory(argv);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(says);
  });
});

describe('colour', () => {
  it.each([
    { env: {}, terminal: true, want: true },
    { env: {}, terminal: false, want: false },
    { env: { NO_COLOR: '1' }, terminal: true, want: false },
    { env: { TERM: 'dumb' }, terminal: true, want: false },
    { env: { FORCE_COLOR: '1' }, terminal: false, want: true },
    { env: { FORCE_COLOR: '0' }, terminal: true, want: false },
    { env: { FORCE_COLOR: '1', NO_COLOR: '1' }, terminal: false, want: true },
  ])('$env on a terminal: $terminal = $want', ({ env, terminal, want }) => {
    expect(wantsColor(env, terminal)).toBe(want);
  });
});
