// The client of an API server: one connection pool; responses and their absence are values, and nothing is retried.
import type { Clock, Timer } from '../runtime/clock.ts';
import { asDuration, between, type Duration, second } from '../time/instant.ts';
import type { ApiReply } from './apiReply.ts';
import type { ClusterAccess, Identity } from './clusterAccess.ts';
import { asReply, type Call, openWire, readBody, readStream, type StreamEnd, type StreamListener } from './exchange.ts';

export type { Call, StreamEnd } from './exchange.ts';

export interface ClientStream {
  readonly end: Promise<StreamEnd>;
  /** Breaks it off. No line is delivered after this. */
  cut(why: string): void;
}

interface StreamCall extends Call {
  /** A stream without data for this long is dead, whatever the state of the connection. */
  readonly idle: Duration;
}

export interface Client {
  request(call: Call): Promise<ApiReply>;
  stream(call: StreamCall, listener: StreamListener): ClientStream;
  close(): void;
}

const answerWithin = asDuration(30 * second);

export function openClient(access: ClusterAccess, clock: Clock, userAgent = 'lull'): Client {
  const wire = openWire(access, userAgent);

  async function request(call: Call): Promise<ApiReply> {
    const reply = await requestOnce(call);
    // 401: nothing was carried out. Retry if newer credentials are available.
    const isUnknown = reply.kind === 'answer' && reply.code === 401;
    return isUnknown && access.forget() ? requestOnce(call) : reply;
  }

  async function requestOnce(call: Call): Promise<ApiReply> {
    const identity = await identify(access);
    if ('failure' in identity) return { kind: 'silence', message: identity.failure };
    if (call.mayLeave?.() === false) return { kind: 'silence', message: 'Lull may not act any more.' };
    return new Promise<ApiReply>((resolve) => {
      const { over, cut } = wire.exchange(call, identity, (response) => {
        void readBody(response, cut).then((body) => {
          if (body !== undefined) resolve(asReply(response, body));
        });
      });
      const timeout = call.timeout ?? answerWithin;
      const timer = clock.in(timeout, () => cut(`No answer within ${timeout / second} s.`));
      void over.then((message) => {
        timer.cancel();
        // For a complete response this comes too late to matter.
        setImmediate(() => resolve({ kind: 'silence', message }));
      });
    });
  }

  function stream(call: StreamCall, listener: StreamListener): ClientStream {
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
          pulse.expect(call.idle, () => open.cut(`No data for ${call.idle / second} s.`));
          const heard = (): void => pulse.beat();
          void readStream({ response, cut: open.cut, heard, listener, isCut: () => isCut }).then((ended) => {
            if (ended?.kind === 'refused' && ended.code === 401) access.forget();
            if (ended) resolve(ended);
          });
        });
        cut = open.cut;
        pulse.expect(call.timeout ?? answerWithin, () => open.cut('No answer to the stream request.'));
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

async function identify(access: ClusterAccess): Promise<Identity | { readonly failure: string }> {
  try {
    return await access.identify();
  } catch (error) {
    return { failure: `No credentials: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Detects that nothing was received for too long. One timer, however often something is received. */
class Pulse {
  readonly #clock: Clock;
  #heardAt;
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#heardAt = clock.now;
  }

  beat(): void {
    this.#heardAt = this.#clock.now;
  }

  expect(within: Duration, onSilence: () => void): void {
    this.beat();
    this.#wait(within, within, onSilence);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #wait(left: Duration, within: Duration, onSilence: () => void): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.in(left, () => {
      const silent = between(this.#heardAt, this.#clock.now);
      if (silent >= within) onSilence();
      else this.#wait(asDuration(within - silent), within, onSilence);
    });
  }
}
