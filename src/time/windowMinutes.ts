// The minutes of any window, remembered for the blocks that were asked last.
import { keep } from './bounded.ts';
import { addOpening, emptySet, type Minutes, startOfBlock } from './minutes.ts';
import type { Window } from './window.ts';

const known = new Map<string, Minutes | undefined>();
/** About six kilobytes each. */
const blocksKept = 2000;

let ids = 0;
const idsOf = new WeakMap<Window, number>();

/** The same number for the same window. */
export function idOf(window: Window): number {
  const id = idsOf.get(window) ?? ids++;
  idsOf.set(window, id);
  return id;
}

/** Undefined where it cannot be worked out: the clocks of its zone were not set to whole minutes then, as before 1972. */
export function minutesOf(window: Window, block: number): Minutes | undefined {
  const key = `${idOf(window)} ${block}`;
  if (known.has(key)) return known.get(key);
  return keep(known, blocksKept, key, window.minutes ? window.minutes(block) : walkMinutes(window, block));
}

/** A window that opens and closes more often than this within a block is not walked. */
const mostWalked = 5000;

function walkMinutes(window: Window, block: number): Minutes | undefined {
  const [start, end] = [startOfBlock(block), startOfBlock(block + 1)];
  const minutes: Minutes = { some: emptySet(), whole: emptySet() };
  let walked = 0;
  for (let at = start; at < end; ) {
    const next = window.nextChange(at) ?? end;
    if (window.isOpen(at)) addOpening(minutes, block, { from: at, to: next });
    at = next;
    if (++walked > mostWalked) return undefined;
  }
  return minutes;
}
