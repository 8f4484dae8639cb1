// What was sent with a request? A small JSON object, or what is wrong with it.
import type { IncomingMessage } from 'node:http';

export type Body =
  | { readonly value: Readonly<Record<string, unknown>> }
  | { readonly status: 400 | 413; readonly message: string };

/** What a person can ask for is a few words. */
const largest = 64 * 1024;

export async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += (chunk as Buffer).length;
      if (size > largest) return { status: 413, message: `Send at most ${largest} bytes.` };
      chunks.push(chunk as Buffer);
    }
  } catch {
    return { status: 400, message: 'The request broke off.' };
  }
  return parse(Buffer.concat(chunks).toString('utf8'));
}

function parse(text: string): Body {
  if (text.trim() === '') return { value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> };
  } catch {
    // Told below, as for everything that is no object.
  }
  return { status: 400, message: 'Send one JSON object.' };
}
