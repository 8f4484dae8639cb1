import { describe, expect, it } from 'vitest';
import type { Answer, Answers, Pass, Request, Rest, Tenant } from '../../runtime/port.ts';
import { after, asDuration, asInstant, between, type Instant, minute, second } from '../../time/instant.ts';
import { Clock } from '../clock.ts';
import { Random } from '../random.ts';
import { type Crash, Pump } from './pump.ts';

const start = asInstant(0);
const request = (name: string): Request => ({ verb: 'delete', kind: 'Pod', name });

interface Told {
  readonly at: Instant;
  readonly what: string;
}

/** A tenant that sends these names in every pass, and rests so. */
function stage(names: readonly string[], rest: (pass: number) => Rest, crashes: readonly Crash[] = []) {
  const clock = new Clock(start);
  const told: Told[] = [];
  const say = (what: string): void => {
    told.push({ at: clock.now, what });
  };
  let passes = 0;
  let wake = (): void => undefined;
  const tenant: Tenant = {
    *pass(): Pass {
      const pass = ++passes;
      say(`pass ${pass}`);
      for (const name of names) {
        const [answer]: Answers = yield [request(name)];
        say(`${name} ${answer?.status}`);
      }
      return rest(pass);
    },
  };
  const pump = new Pump({
    clock,
    random: new Random(1),
    crashes,
    open: () => {
      say('open');
      const port = {
        view: () => {
          throw new Error('nobody looks');
        },
        send: (sent: Request): Answer => {
          say(`carries out ${'name' in sent ? sent.name : ''}`);
          return { status: 'done' };
        },
        onWake: (listener: () => void) => {
          wake = listener;
        },
        close: () => say('close'),
      };
      return { port, tenant };
    },
  });
  return { clock, pump, told, wake: () => wake(), whats: () => told.map(({ what }) => what) };
}

const quiet: Rest = { again: false };
const drain = (clock: Clock): void => {
  while (clock.step());
};

describe('A controller in virtual time', () => {
  it('sends one request after another, and gets each answer before it goes on', () => {
    const { clock, pump, whats } = stage(['a', 'b'], () => quiet);
    pump.start();
    drain(clock);
    expect(whats()).toEqual(['open', 'pass 1', 'carries out a', 'a done', 'carries out b', 'b done']);
    expect(pump).toMatchObject({ passes: 1, requests: 2 });
  });

  it('sends a batch in any order, the same for the same seed, and gives the answers back in its own', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const arrivals = [1, 2].map((seed) => {
      const clock = new Clock(start);
      const arrived: string[] = [];
      const heard: string[] = [];
      const tenant: Tenant = {
        *pass(): Pass {
          const answers: Answers = yield names.map(request);
          heard.push(...answers.map((it) => (it?.status === 'refused' ? it.message : '')));
          return quiet;
        },
      };
      const send = (sent: Request): Answer => {
        const name = 'name' in sent ? sent.name : '';
        arrived.push(name);
        return { status: 'refused', code: 404, message: name };
      };
      const port = { view: () => expect.fail(), send, onWake: () => undefined, close: () => undefined };
      new Pump({ clock, random: new Random(seed), open: () => ({ port, tenant }) }).start();
      drain(clock);
      expect(heard).toEqual(names);
      expect([...arrived].sort()).toEqual(names);
      return arrived.join('');
    });
    expect(new Set(arrivals).size).toBe(2);
  });

  it('lets others act between two requests', () => {
    const { clock, pump, told } = stage(['a', 'b'], () => quiet);
    pump.start();
    drain(clock);
    const [a, b] = ['carries out a', 'carries out b'].map((what) => told.find((it) => it.what === what)?.at as Instant);
    expect(between(a as Instant, b as Instant)).toBeGreaterThanOrEqual(3);
  });

  it('K5: gathers changes for 250 ms before a pass, and later ones do not put it off', () => {
    const { clock, pump, told, wake } = stage([], () => quiet);
    pump.start();
    drain(clock);
    clock.at(asInstant(10_000), wake);
    clock.at(asInstant(10_200), wake);
    drain(clock);
    expect(told.at(-1)).toEqual({ at: 10_250, what: 'pass 2' });
  });

  it('looks again at wakeAt', () => {
    const { clock, pump, told } = stage([], (pass) =>
      pass === 1 ? { again: false, wakeAt: asInstant(minute) } : quiet,
    );
    pump.start();
    drain(clock);
    expect(told.at(-1)).toEqual({ at: minute, what: 'pass 2' });
  });

  it('looks again for a change that comes before wakeAt, and forgets the older wakeAt', () => {
    const rests: Rest[] = [{ again: false, wakeAt: asInstant(minute) }, quiet];
    const { clock, pump, told, wake } = stage([], (pass) => rests[pass - 1] ?? quiet);
    pump.start();
    clock.at(asInstant(second), wake);
    drain(clock);
    expect(told.slice(-1)).toEqual([{ at: 1250, what: 'pass 2' }]);
  });

  it('looks again at once where something was done, and later where only a change came in between', () => {
    const { clock, pump, whats, wake } = stage(['a'], (pass) => (pass === 1 ? { again: true } : quiet));
    pump.start();
    clock.at(asInstant(251), wake);
    drain(clock);
    expect(whats().filter((what) => what.startsWith('pass'))).toEqual(['pass 1', 'pass 2']);
  });

  it('looks again after a pass during which a change came', () => {
    const { clock, pump, told, wake } = stage(['a'], () => quiet);
    pump.start();
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
      name: 'after a request leaves it done, and nobody hears the answer',
      crash: { request: 2, when: 'after' },
      whats: ['open', 'pass 1', 'carries out a', 'a done', 'carries out b', 'close', 'open', 'pass 2'],
    },
  ])('G2: $name', ({ crash, whats: expected }) => {
    const { clock, pump, whats } = stage(['a', 'b'], () => quiet, [crash]);
    pump.start();
    drain(clock);
    expect(whats().slice(0, expected.length)).toEqual(expected);
  });

  it('is over after five seconds, with a new port', () => {
    const { clock, pump, told } = stage(['a'], () => quiet, [{ request: 1, when: 'before' }]);
    pump.start();
    drain(clock);
    const opened = told.filter(({ what }) => what === 'open' || what === 'close').map(({ at }) => at);
    expect(opened).toHaveLength(3);
    expect(opened[2]).toBe(after(opened[1] as Instant, asDuration(5 * second)));
  });

  it('at rest comes back too, and of the old process nothing runs on', () => {
    const { clock, pump, told, wake } = stage([], () => ({ again: false, wakeAt: asInstant(10 * second) }));
    pump.start();
    clock.at(asInstant(second), () => pump.crash(minute));
    clock.at(asInstant(2 * second), wake);
    for (let step = 0; step < 20; step++) clock.step();
    const passes = told.filter(({ what }) => what.startsWith('pass')).map(({ at }) => at);
    expect(passes.slice(0, 2)).toEqual([250, second + minute + 250]);
  });
});
