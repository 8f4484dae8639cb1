// Requests to the server, with the token; error responses become errors with the server's message.
import { signal } from '@preact/signals';

/** The server requires a token, or another one. */
export class Denied extends Error {}
/** The server refused the request with a message. */
export class Refused extends Error {}

const storageKey = 'lull-token';

/** Kept while the tab is open. */
const token = signal(readToken());

function readToken(): string {
  try {
    return sessionStorage.getItem(storageKey) ?? '';
  } catch {
    // Without storage the token is kept until the page is reloaded.
    return '';
  }
}

export function giveToken(given: string): void {
  token.value = given;
  try {
    sessionStorage.setItem(storageKey, given);
  } catch {
    // As above.
  }
}

export const hasToken = (): boolean => token.value !== '';

export const ownHeaders = (): Record<string, string> =>
  token.value === '' ? {} : { authorization: `Bearer ${token.value}` };

export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, ...ownHeaders() };
  const response = await fetch(path, { ...init, headers });
  if (response.status === 401) throw new Denied('The server requires a token.');
  if (!response.ok) {
    const body = (await response.json().catch(() => ({}))) as { error?: string };
    throw new Refused(body.error ?? `The server returned status ${response.status}.`);
  }
  return response;
}

export const askJson = async (path: string, init: RequestInit = {}): Promise<unknown> => (await ask(path, init)).json();
