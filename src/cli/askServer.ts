// What does a running Lull answer? The client's side of src/server: one request, and an error a person can act on.
import { Failure, wrongUsage } from './failure.ts';
import type { Io } from './io.ts';
import { clientToken } from './tokens.ts';

/** Where `lull up` listens unless it is told otherwise. */
export const usualPort = 7727;
/** The same where LULL_PORT says another. */
export const usualServer = ({ port = usualPort }: Pick<Io, 'port'> = {}): string => `http://127.0.0.1:${port}`;

export interface Ask {
  /** Its address. */
  readonly server: string;
  readonly path: string;
  /** Present = a POST with this as its JSON body. */
  readonly body?: unknown;
}

/** Long enough for a large cluster, and short enough for a person. */
const patience = 10_000;

export async function askServer({ server, path, body }: Ask): Promise<unknown> {
  const response = await fetchFrom(server, path, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(patience),
  });
  const text = await response.text();
  const answer = parse(text);
  if (response.ok && answer !== undefined) return answer;
  throw wrongUsage(messageOf(answer) ?? `${response.url} answers ${response.status}, which is not what a Lull says.`);
}

/** The response itself, for what has no end. */
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
  if (!url) throw wrongUsage(`${server} is no address. Give one such as ${usualServer()}.`);
  return url;
}

/** As Node and OpenSSL name what is wrong with a certificate. */
const untrusted = /CERT|UNABLE_TO_(GET|VERIFY)|ERR_TLS_/;

function unreachable(address: string, error: unknown): string {
  const cause = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name;
  if (untrusted.test(cause))
    return `The certificate of ${address} is not trusted (${cause}). Name the file of its certificate authority in NODE_EXTRA_CA_CERTS.`;
  const help =
    addressOf(address).hostname === '127.0.0.1'
      ? 'Start one with `lull up`, or name another with --server, or a cluster with --context.'
      : 'Check the address, and that a Lull runs there.';
  // A server that speaks HTTPS hangs up on plain HTTP.
  const scheme = cause === 'UND_ERR_SOCKET' && address.startsWith('http:') ? ' If it serves HTTPS, say https://.' : '';
  return `No Lull answers at ${address} (${cause}). ${help}${scheme}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The server says what is wrong as `{ "error": … }`. */
function messageOf(answer: unknown): string | undefined {
  const error = (answer as { error?: unknown } | undefined)?.error;
  return typeof error === 'string' ? error : undefined;
}
