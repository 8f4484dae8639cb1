import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../sim/virtualClock.ts';
import { after, asDuration, asInstant, second } from '../time/instant.ts';
import type { ApiReply } from './apiReply.ts';
import { backoff, Flow } from './pacing.ts';

describe('a back-off', () => {
  it.each([
    { failures: 1, chance: 0, delay: 250 },
    { failures: 1, chance: 0.999, delay: 750 },
    { failures: 2, chance: 0.5, delay: 1000 },
    { failures: 4, chance: 0.5, delay: 4000 },
    { failures: 7, chance: 0.5, delay: 30_000 },
    { failures: 5000, chance: 0.5, delay: 30_000 },
    { failures: 5000, chance: 0.999, delay: 44_970 },
  ])('after $failures failures with chance $chance is $delay ms', ({ failures, chance, delay }) => {
    expect(backoff(failures, chance)).toBe(delay);
  });

  it.each([
    { name: 'is not shorter', chance: 0, delay: 10_000 },
    { name: 'is not the same for all', chance: 0.5, delay: 11_250 },
  ])('that the server asked for $name', ({ chance, delay }) => {
    expect(backoff(1, chance, asDuration(10_000))).toBe(delay);
  });
});

const fair: ApiReply = { kind: 'answer', code: 200, body: {}, isFair: true };
const throttled: ApiReply = { ...fair, code: 429, body: 'Too many requests', retryAfter: second };
const pdbSaysNo: ApiReply = {
  ...fair,
  code: 429,
  body: { message: "Cannot evict pod as it would violate the pod's disruption budget." },
  retryAfter: asDuration(10 * second),
};

let clock: VirtualClock;
let flow: Flow;
/** Those that have left, by number, with how each is answered. */
let sent: Map<number, (reply: ApiReply) => void>;
let numbers: number;

beforeEach(() => {
  clock = new VirtualClock(asInstant(0));
  flow = new Flow(clock, { perSecond: 10, burst: 3 });
  sent = new Map();
  numbers = 0;
});

const turn = (): Promise<void> => new Promise((go) => setImmediate(go));
const ask = (count: number): void => {
  for (let each = 0; each < count; each++) {
    const number = numbers++;
    void flow.send(() => new Promise((answer) => sent.set(number, answer)));
  }
};
const answer = async (reply: ApiReply, count = sent.size): Promise<void> => {
  for (const [number, say] of [...sent].slice(0, count)) {
    sent.delete(number);
    say(reply);
  }
  await turn();
};
const pass = async (milliseconds: number): Promise<void> => {
  const end = after(clock.now, asDuration(milliseconds));
  clock.at(end, () => {});
  while (clock.nextAt !== undefined && clock.nextAt <= end) {
    clock.step();
    await turn();
  }
};
/** The server is known to share itself out. */
const known = async (reply: ApiReply = fair): Promise<void> => {
  ask(1);
  await turn();
  await answer(reply);
};

describe('K2: requests to a server with priority and fairness', () => {
  it('are on their way at the same time, more after each answer, up to 32', async () => {
    await known();
    ask(200);
    await turn();
    expect(sent.size).toBe(9);
    await answer(fair);
    expect(sent.size).toBe(18);
    await answer(fair);
    expect(sent.size).toBe(32);
    expect(clock.now).toBe(0);
  });

  it('are half as many after a 429, and none before the server wants them again', async () => {
    await known();
    ask(100);
    await turn();
    await answer(throttled, 1);
    expect(sent.size).toBe(8);
    await answer(fair, 8);
    expect(sent.size).toBe(0);
    await pass(999);
    expect(sent.size).toBe(0);
    await pass(1);
    expect(sent.size).toBe(12);
  });

  it('are never fewer than one', async () => {
    await known();
    for (let each = 0; each < 10; each++) {
      ask(1);
      await pass(1000);
      await answer(throttled);
    }
    ask(5);
    await pass(1000);
    expect(sent.size).toBe(1);
  });

  it('are not held up by a PDB that forbids an eviction', async () => {
    await known();
    ask(20);
    await turn();
    await answer(pdbSaysNo, 1);
    expect(sent.size).toBe(10);
  });
});

describe('K2: requests to a server without it', () => {
  it('leave at the usual rate', async () => {
    await known({ kind: 'answer', code: 200, body: {} });
    ask(7);
    await turn();
    expect(sent.size).toBe(2);
    await pass(200);
    expect(sent.size).toBe(4);
  });
});
