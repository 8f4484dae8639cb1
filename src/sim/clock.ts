// What happens next, and when is it? Virtual time: it stands still until the next event is run.
import { after, type Duration, type Instant } from '../time/instant.ts';

export interface Timer {
  cancel(): void;
}

/** Events come in order of time, and of scheduling where the time is the same: two runs never differ. */
export class Clock {
  #now: Instant;
  #order = 0;
  #cancelled = 0;
  /** A binary heap: the next event first. */
  #heap: Event[] = [];

  constructor(start: Instant) {
    this.#now = start;
  }

  get now(): Instant {
    return this.#now;
  }

  /** What should have been earlier is run next. */
  at(when: Instant, run: () => void): Timer {
    const event: Event = { at: when > this.#now ? when : this.#now, order: this.#order++, run };
    push(this.#heap, event);
    return { cancel: () => this.#cancel(event) };
  }

  in(delay: Duration, run: () => void): Timer {
    return this.at(after(this.#now, delay), run);
  }

  get nextAt(): Instant | undefined {
    return this.#next()?.at;
  }

  /** Runs the next event; false if there is none. */
  step(): boolean {
    const event = this.#next();
    if (!event) return false;
    pop(this.#heap);
    this.#now = event.at;
    const { run } = event;
    event.run = undefined;
    run?.();
    return true;
  }

  #next(): Event | undefined {
    while (this.#heap.length > 0 && this.#heap[0]?.run === undefined) {
      pop(this.#heap);
      this.#cancelled--;
    }
    return this.#heap[0];
  }

  #cancel(event: Event): void {
    if (event.run === undefined) return;
    event.run = undefined;
    this.#cancelled++;
    if (this.#cancelled <= this.#heap.length / 2) return;
    // Most of it is dead: building the heap anew costs less than what those would.
    const alive = this.#heap.filter(({ run }) => run !== undefined);
    this.#heap = [];
    this.#cancelled = 0;
    for (const each of alive) push(this.#heap, each);
  }
}

interface Event {
  readonly at: Instant;
  readonly order: number;
  /** Absent = it was run or cancelled. */
  run: (() => void) | undefined;
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: Event[], event: Event): void {
  let index = heap.length;
  heap.push(event);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent] as Event;
    if (!isBefore(event, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = event;
}

/** Takes the first one out. */
function pop(heap: Event[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child++;
    if (!isBefore(heap[child] as Event, last)) break;
    heap[index] = heap[child] as Event;
    index = child;
  }
  heap[index] = last;
}
