// Authorizes requests: programs on this machine, or clients with a token; never pages of another site (CSRF).
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface Denial {
  readonly status: 401 | 403 | 415;
  readonly message: string;
}

export interface RequestInfo {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** A file of the dashboard. It contains nothing about the cluster, and the user needs it to enter a token. */
  readonly isPage?: boolean;
}

/** `write` may read as well. Without tokens, programs on this machine may do both. */
export interface Tokens {
  readonly write?: string;
  readonly read?: string;
}

/** What a client may do. */
export type ClientAccess = 'read' | 'write';

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

export const isLoopback = (host: string): boolean => loopback.test(host);

export const hasTokens = ({ write, read }: Tokens): boolean => write !== undefined || read !== undefined;

/** Open without a token, for probes. */
const open: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Undefined if the request is allowed. */
export function denies(request: RequestInfo, tokens: Tokens): Denial | undefined {
  const { method, path, headers, isPage = false } = request;
  if (isForeign(request)) return { status: 403, message: 'Requests from pages of other sites are not allowed.' };
  if (open.has(path)) return undefined;
  const access = accessOf(headers.authorization, tokens);
  if (access === undefined && !isPage)
    return {
      status: 401,
      message:
        'This server needs a token. Commands take it from the file named in LULL_READ_TOKEN_FILE (may read) or LULL_TOKEN_FILE (may also pause, resume and pass turns).',
    };
  // Against DNS rebinding: a page of another site may let its name resolve to this machine, so check the host name.
  if (!hasTokens(tokens) && !isLoopback(hostOf(headers.host)))
    return {
      status: 403,
      message: 'Without a token, only programs on this machine are allowed. Use 127.0.0.1 or localhost.',
    };
  return method === 'POST' ? deniesWrite(headers, access, tokens) : undefined;
}

/** What the credentials allow; undefined for nothing. Always compares both tokens, each in constant time. */
export function accessOf(authorization: string | undefined, tokens: Tokens): ClientAccess | undefined {
  if (!hasTokens(tokens)) return 'write';
  const token = /^Bearer +(.+?) *$/i.exec(authorization ?? '')?.[1];
  const [isWrite, isRead] = [tokens.write, tokens.read].map((expected) => isSame(token ?? '', expected ?? ''));
  if (token === undefined) return undefined;
  if (tokens.write !== undefined && isWrite) return 'write';
  return tokens.read !== undefined && isRead ? 'read' : undefined;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const hostOf = (host: string | undefined): string => (host ?? '').replace(/:\d+$/, '');

/** Whether a browser sends the request for another site. Only following a link to the dashboard is allowed. */
function isForeign({ method, headers, isPage }: RequestInfo): boolean {
  const { origin, host } = headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return true;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return !(isPage && isLink && method === 'GET');
}

/** Requires JSON: browsers send forms, but not JSON, to other sites without a CORS preflight. */
function deniesWrite(
  headers: IncomingHttpHeaders,
  access: ClientAccess | undefined,
  tokens: Tokens,
): Denial | undefined {
  if (access !== 'write')
    return {
      status: 403,
      message:
        tokens.write === undefined
          ? 'This server is read-only: it was started without a read-write token.'
          : 'This token may only read. To pause, resume or pass a turn, use the read-write token.',
    };
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    return { status: 415, message: 'Send JSON, with content-type: application/json.' };
  return undefined;
}
