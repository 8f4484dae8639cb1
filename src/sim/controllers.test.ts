// Simulated controllers: requests, crashes and restarts.
import { describe, expect, it } from 'vitest';
import type { ApiRequest, ApiResponse, ApiResponses, Pass, Reconciler, Rest } from '../runtime/port.ts';
import { after, asDuration, asInstant, between, type Instant, minute, second } from '../time/instant.ts';
import { type Crash, SimController } from './controllers.ts';
import { Random } from './random.ts';
import { VirtualClock } from './virtualClock.ts';

const start = asInstant(0);
const request = (name: string): ApiRequest => ({ verb: 'delete', kind: 'Pod', name });

interface Told {
  readonly at: Instant;
  readonly what: string;
}

/** A controller whose every pass sends requests with these names and returns this rest. */
function stage(names: readonly string[], rest: (pass: number) => Rest, crashes: readonly Crash[] = []) {
  const clock = new VirtualClock(start);
  const told: Told[] = [];
  const say = (what: string): void => {
    told.push({ at: clock.now, what });
  };
  let passes = 0;
  let wake = (): void => undefined;
  const reconciler: Reconciler = {
    *pass(): Pass {
      const pass = ++passes;
      say(`pass ${pass}`);
      for (const name of names) {
        const [answer]: ApiResponses = yield [request(name)];
        say(`${name} ${answer?.status}`);
      }
      return rest(pass);
    },
  };
  const controller = new SimController({
    clock,
    random: new Random(1),
    crashes,
    open: () => {
      say('open');
      const port = {
        view: () => {
          throw new Error('the view is not used');
        },
        send: (sent: ApiRequest): ApiResponse => {
          say(`carries out ${'name' in sent ? sent.name : ''}`);
          return { status: 'done' };
        },
        onWake: (listener: () => void) => {
          wake = listener;
        },
        close: () => say('close'),
      };
      return { port, reconciler };
    },
  });
  return { clock, controller, told, wake: () => wake(), whats: () => told.map(({ what }) => what) };
}

const quiet: Rest = { again: false };
const drain = (clock: VirtualClock): void => {
  while (clock.step());
};

describe('A controller in virtual time', () => {
  it('sends one request after another, and gets each answer before the next', () => {
    const { clock, controller, whats } = stage(['a', 'b'], () => quiet);
    controller.start();
    drain(clock);
    expect(whats()).toEqual(['open', 'pass 1', 'carries out a', 'a done', 'carries out b', 'b done']);
    expect(controller).toMatchObject({ passes: 1, requests: 2 });
  });

  it('sends a batch in an order that depends on the seed, and returns the answers in its own order', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const arrivals = [1, 2].map((seed) => {
      const clock = new VirtualClock(start);
      const arrived: string[] = [];
      const heard: string[] = [];
      const reconciler: Reconciler = {
        *pass(): Pass {
          const answers: ApiResponses = yield names.map(request);
          heard.push(...answers.map((it) => (it?.status === 'refused' ? it.message : '')));
          return quiet;
        },
      };
      const send = (sent: ApiRequest): ApiResponse => {
        const name = 'name' in sent ? sent.name : '';
        arrived.push(name);
        return { status: 'refused', code: 404, message: name };
      };
      const port = { view: () => expect.fail(), send, onWake: () => undefined, close: () => undefined };
      new SimController({ clock, random: new Random(seed), open: () => ({ port, reconciler }) }).start();
      drain(clock);
      expect(heard).toEqual(names);
      expect([...arrived].sort()).toEqual(names);
      return arrived.join('');
    });
    expect(new Set(arrivals).size).toBe(2);
  });

  it('lets others act between two requests', () => {
    const { clock, controller, told } = stage(['a', 'b'], () => quiet);
    controller.start();
    drain(clock);
    const [a, b] = ['carries out a', 'carries out b'].map((what) => told.find((it) => it.what === what)?.at as Instant);
    expect(between(a as Instant, b as Instant)).toBeGreaterThanOrEqual(3);
  });

  it('K5: gathers changes for 250 ms before a pass, and later ones do not delay it', () => {
    const { clock, controller, told, wake } = stage([], () => quiet);
    controller.start();
    drain(clock);
    clock.at(asInstant(10_000), wake);
    clock.at(asInstant(10_200), wake);
    drain(clock);
    expect(told.at(-1)).toEqual({ at: 10_250, what: 'pass 2' });
  });

  it('passes again at wakeAt', () => {
    const { clock, controller, told } = stage([], (pass) =>
      pass === 1 ? { again: false, wakeAt: asInstant(minute) } : quiet,
    );
    controller.start();
    drain(clock);
    expect(told.at(-1)).toEqual({ at: minute, what: 'pass 2' });
  });

  it('passes again for a change before wakeAt, and forgets the older wakeAt', () => {
    const rests: Rest[] = [{ again: false, wakeAt: asInstant(minute) }, quiet];
    const { clock, controller, told, wake } = stage([], (pass) => rests[pass - 1] ?? quiet);
    controller.start();
    clock.at(asInstant(second), wake);
    drain(clock);
    expect(told.slice(-1)).toEqual([{ at: 1250, what: 'pass 2' }]);
  });

  it('passes again at once if the pass asks for it, which covers a change in between', () => {
    const { clock, controller, whats, wake } = stage(['a'], (pass) => (pass === 1 ? { again: true } : quiet));
    controller.start();
    clock.at(asInstant(251), wake);
    drain(clock);
    expect(whats().filter((what) => what.startsWith('pass'))).toEqual(['pass 1', 'pass 2']);
  });

  it('passes again after a pass during which a change came', () => {
    const { clock, controller, told, wake } = stage(['a'], () => quiet);
    controller.start();
    clock.at(asInstant(251), wake);
    drain(clock);
    expect(told.filter(({ what }) => what.startsWith('pass')).map(({ at }) => at >= 500)).toEqual([false, true]);
  });
});

describe('A crash', () => {
  it.each<{ name: string; crash: Crash; whats: string[] }>([
    {
      name: 'before a request leaves it undone',
      crash: { request: 2, when: 'before' },
      whats: ['open', 'pass 1', 'carries out a', 'a done', 'close', 'open', 'pass 2'],
    },
    {
      name: 'after a request leaves it done, and the answer is lost',
      crash: { request: 2, when: 'after' },
      whats: ['open', 'pass 1', 'carries out a', 'a done', 'carries out b', 'close', 'open', 'pass 2'],
    },
  ])('G2: $name', ({ crash, whats: expected }) => {
    const { clock, controller, whats } = stage(['a', 'b'], () => quiet, [crash]);
    controller.start();
    drain(clock);
    expect(whats().slice(0, expected.length)).toEqual(expected);
  });

  it('is over after five seconds, with a new port', () => {
    const { clock, controller, told } = stage(['a'], () => quiet, [{ request: 1, when: 'before' }]);
    controller.start();
    drain(clock);
    const opened = told.filter(({ what }) => what === 'open' || what === 'close').map(({ at }) => at);
    expect(opened).toHaveLength(3);
    expect(opened[2]).toBe(after(opened[1] as Instant, asDuration(5 * second)));
  });

  it('of a controller at rest restarts it too, and nothing of the old process runs on', () => {
    const { clock, controller, told, wake } = stage([], () => ({ again: false, wakeAt: asInstant(10 * second) }));
    controller.start();
    clock.at(asInstant(second), () => controller.crash(minute));
    clock.at(asInstant(2 * second), wake);
    for (let step = 0; step < 20; step++) clock.step();
    const passes = told.filter(({ what }) => what.startsWith('pass')).map(({ at }) => at);
    expect(passes.slice(0, 2)).toEqual([250, second + minute + 250]);
  });
});
