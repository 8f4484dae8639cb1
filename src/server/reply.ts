// What does the server say? A status and a body, as a value; errors are JSON with one sentence.
import { escapeJson, escapeText } from '../kinds/escaping.ts';

export interface Reply {
  readonly status: number;
  readonly type: string;
  /** Bytes are sent as they are; a long text is packed for who can read that. */
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const json = 'application/json; charset=utf-8';

export const jsonText = (body: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status: 200,
  type: json,
  body: `${escapeJson(body)}\n`,
  headers,
});

export const jsonOf = (value: unknown): Reply => jsonText(JSON.stringify(value));

export const plainText = (status: number, body: string): Reply => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: escapeText(body),
});

export const errorOf = (
  status: number,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Reply => ({ status, type: json, body: `${escapeJson(JSON.stringify({ error: message, ...more }))}\n`, headers });
