// The API server's reply to a request: its meaning by code, and its message.
import { isMap, type Json } from '../kinds/read/reader.ts';
import type { Duration } from '../time/instant.ts';

/** Silence: no answer, or none that could be parsed. The request may or may not have been carried out. */
export type ApiReply =
  | {
      readonly kind: 'answer';
      readonly code: number;
      readonly body: unknown;
      readonly retryAfter?: Duration;
      /** The server uses API priority and fairness: clients need not limit themselves. */
      readonly isFair?: true;
    }
  | { readonly kind: 'silence'; readonly message: string };

export const isDone = (reply: ApiReply): boolean => reply.kind === 'answer' && reply.code >= 200 && reply.code < 300;

export const isNotFound = (reply: ApiReply): boolean => reply.kind === 'answer' && reply.code === 404;

/** Whether the server did not answer, or may answer differently later. */
export const isAway = (reply: ApiReply): boolean => reply.kind === 'silence' || reply.code >= 500 || reply.code === 429;

/** The object in a successful answer. */
export const bodyOf = (reply: ApiReply): Json | undefined =>
  reply.kind === 'answer' && isDone(reply) && isMap(reply.body) ? reply.body : undefined;

/** The message of a Status. */
export function messageOf(body: unknown): string {
  if (isMap(body) && typeof body.message === 'string' && body.message !== '') return body.message;
  return typeof body === 'string' && body !== '' ? body : 'The server gives no reason.';
}

/** For a refusal or silence. */
export const sayReply = (reply: ApiReply): string =>
  reply.kind === 'silence' ? reply.message : `${reply.code}: ${messageOf(reply.body)}`;

/** 410: the requested version is no longer available. Old servers only give the reason. */
export const isExpired = (code: number, body?: unknown): boolean =>
  code === 410 || (isMap(body) && (body.reason === 'Expired' || body.reason === 'Gone'));

/** No permission. */
export const forbidden = 403;
/** Of a list: the server does not serve the kind. */
export const unknownKind = 404;
