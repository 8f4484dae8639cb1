// Who looks at several objects at once? A controller: changes name the keys they concern, and each key is settled a moment later.
import type { Timer } from '../clock.ts';
import type { Changed } from '../objects.ts';
import type { World } from '../world.ts';
import { drawDelay, type Span } from './table.ts';
import { carryOut, type Write } from './write.ts';

export interface Controller {
  readonly name: string;
  /** By kind: which of its keys a change concerns. */
  readonly wakes: Readonly<Record<string, (change: Changed) => Iterable<string>>>;
  /** Changes are gathered for so long, in seconds. */
  readonly after: Span;
  /** What is to be done about a key now. Asked again whenever something changes, so it never remembers what it has asked for. */
  readonly settle: (key: string) => Settled;
}

export interface Settled {
  readonly writes: readonly Write[];
  /** To be looked at again after so many seconds, whatever happens. */
  readonly again?: number;
}

/** In seconds: a delay that rounds to nothing would be looked at again for ever without the clock moving on. */
const soonest = 0.1;

export const nothing: Settled = { writes: [] };

/** Runs a controller on everything that is there, and on every change. */
export function runController(world: World, controller: Controller): void {
  const { name, wakes, after } = controller;
  const random = world.random.fork(name);
  const waiting = new Map<string, { readonly at: number; readonly timer: Timer }>();
  const wake = (key: string, span: Span): void => {
    const delay = drawDelay(span, () => random.next());
    const at = world.clock.now + delay;
    const waits = waiting.get(key);
    // The earliest counts: changes that keep coming do not put it off.
    if (waits && waits.at <= at) return;
    waits?.timer.cancel();
    waiting.set(key, { at, timer: world.clock.in(delay, () => run(key)) });
  };
  const run = (key: string): void => {
    waiting.delete(key);
    const { writes, again } = controller.settle(key);
    carryOut(world, name, writes);
    if (again !== undefined) wake(key, [Math.max(again, soonest), Math.max(again, soonest)]);
  };
  const see = (change: Changed): void => {
    const keys = wakes[change.object.kind]?.(change);
    if (keys) for (const key of keys) wake(key, after);
  };
  for (const kind of Object.keys(wakes)) {
    for (const object of [...world.objects.list(kind)]) see({ type: 'ADDED', object, version: 0, by: 'start' });
  }
  world.objects.onChange(see);
}
