// Requests to a real API server with Node's own client, without any code of Lull.
import { Agent, request } from 'node:https';

export interface Login {
  readonly server: string;
  readonly token: string;
  /** PEM; undefined = any certificate is accepted, for components that sign their own. */
  readonly ca?: string;
}

export interface Said {
  readonly code: number;
  readonly body: unknown;
}

interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
}

export interface Api {
  /** Any response of the server; throws if there is none. */
  ask(ask: Ask): Promise<Said>;
  /** Throws unless the response is a success. */
  must(ask: Ask): Promise<Record<string, unknown>>;
  close(): void;
}

/** A server that takes this long for one small request counts as unreachable. */
const timeout = 30_000;

export function openApi({ server, token, ca }: Login): Api {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: ca !== undefined, ...(ca && { ca }) });

  const ask = ({ method, path, body, contentType = 'application/json' }: Ask): Promise<Said> =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
      const headers = {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        ...(text !== undefined && { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }),
      };
      const sent = request(new URL(path, server), { method, headers, agent, timeout }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => resolve({ code: response.statusCode ?? 0, body: read(Buffer.concat(pieces)) }));
      });
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer for ${timeout / 1000} s`)));
      sent.on('error', reject);
      sent.end(text);
    });

  return {
    ask,
    must: async (what) => {
      const { code, body } = await ask(what);
      if (code >= 200 && code < 300) return body as Record<string, unknown>;
      throw new Error(`${what.method} ${what.path}: ${code} ${JSON.stringify(body)}`);
    },
    close: () => agent.destroy(),
  };
}

/** An error page is text. */
function read(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
