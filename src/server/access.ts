// Who may ask? On this machine alone whoever is on it, elsewhere whoever knows the token; no page of another site on anybody's behalf.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface Denied {
  readonly status: 401 | 403 | 415;
  readonly message: string;
}

export interface Asking {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The page and what it is made of: it tells nothing, and whoever has a token needs it to say so. */
  readonly isPage?: boolean;
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

export const isLoopback = (host: string): boolean => loopback.test(host);

/** Asked by whoever keeps the program running, who has no token; they tell nothing. */
const open: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Undefined = welcome. */
export function denies(
  { method, path, headers, isPage = false }: Asking,
  token: string | undefined,
): Denied | undefined {
  if (open.has(path)) return undefined;
  if (token !== undefined && !isPage && !knows(headers.authorization, token))
    return { status: 401, message: 'This needs the token of the server: the one it was started with, in LULL_TOKEN.' };
  // A name that leads here is not enough: a page could have its own name lead to this machine (DNS rebinding).
  if (token === undefined && !isLoopback(hostOf(headers.host)))
    return { status: 403, message: 'This is for programs on this machine. Ask for 127.0.0.1 or localhost.' };
  return method === 'POST' ? deniesWrite(headers) : undefined;
}

function knows(authorization: string | undefined, token: string): boolean {
  const given = Buffer.from(/^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '');
  const wanted = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

const hostOf = (host: string | undefined): string => (host ?? '').replace(/:\d+$/, '');

/** Browsers name the page that asks, and send forms without asking first, but not JSON. */
function deniesWrite({ origin, host, ...headers }: IncomingHttpHeaders): Denied | undefined {
  const site = headers['sec-fetch-site'];
  const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
  if (!isOwn || (site !== undefined && site !== 'same-origin' && site !== 'none'))
    return { status: 403, message: 'Another site may not ask for this.' };
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    return { status: 415, message: 'Send JSON, with content-type: application/json.' };
  return undefined;
}
