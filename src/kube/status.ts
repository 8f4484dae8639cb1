// What does the server say in words? The message of a Status, or what stands in for one.
import { isMap } from '../kinds/reader.ts';
import type { Reply } from './client.ts';

export function messageOf(body: unknown): string {
  if (isMap(body) && typeof body.message === 'string' && body.message !== '') return body.message;
  return typeof body === 'string' && body !== '' ? body : 'The server gives no reason.';
}

/** For a no, or for silence. */
export const sayReply = (reply: Reply): string =>
  reply.kind === 'silence' ? reply.message : `${reply.code}: ${messageOf(reply.body)}`;

/** 410: what was asked for is no longer remembered. Old servers say it with a reason only. */
export const isExpired = (code: number, body?: unknown): boolean =>
  code === 410 || (isMap(body) && (body.reason === 'Expired' || body.reason === 'Gone'));

/** No right to it, in the words that a fault begins with. */
export const isRefused = (fault: string): boolean => fault.startsWith('403:');
