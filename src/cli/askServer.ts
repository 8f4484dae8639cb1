// HTTP client of a running Lull: one request, with errors that the user can act on.
import { isMap } from '../kinds/read/reader.ts';
import { Failure, wrongUsage } from './failure.ts';
import { usualServer } from './flags.ts';
import { clientToken } from './tokens.ts';

interface ServerQuestion {
  /** The address of the Lull. */
  readonly server: string;
  readonly path: string;
  /** Present = a POST with this as its JSON body. */
  readonly body?: unknown;
}

/** Long enough for the answer of a large cluster. */
const requestTimeout = 10_000;

export async function askServer({ server, path, body }: ServerQuestion): Promise<unknown> {
  const response = await fetchFrom(server, path, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(requestTimeout),
  });
  const text = await response.text();
  const answer = parse(text);
  if (response.ok && answer !== undefined) return answer;
  throw refusedWith(response, text);
}

/** Returns the response itself, for streams. */
export async function fetchFrom(server: string, path: string, init: RequestInit): Promise<Response> {
  const base = addressOf(server);
  const secret = clientToken();
  const headers = {
    ...(init.body !== undefined && { 'content-type': 'application/json' }),
    ...(secret && { authorization: `Bearer ${secret}` }),
  };
  try {
    return await fetch(new URL(path, base), { ...init, headers, redirect: 'error' });
  } catch (error) {
    throw new Failure([{ message: unreachable(base.origin, error) }]);
  }
}

function addressOf(server: string): URL {
  const url = URL.parse(/^https?:\/\//i.test(server) ? server : `http://${server}`);
  if (!url) throw wrongUsage(`${JSON.stringify(server)} is not a valid address: use one such as ${usualServer()}.`);
  return url;
}

/** Error codes of Node and OpenSSL for certificates. */
const untrusted = /CERT|UNABLE_TO_(GET|VERIFY)|ERR_TLS_/;

function unreachable(address: string, error: unknown): string {
  const cause = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name;
  if (untrusted.test(cause))
    return `The certificate of ${address} is not trusted (${cause}). Set NODE_EXTRA_CA_CERTS to the file of its certificate authority.`;
  const help =
    addressOf(address).hostname === '127.0.0.1'
      ? 'Start one with `lull up`, or name another address with --server or a cluster with --context.'
      : 'Check the address, and that Lull is running there.';
  // An HTTPS server closes the connection on plain HTTP.
  const scheme = cause === 'UND_ERR_SOCKET' && address.startsWith('http:') ? ' If it serves HTTPS, use https://.' : '';
  return `No Lull answers at ${address} (${cause}). ${help}${scheme}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The server reports errors as `{ "error": … }`. */
export function refusedWith({ url, status }: Response, text: string): Failure {
  const answer = parse(text);
  const error = isMap(answer) ? answer.error : undefined;
  return wrongUsage(
    typeof error === 'string'
      ? error
      : `${url} answered with status ${status}, which Lull does not do. Check the address.`,
  );
}
