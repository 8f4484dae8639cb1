// Server-sent events by fetch, which unlike EventSource can send a token; resumes after a lost connection.
import { ask, Denied, Refused } from './ask.ts';

export interface Message {
  readonly event: string;
  readonly data: unknown;
  readonly id?: string;
}

export type Link = 'connecting' | 'live' | 'lost' | 'denied';

export interface Listener {
  message(message: Message): void;
  /** `why` is the server's error message, if it sent one. */
  link(link: Link, why?: string): void;
}

const shortestWait = 500;
const longestWait = 10_000;
/** The server sends the time every second; a longer silence means that the connection is lost. */
const longestSilence = 8_000;

/** Returns a function that stops it. */
export function follow(listener: Listener): () => void {
  let stopped = false;
  let lastId: string | undefined;
  let wait = shortestWait;
  let current: AbortController | undefined;

  const once = async (): Promise<void> => {
    current = new AbortController();
    const response = await ask('/api/events', {
      signal: current.signal,
      ...(lastId !== undefined && { headers: { 'last-event-id': lastId } }),
    });
    listener.link('live');
    wait = shortestWait;
    const abort = current;
    let silence = setTimeout(() => abort.abort(), longestSilence);
    try {
      for await (const message of messages(response)) {
        clearTimeout(silence);
        silence = setTimeout(() => abort.abort(), longestSilence);
        if (message.event === 'reset') lastId = undefined;
        if (message.id !== undefined) lastId = message.id;
        listener.message(message);
      }
    } finally {
      clearTimeout(silence);
    }
  };

  const run = async (): Promise<void> => {
    listener.link('connecting');
    while (!stopped) {
      let why: string | undefined;
      try {
        await once();
      } catch (error) {
        if (error instanceof Denied) {
          listener.link('denied');
          return;
        }
        why = error instanceof Refused ? error.message : undefined;
      }
      if (stopped) return;
      listener.link('lost', why);
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(longestWait, wait * 2);
    }
  };
  void run();
  return () => {
    stopped = true;
    current?.abort();
  };
}

async function* messages(response: Response): AsyncGenerator<Message> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const message = parse(part);
      if (message) yield message;
    }
  }
}

/** Undefined for comments, which only keep the connection open. */
export function parse(text: string): Message | undefined {
  const fields = new Map(
    text.split('\n').map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)] as const;
    }),
  );
  const [event, data, id] = [fields.get('event'), fields.get('data'), fields.get('id')];
  if (event === undefined || data === undefined) return undefined;
  return { event, data: JSON.parse(data), ...(id !== undefined && { id }) };
}
