// Tokens of the server and of its clients: from files or the environment, never from the command line.
import { readFileSync } from 'node:fs';
import type { Tokens } from '../server/authorization.ts';
import { codeOf, Failure, wrongUsage } from './failure.ts';

export interface TokenFlags {
  readonly tokenFile?: string;
  readonly readTokenFile?: string;
  /** Parsed only to refuse it with an explanation. */
  readonly token?: string;
  readonly readToken?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Fits into an HTTP header. */
const maxLength = 4096;

/** Flags take precedence over the environment, files over values. */
export function serverTokens(flags: TokenFlags, env: Env = process.env): Tokens {
  const { tokenFile, readTokenFile } = flags;
  if (flags.token !== undefined || flags.readToken !== undefined)
    throw wrongUsage(
      'Other users of this machine can read a token on the command line. Create a new token, and pass it in a file with --token-file or --read-token-file.',
    );
  const write = tokenFrom(tokenFile ?? env.LULL_TOKEN_FILE, env.LULL_TOKEN);
  const read = tokenFrom(readTokenFile ?? env.LULL_READ_TOKEN_FILE, env.LULL_READ_TOKEN);
  if (write !== undefined && write === read)
    throw wrongUsage('The read-only token is the same as the read-write token. Create another one.');
  return { ...(write !== undefined && { write }), ...(read !== undefined && { read }) };
}

/** The token that a client sends: the read-write token if there is one. */
export function clientToken(env: Env = process.env): string | undefined {
  const { write, read } = serverTokens({}, env);
  return write ?? read;
}

function tokenFrom(file: string | undefined, value: string | undefined): string | undefined {
  if (file === undefined || file === '') return checked(value?.trim(), 'LULL_TOKEN');
  const token = checked(readToken(file).trim(), file);
  if (token === undefined) throw new Failure([{ file, message: 'The file is empty. Write the token into it.' }]);
  return token;
}

function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const message = `The token cannot be read (${codeOf(error)}). Give the path of a file that contains it, not the token itself.`;
    throw new Failure([{ file, message }], { cause: error });
  }
}

function checked(token: string | undefined, where: string): string | undefined {
  if (token === undefined || token === '') return undefined;
  if (token.length > maxLength || !/^[\x20-\x7e]+$/.test(token))
    throw wrongUsage(`The token in ${where} is not one line of at most ${maxLength} ASCII characters.`);
  return token;
}
