// How does one call get there, and its answer back? Over one pool of connections; whatever goes wrong on the way is told in the end, and never thrown.
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { asDuration, type Duration, second } from '../time/instant.ts';
import { type Access, type Identity, keepsSecrets } from './access.ts';
import { impersonationHeaders } from './impersonation.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Of the body. */
  readonly contentType?: string;
  /** How long an answer may take. */
  readonly timeout?: Duration;
  /** Asked just before it leaves, when its credentials are there. False = it does not, and nothing was asked for. */
  readonly mayLeave?: () => boolean;
}

export interface Exchange {
  /** When nothing more comes, and why if that was too soon. */
  readonly over: Promise<string>;
  cut(why: string): void;
}

export interface Wire {
  /** `take` gets the answer once its head is here. */
  exchange(call: Call, identity: Identity, take: (response: IncomingMessage) => void): Exchange;
  close(): void;
}

/** Half-open connections are found by the operating system as well. */
const probeAfter = asDuration(30 * second);

export function openWire(access: Access, userAgent: string): Wire {
  const isSecure = access.server.protocol === 'https:';
  const agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true, keepAliveMsecs: probeAfter });
  const root = access.server.pathname.replace(/\/$/, '');
  const actsAs = access.actsAs && impersonationHeaders(access.actsAs);

  function begin({ method, path, query, contentType }: Call, identity: Identity, body?: Buffer): ClientRequest {
    const { authorization, ...certificate } = identity;
    if (authorization !== undefined && !keepsSecrets(access.server))
      throw new Error(`Credentials are not sent to ${access.server.origin}: it is not encrypted.`);
    const said = body !== undefined && {
      'content-type': contentType ?? 'application/json',
      'content-length': body.length,
    };
    return (isSecure ? requestHttps : requestHttp)({
      agent,
      method,
      hostname: access.server.hostname.replace(/^\[|\]$/g, ''),
      port: access.server.port,
      path: `${root}${path}${query ? `?${new URLSearchParams(query)}` : ''}`,
      headers: {
        accept: 'application/json',
        'user-agent': userAgent,
        ...(authorization && { authorization }),
        ...actsAs,
        ...said,
      },
      ...(isSecure && { ...access.tls, ...certificate }),
    });
  }

  return {
    exchange: (call, identity, take) => {
      // As bytes: joined with text, Node would write the headers in the text's encoding.
      const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
      try {
        const request = begin(call, identity, body);
        const exchange = follow(request, take);
        request.end(body);
        return exchange;
      } catch (error) {
        // A token with a line break, a certificate that is none: Node says so before it sends anything.
        return { over: Promise.resolve(error instanceof Error ? error.message : String(error)), cut: () => undefined };
      }
    },
    close: () => agent.destroy(),
  };
}

function follow(request: ClientRequest, take: (response: IncomingMessage) => void): Exchange {
  let isOver = false;
  let cutFor: string | undefined;
  const over = new Promise<string>((resolve) => {
    const finish = (why: string): void => {
      isOver = true;
      resolve(cutFor ?? why);
    };
    request.on('error', ({ message }) => finish(message));
    request.on('close', () => finish('The connection was closed before the answer was whole.'));
  });
  request.on('socket', (socket) => socket.setKeepAlive(true, probeAfter));
  request.on('response', (response) => {
    // Its errors are told by the request's end as well; unheard they would end the process.
    response.on('error', () => undefined);
    if (!isOver) take(response);
  });
  const cut = (why: string): void => {
    cutFor ??= why;
    request.destroy();
  };
  return { over, cut };
}
