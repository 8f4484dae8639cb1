// What does the server say in words? The message of a Status, or what stands in for one.
import { isMap } from '../kinds/reader.ts';

export function messageOf(body: unknown): string {
  if (isMap(body) && typeof body.message === 'string' && body.message !== '') return body.message;
  return typeof body === 'string' && body !== '' ? body : 'The server gives no reason.';
}

/** 410: what was asked for is no longer remembered. Old servers say it with a reason only. */
export const isExpired = (code: number, body?: unknown): boolean =>
  code === 410 || (isMap(body) && (body.reason === 'Expired' || body.reason === 'Gone'));
