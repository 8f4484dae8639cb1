import { describe, expect, it } from 'vitest';
import { turn } from '../../test/kube/turns.ts';
import { ClusterStore } from '../cluster/store.ts';
import { VirtualClock } from '../sim/virtualClock.ts';
import { after, asDuration, asInstant, type Instant, parseInstant } from '../time/instant.ts';
import { type LoopOptions, runLoop } from './loop.ts';
import type { ApiRequest, ApiResponse, Pass, Rest } from './port.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;
const done: ApiResponse = { status: 'done' };
const request = (name: string): ApiRequest => ({ verb: 'delete', kind: 'NodeClaim', name });

/** A reconciler that sends these requests in its first pass, and returns these rests. */
function start(parts: Partial<LoopOptions> & { rests?: Rest[]; requests?: string[]; onSend?: () => void } = {}) {
  const { rests = [], requests = [], onSend, ...options } = parts;
  const clock = new VirtualClock(noon);
  const stop = new AbortController();
  const passes: number[] = [];
  const sent: string[] = [];
  const answers: (ApiResponse | undefined)[] = [];
  let wake = (): void => undefined;
  function* pass(now: Instant): Pass {
    passes.push(now - noon);
    for (const name of requests.splice(0)) answers.push(...(yield [request(name)]));
    return rests.shift() ?? { again: false };
  }
  const view = { cluster: new ClusterStore(), unsynced: [], seen: {}, written: {} };
  const port = {
    view: () => view,
    send: async (each: ApiRequest): Promise<ApiResponse> => {
      if (each.verb !== 'commit') sent.push(each.name);
      onSend?.();
      return done;
    },
    onWake: (listener: () => void) => {
      wake = listener;
    },
  };
  const ended = runLoop({ port, reconciler: { pass }, clock, signal: stop.signal, ...options });
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  ended.then(over, over);
  /** Advances the clock by this many milliseconds and lets pending promises run after each event. */
  const during = async (milliseconds: number): Promise<void> => {
    const end = after(clock.now, asDuration(milliseconds));
    clock.at(end, () => {});
    await turn();
    while (clock.nextAt !== undefined && clock.nextAt <= end) {
      clock.step();
      await turn();
    }
  };
  return { clock, stop, passes, sent, answers, during, ended, wake: () => wake(), isOver: () => isOver };
}

describe('a loop', () => {
  it('K5: begins after it has gathered the first changes', async () => {
    const { passes, during } = start();
    await during(249);
    expect(passes).toEqual([]);
    await during(10_000);
    expect(passes).toEqual([250]);
  });

  it('sends what a pass yields, one after another, and passes the responses back', async () => {
    const { sent, answers, during } = start({ requests: ['a', 'b'] });
    await during(1000);
    expect(sent).toEqual(['a', 'b']);
    expect(answers).toEqual([done, done]);
  });

  it('looks again at once after something was done', async () => {
    const { passes, during } = start({ rests: [{ again: true }, { again: true }] });
    await during(1000);
    expect(passes).toEqual([250, 250, 250]);
  });

  it('sleeps until its wake time', async () => {
    const { passes, during } = start({ rests: [{ again: false, wakeAt: asInstant(noon + 60_000) }] });
    await during(59_999);
    expect(passes).toEqual([250]);
    await during(1);
    expect(passes).toEqual([250, 60_000]);
  });

  it('does not spin if the wake time has passed already', async () => {
    const rests = Array.from({ length: 100 }, (): Rest => ({ again: false, wakeAt: noon }));
    const { passes, during } = start({ rests });
    await during(1000);
    expect(passes).toEqual([250, 500, 750, 1000]);
  });

  it('K5: gathers changes for 250 ms; later ones do not delay the pass', async () => {
    const { passes, during, wake } = start();
    await during(1000);
    wake();
    await during(200);
    wake();
    await during(1000);
    expect(passes).toEqual([250, 1250]);
  });

  it('a change before the wake time starts a pass, which computes a new wake time', async () => {
    const later = asInstant(noon + 60_000);
    const { passes, during, wake } = start({ rests: [{ again: false, wakeAt: later }] });
    await during(1000);
    wake();
    await during(100_000);
    expect(passes).toEqual([250, 1250]);
  });

  it('a change during a pass starts another one after it', async () => {
    const loop = start({ requests: ['a'], onSend: () => loop.wake() });
    await loop.during(1000);
    expect(loop.passes).toEqual([250, 500]);
  });
});

describe('a batch of requests', () => {
  const many = (count: number): ApiRequest[] => Array.from({ length: count }, (_, index) => request(`r${index}`));

  /** One pass of one batch through a port that answers on demand. */
  async function sendBatch(batch: ApiRequest[]) {
    const clock = new VirtualClock(noon);
    const stop = new AbortController();
    const waiting: ((answer: ApiResponse) => void)[] = [];
    const heard: (readonly (ApiResponse | undefined)[])[] = [];
    function* pass(): Pass {
      if (heard.length === 0) heard.push(yield batch);
      return { again: false };
    }
    const view = { cluster: new ClusterStore(), unsynced: [], seen: {}, written: {} };
    const send = (): Promise<ApiResponse> => new Promise((answer) => waiting.push(answer));
    const port = { view: () => view, send, onWake: () => undefined };
    const ended = runLoop({ port, reconciler: { pass }, clock, signal: stop.signal });
    clock.step();
    await turn();
    const answer = async (given: ApiResponse, count = waiting.length): Promise<void> => {
      for (const say of waiting.splice(0, count)) say(given);
      await turn();
    };
    return { stop, ended, heard, answer, inFlight: () => waiting.length };
  }

  it('has 32 requests in flight at a time, and the pass continues when all are answered', async () => {
    const { answer, inFlight, heard } = await sendBatch(many(40));
    expect(inFlight()).toBe(32);
    await answer(done, 10);
    expect(inFlight()).toBe(30);
    expect(heard).toEqual([]);
    await answer(done);
    expect(heard).toEqual([many(40).map(() => done)]);
  });

  it('K2: no more are sent once one was not answered, and the unsent ones have no response', async () => {
    const away: ApiResponse = { status: 'away', message: 'gone' };
    const { answer, inFlight, heard } = await sendBatch(many(40));
    await answer(away, 1);
    await answer(done);
    expect(inFlight()).toBe(0);
    expect(heard[0]?.map((it) => it?.status)).toEqual([
      'away',
      ...Array.from({ length: 31 }, () => 'done'),
      ...Array.from({ length: 8 }, () => undefined),
    ]);
  });

  it('G3: no more are sent once it must stop; it waits for those in flight', async () => {
    const { answer, inFlight, stop, ended, heard } = await sendBatch(many(40));
    stop.abort();
    await answer(done, 31);
    expect(inFlight()).toBe(1);
    await answer(done);
    await ended;
    expect(heard).toEqual([]);
  });
});

describe('a loop that must stop', () => {
  it('ends if it sleeps', async () => {
    const { stop, during, ended, passes, clock } = start();
    await during(1000);
    stop.abort();
    await ended;
    expect(passes).toEqual([250]);
    expect(clock.nextAt).toBeUndefined();
  });

  it('G3: sends no other request', async () => {
    const loop = start({ requests: ['a', 'b', 'c'], onSend: () => loop.stop.abort() });
    await loop.during(1000);
    await loop.ended;
    expect(loop.sent).toEqual(['a']);
  });

  it('does nothing if it has not begun', async () => {
    const stop = new AbortController();
    stop.abort();
    const { ended, passes, during } = start({ signal: stop.signal });
    await during(1000);
    await ended;
    expect(passes).toEqual([]);
  });

  it('G3: sends nothing while it may not act, even without a stop', async () => {
    let mayAct = false;
    const { sent, during, passes } = start({ requests: ['a'], mayAct: () => mayAct });
    await during(1000);
    expect([sent, passes]).toEqual([[], [250]]);
    mayAct = true;
    await during(1000);
    // It looks again before it does anything: that request belonged to the round before.
    expect([sent, passes]).toEqual([[], [250, 1250]]);
  });
});

describe('a pass that throws', () => {
  const broken = (): Pass => {
    throw new Error('a defect');
  };

  it('ends the loop without an error handler', async () => {
    const { during, ended } = start({ reconciler: { pass: broken } });
    const thrown = expect(ended).rejects.toThrow('a defect');
    await during(1000);
    await thrown;
  });

  it('is reported, and the loop continues after 30 s', async () => {
    const errors: string[] = [];
    const { during, isOver } = start({
      reconciler: { pass: broken },
      onError: (error) => errors.push((error as Error).message),
    });
    await during(30_249);
    expect(errors).toEqual(['a defect']);
    await during(1);
    expect(errors).toEqual(['a defect', 'a defect']);
    expect(isOver()).toBe(false);
  });
});
