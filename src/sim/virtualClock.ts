// The virtual clock: time advances only when the next event is run.
import { after, type Duration, type Instant } from '../time/instant.ts';

export interface VirtualTimer {
  cancel(): void;
}

/** Runs events by time, then in the order in which they were scheduled, so that runs are reproducible. */
export class VirtualClock {
  #now: Instant;
  #order = 0;
  #cancelled = 0;
  /** A binary heap: the next event first. */
  #heap: ClockEvent[] = [];

  constructor(start: Instant) {
    this.#now = start;
  }

  get now(): Instant {
    return this.#now;
  }

  /** An event in the past is run next. */
  at(when: Instant, run: () => void): VirtualTimer {
    const event: ClockEvent = { at: when > this.#now ? when : this.#now, order: this.#order++, run };
    push(this.#heap, event);
    return { cancel: () => this.#cancel(event) };
  }

  in(delay: Duration, run: () => void): VirtualTimer {
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

  #next(): ClockEvent | undefined {
    while (this.#heap.length > 0 && this.#heap[0]?.run === undefined) {
      pop(this.#heap);
      this.#cancelled--;
    }
    return this.#heap[0];
  }

  #cancel(event: ClockEvent): void {
    if (event.run === undefined) return;
    event.run = undefined;
    this.#cancelled++;
    if (this.#cancelled <= this.#heap.length / 2) return;
    // Most entries are cancelled: rebuilding the heap is cheaper than popping them.
    const alive = this.#heap.filter(({ run }) => run !== undefined);
    this.#heap = [];
    this.#cancelled = 0;
    for (const each of alive) push(this.#heap, each);
  }
}

interface ClockEvent {
  readonly at: Instant;
  readonly order: number;
  /** Absent: already run or cancelled. */
  run: (() => void) | undefined;
}

/** The event at an index within the heap. */
function eventAt(heap: readonly ClockEvent[], index: number): ClockEvent {
  const event = heap[index];
  if (!event) throw new RangeError(`No event at index ${index}`);
  return event;
}

const isBefore = (a: ClockEvent, b: ClockEvent): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: ClockEvent[], event: ClockEvent): void {
  let index = heap.length;
  heap.push(event);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = eventAt(heap, parent);
    if (!isBefore(event, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = event;
}

/** Removes the first event. */
function pop(heap: ClockEvent[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(eventAt(heap, child + 1), eventAt(heap, child))) child++;
    if (!isBefore(eventAt(heap, child), last)) break;
    heap[index] = eventAt(heap, child);
    index = child;
  }
  heap[index] = last;
}
