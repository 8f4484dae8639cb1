// Who may ask what: programs on this machine, or holders of a token; no page of another site on a visitor's behalf.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface Denied {
  readonly status: 401 | 403 | 415;
  readonly message: string;
}

export interface Asking {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The page and what it is made of. It shows nothing of the cluster, and a visitor needs it to give a token. */
  readonly isPage?: boolean;
}

/** `write` may read as well. Without either, programs on this machine may do both. */
export interface Tokens {
  readonly write?: string;
  readonly read?: string;
}

/** What a request may do. */
export type Access = 'read' | 'write';

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

export const isLoopback = (host: string): boolean => loopback.test(host);

export const hasTokens = ({ write, read }: Tokens): boolean => write !== undefined || read !== undefined;

/** Probes have no token; these answer with a few words. */
const open: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Undefined = allowed. */
export function denies(asking: Asking, tokens: Tokens): Denied | undefined {
  const { method, path, headers, isPage = false } = asking;
  if (isForeign(asking)) return { status: 403, message: 'Pages of other sites may not ask this server.' };
  if (open.has(path)) return undefined;
  const access = accessOf(headers.authorization, tokens);
  if (access === undefined && !isPage)
    return {
      status: 401,
      message:
        'This server needs a token. Commands take it from the file named in LULL_READ_TOKEN_FILE (may read) or LULL_TOKEN_FILE (may also pause, resume and pass turns).',
    };
  // A page could have its own name resolve to this machine (DNS rebinding), so the name must be this machine's.
  if (!hasTokens(tokens) && !isLoopback(hostOf(headers.host)))
    return { status: 403, message: 'This is for programs on this machine. Ask for 127.0.0.1 or localhost.' };
  return method === 'POST' ? deniesWrite(headers, access, tokens) : undefined;
}

/** What these credentials allow; undefined = nothing. Both tokens are always compared, each in constant time. */
export function accessOf(authorization: string | undefined, tokens: Tokens): Access | undefined {
  if (!hasTokens(tokens)) return 'write';
  const given = /^Bearer +(.+?) *$/i.exec(authorization ?? '')?.[1];
  const [isWrite, isRead] = [tokens.write, tokens.read].map((token) => isSame(given ?? '', token ?? ''));
  if (given === undefined) return undefined;
  if (tokens.write !== undefined && isWrite) return 'write';
  return tokens.read !== undefined && isRead ? 'read' : undefined;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const isSame = (given: string, wanted: string): boolean => timingSafeEqual(digest(given), digest(wanted));

const hostOf = (host: string | undefined): string => (host ?? '').replace(/:\d+$/, '');

/** Browsers name the site that asks. Following a link from elsewhere to the page itself is allowed, and nothing more. */
function isForeign({ method, headers, isPage }: Asking): boolean {
  const { origin, host } = headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return true;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return !(isPage && isLink && method === 'GET');
}

/** Browsers send forms to other sites without asking first, but not JSON. */
function deniesWrite(headers: IncomingHttpHeaders, access: Access | undefined, tokens: Tokens): Denied | undefined {
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
