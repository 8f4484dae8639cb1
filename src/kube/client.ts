// How is the API server spoken to? One pool of connections; what it says is a value, and so is its silence. Nothing here tries again.
import type { Clock } from '../runtime/clock.ts';
import { asDuration, type Duration, second } from '../time/instant.ts';
import type { Access, Identity } from './access.ts';
import { type Call, openWire } from './exchange.ts';
import { Pulse } from './pulse.ts';
import { asReply, type Listener, type Reply, readBody, readStream, type StreamEnd } from './response.ts';

export type { Call } from './exchange.ts';
export type { Reply, StreamEnd } from './response.ts';

export interface Stream {
  readonly end: Promise<StreamEnd>;
  /** Breaks it off. No line comes after this. */
  cut(why: string): void;
}

export interface StreamCall extends Call {
  /** A stream in which nothing was heard for this long is dead, whatever the connection says. */
  readonly idle: Duration;
}

export interface Client {
  request(call: Call): Promise<Reply>;
  stream(call: StreamCall, listener: Listener): Stream;
  close(): void;
}

const answerWithin = asDuration(30 * second);

export function openClient(access: Access, clock: Clock, userAgent = 'lull'): Client {
  const wire = openWire(access, userAgent);

  async function request(call: Call): Promise<Reply> {
    const reply = await requestOnce(call);
    // 401 = nothing was carried out: whoever has a newer name may say it.
    const isUnknown = reply.kind === 'answer' && reply.code === 401;
    return isUnknown && access.forget() ? requestOnce(call) : reply;
  }

  async function requestOnce(call: Call): Promise<Reply> {
    const identity = await identify(access);
    if ('failure' in identity) return { kind: 'silence', message: identity.failure };
    if (call.mayLeave?.() === false) return { kind: 'silence', message: 'It may not act any more.' };
    return new Promise<Reply>((resolve) => {
      const { over, cut } = wire.exchange(call, identity, (response) => {
        void readBody(response, cut).then((body) => {
          if (body !== undefined) resolve(asReply(response, body));
        });
      });
      const timeout = call.timeout ?? answerWithin;
      const timer = clock.in(timeout, () => cut(`No answer within ${timeout / second} s.`));
      void over.then((message) => {
        timer.cancel();
        // Of an answer that is whole this comes too late to be heard.
        setImmediate(() => resolve({ kind: 'silence', message }));
      });
    });
  }

  function stream(call: StreamCall, listener: Listener): Stream {
    let cutEarly: string | undefined;
    let cut = (why: string): void => {
      cutEarly ??= why;
    };
    let isCut = false;
    const end = (async (): Promise<StreamEnd> => {
      const identity = await identify(access);
      if ('failure' in identity) return { kind: 'broken', message: identity.failure };
      if (cutEarly !== undefined) return { kind: 'broken', message: cutEarly };
      return new Promise((resolve) => {
        const pulse = new Pulse(clock);
        const open = wire.exchange(call, identity, (response) => {
          pulse.expect(call.idle, () => open.cut(`Nothing was heard for ${call.idle / second} s.`));
          const heard = (): void => pulse.beat();
          void readStream({ response, cut: open.cut, heard, listener, isCut: () => isCut }).then((ended) => {
            if (ended?.kind === 'refused' && ended.code === 401) access.forget();
            if (ended) resolve(ended);
          });
        });
        cut = open.cut;
        pulse.expect(call.timeout ?? answerWithin, () => open.cut('No answer to the call for a stream.'));
        void open.over.then((message) => {
          pulse.stop();
          setImmediate(() => resolve({ kind: 'broken', message }));
        });
      });
    })();
    return {
      end,
      cut: (why) => {
        isCut = true;
        cut(why);
      },
    };
  }

  return { request, stream, close: wire.close };
}

async function identify(access: Access): Promise<Identity | { readonly failure: string }> {
  try {
    return await access.identify();
  } catch (error) {
    return { failure: `No credentials: ${error instanceof Error ? error.message : String(error)}` };
  }
}
