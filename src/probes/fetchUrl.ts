// One bounded GET: a deadline, a limit on the answer, TLS verified, no redirect to another host (O1).
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export interface UrlRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** PEM, where the Secret of the check has them. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Codes that are an answer even if they redirect. */
  readonly accepts?: readonly number[];
  readonly signal: AbortSignal;
}

export interface UrlAnswer {
  readonly code: number;
  readonly body: string;
}

const longestAnswer = 2 ** 20;
const maxRedirects = 3;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/** Throws an Error whose message contains neither headers nor keys. */
export async function fetchUrl(wanted: UrlRequest, hops = 0): Promise<UrlAnswer> {
  const answer = await fetchOnce(wanted);
  const { location } = answer;
  if (location === undefined || !redirects.includes(answer.code) || wanted.accepts?.includes(answer.code))
    return answer;
  const [from, to] = [new URL(wanted.url), new URL(location, wanted.url)];
  if (to.host !== from.host || to.protocol !== from.protocol)
    throw new Error(`it redirects to ${to.host}, and redirects to other hosts are not followed`);
  if (hops === maxRedirects) throw new Error(`it redirects more than ${maxRedirects} times`);
  return fetchUrl({ ...wanted, url: to.href }, hops + 1);
}

function fetchOnce({ url, headers, tls, signal }: UrlRequest): Promise<UrlAnswer & { readonly location?: string }> {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((done, fail) => {
    const refuse = (error: NodeJS.ErrnoException): void =>
      fail(new Error(signal.aborted ? 'it did not answer in time' : describeError(error)));
    const sent = send(url, { headers, ...tls, signal, agent: false }, (response) => {
      readBody(response).then((body) => {
        const { statusCode: code = 0, headers: given } = response;
        done({ code, body, ...(given.location !== undefined && { location: given.location }) });
      }, refuse);
    });
    sent.on('error', refuse);
    sent.end();
  });
}

async function readBody(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response) {
    length += part.length;
    if (length > longestAnswer) {
      response.destroy();
      throw new Error('its answer is longer than 1 MiB');
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

const describeError = ({ code, message }: NodeJS.ErrnoException): string =>
  code === undefined ? message : `the request failed: ${code}`;
