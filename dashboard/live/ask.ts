// How is the server asked? With the token, where it wants one; what it says against it becomes an error with its sentence.
import { signal } from '@preact/signals';

/** It wants a token, or another one. */
export class Denied extends Error {}
/** It is there and says no, in a sentence. */
export class Refused extends Error {}

const place = 'lull-token';

/** For as long as the tab is open. */
const token = signal(readToken());

function readToken(): string {
  try {
    return sessionStorage.getItem(place) ?? '';
  } catch {
    // A browser that stores nothing still shows everything.
    return '';
  }
}

export function giveToken(given: string): void {
  token.value = given;
  try {
    sessionStorage.setItem(place, given);
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
  if (response.status === 401) throw new Denied('The server wants a token.');
  if (!response.ok) {
    const told = (await response.json().catch(() => ({}))) as { error?: string };
    throw new Refused(told.error ?? `The server answers ${response.status}.`);
  }
  return response;
}

export const askJson = async (path: string, init: RequestInit = {}): Promise<unknown> => (await ask(path, init)).json();
