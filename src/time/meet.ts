// The first instant at which several windows permit together, and the fewest of them that never do (E12).
//
// The minutes of the windows are merged, 32 days at a time, so that the cost of a search does not depend on how often they open.
// A search starts at the beginning of a UTC day: every instant of that day gets the same answer, cached or not.
import { type MinuteSet, minuteAtOrAfter, shorten } from './bits.ts';
import { after, asDuration, asInstant, type Duration, type Instant, minute } from './instant.ts';
import { keepNewest } from './keepNewest.ts';
import {
  blockOf,
  emptySet,
  instantOf,
  lookahead,
  minuteOf,
  minutesPerBlock,
  startOfDay,
  wordsPerBlock,
} from './minutes.ts';
import { idOf, minutesOf } from './remembered.ts';
import { always, opensAt, type Window } from './window.ts';

/** `never`: not within 400 days. `not worked out`: the search was aborted because it became too expensive. */
export type Meeting = Instant | 'never' | 'not worked out';

/** A window, and how long before it closes it stops permitting (B8). */
export interface Permit {
  readonly window: Window;
  readonly margin?: Duration;
}

/** The first instant at or after `from` at which all of them permit. */
export function firstMeeting(permits: readonly Permit[], from: Instant): Meeting {
  if (permits.every((permit) => permitsAt(permit, from))) return from;
  return meetingAfter(setOf(permits), from);
}

/** The fewest of them that never permit together: one, else two, else a set of which none can be left out. Empty if they do permit together. */
export function neverMeeting(permits: readonly Permit[], from: Instant): readonly Permit[] {
  const known = setOf(permits);
  const today = startOfDay(from);
  // They may have permitted together for the last time earlier today.
  const since = meetingOfDay(known, today) === 'never' ? today : from;
  if (known.never?.since !== since) known.never = { since, permits: smallestOf(known.permits, rangeFrom(since)) };
  return known.never.permits;
}

/** Sorted, so that the same windows have the same cache entry regardless of their order. */
function normalized(permits: readonly Permit[]): readonly Permit[] {
  const distinct = new Map<string, Permit>();
  for (const permit of permits) if (permit.window !== always) distinct.set(keyOf(permit), permit);
  return [...distinct.values()].sort(byText);
}

const byText = ({ window: a }: Permit, { window: b }: Permit): number =>
  a.text < b.text ? -1 : a.text > b.text ? 1 : 0;

const keyOf = ({ window, margin = none }: Permit): string =>
  margin > 0 ? `${idOf(window)}-${margin}` : `${idOf(window)}`;

const none = asDuration(0);

export function permitsAt({ window, margin = none }: Permit, at: Instant): boolean {
  if (!window.isOpen(at)) return false;
  const closes = margin > 0 ? window.nextChange(at) : undefined;
  return closes === undefined || closes > after(at, margin);
}

/** The cached results for one set of windows. */
interface KnownSet {
  readonly permits: readonly Permit[];
  /** The search from the beginning of a day. */
  ofDay?: { readonly from: Instant; readonly found: Meeting };
  /** The search from a later instant of the day, when the result of the day is before it. */
  later?: { readonly from: Instant; readonly found: Meeting };
  never?: { readonly since: Instant; readonly permits: readonly Permit[] };
}

const knownSets = new Map<string, KnownSet>();
const setsKept = 5000;

const setsOf = new WeakMap<readonly Permit[], KnownSet>();

/** Cached by list too, since every round passes the same lists. */
function setOf(permits: readonly Permit[]): KnownSet {
  const set = setsOf.get(permits) ?? rememberedSet(normalized(permits));
  setsOf.set(permits, set);
  return set;
}

function rememberedSet(permits: readonly Permit[]): KnownSet {
  const key = permits.map(keyOf).join();
  return knownSets.get(key) ?? keepNewest(knownSets, setsKept, key, { permits });
}

/** From an instant of a day until 401 days after its beginning: at least 400 from any instant of it. */
const rangeFrom = (from: Instant): SearchRange => ({ from, end: after(startOfDay(from), lookahead) });

function meetingAfter(set: KnownSet, from: Instant): Meeting {
  const today = startOfDay(from);
  const found = meetingOfDay(set, today);
  if (typeof found !== 'number' || found >= from) return found;
  const { later } = set;
  if (later && covers(later, from)) return later.found;
  const again = search(set.permits, rangeFrom(from));
  // An aborted search is not cached: from a later instant it might complete.
  if (again === 'not worked out') delete set.later;
  else set.later = { from, found: again };
  return again;
}

function meetingOfDay(set: KnownSet, today: Instant): Meeting {
  const { ofDay } = set;
  if (ofDay && (ofDay.from === today || (typeof ofDay.found === 'number' && covers(ofDay, today)))) return ofDay.found;
  const found = search(set.permits, rangeFrom(today));
  set.ofDay = { from: today, found };
  return found;
}

/** A found instant is the answer for all instants up to it; `never` for the rest of the day. */
const covers = ({ from, found }: { readonly from: Instant; readonly found: Meeting }, at: Instant): boolean =>
  from <= at && (typeof found === 'number' ? at <= found : startOfDay(from) === startOfDay(at));

/** Limit on candidate minutes: where openings end within a minute, it may have no instant at which all permit. */
const mostTried = 1000;

interface SearchRange {
  readonly from: Instant;
  readonly end: Instant;
}

/** Queries before the minutes are merged; windows that rarely open need only a few. */
const mostAsked = 40;

function search(permits: readonly Permit[], { from, end }: SearchRange, effort: Effort = { words: 0 }): Meeting {
  let together = from;
  const isPlain = permits.every(({ margin = none }) => margin === none);
  for (let asked = 0; isPlain && asked + permits.length <= mostAsked; asked += permits.length) {
    let latest: Instant | undefined = together;
    for (const { window } of permits) if (latest !== undefined) latest = opensAt(window, latest);
    if (latest === undefined || latest > end) return 'never';
    if (latest === together) return together;
    together = latest;
  }
  return merge(permits, { from: together, end }, effort);
}

/** Merges the minutes of all of them, block by block, and queries them only about minutes that all have. */
function merge(permits: readonly Permit[], { from, end }: SearchRange, effort: Effort): Meeting {
  let tried = 0;
  for (let block = blockOf(from); block <= blockOf(end); block++) {
    const common = commonMinutes(permits, block, effort);
    if (!common) return 'not worked out';
    const first = block === blockOf(from) ? minuteOf(from) : 0;
    for (let index = minuteAtOrAfter(common, first); index >= 0; index = minuteAtOrAfter(common, index + 1)) {
      const start = asInstant(Math.max(from, instantOf(block, index)));
      const found = meetingWithin(permits, start, after(instantOf(block, index), minute));
      if (found !== undefined) return found > end ? 'never' : found;
      if (++tried > mostTried) return 'not worked out';
    }
  }
  return 'never';
}

interface Effort {
  /** The number of 32-minute words merged so far. */
  words: number;
}

/** One array for all searches: each is done with it before the next begins. */
const scratch: MinuteSet = emptySet();

/** The minutes of a block in which all of them may permit; undefined if the minutes of one cannot be computed. */
function commonMinutes(permits: readonly Permit[], block: number, effort: Effort): MinuteSet | undefined {
  const common = scratch.fill(-1);
  for (const permit of permits) {
    const { opposite } = permit.window;
    // Without a margin, the minutes of the opposite are inverted while they are merged.
    const closed = opposite && (permit.margin ?? none) === none;
    const minutes = closed ? minutesOf(opposite, block)?.whole : permittedMinutes(permit, block);
    if (!minutes) return undefined;
    const flip = closed ? -1 : 0;
    let left = 0;
    for (let i = 0; i < wordsPerBlock; i++) {
      const both = (common[i] ?? 0) & ((minutes[i] ?? 0) ^ flip);
      common[i] = both;
      left |= both;
    }
    effort.words += wordsPerBlock;
    if (left === 0) break;
  }
  return common;
}

function permittedMinutes({ window, margin = none }: Permit, block: number): MinuteSet | undefined {
  const now = minutesOf(window, block)?.some;
  const more = Math.min(Math.floor(margin / minute), minutesPerBlock);
  if (more === 0 || !now) return now;
  const next = minutesOf(window, block + 1)?.some;
  if (!next) return undefined;
  const both = new Int32Array(2 * wordsPerBlock);
  both.set(now);
  both.set(next, wordsPerBlock);
  shorten(both, more);
  return both.subarray(0, wordsPerBlock);
}

/** The first instant from `start` until just before `end`, less than a minute later, at which all of them permit. */
function meetingWithin(permits: readonly Permit[], start: Instant, end: Instant): Instant | undefined {
  let together = start;
  for (let index = 0; index < permits.length; index++) {
    const permit = permits[index];
    if (!permit || permitsAt(permit, together)) continue;
    // An open window is within its margin and no longer permits; a closed one may open within this minute.
    const opens = permit.window.isOpen(together) ? undefined : permit.window.nextChange(together);
    if (opens === undefined || opens >= end) return undefined;
    [together, index] = [opens, -1];
  }
  return together;
}

/** Limit on words merged to find the smallest set, about two milliseconds. */
const mostMerged = 2_000_000;

function pairThatNeverMeets(permits: readonly Permit[], course: SearchRange, effort: Effort): Permit[] | undefined {
  for (const [index, one] of permits.entries()) {
    for (const other of permits.slice(index + 1)) {
      if (effort.words > mostMerged) return undefined;
      if (search([one, other], course, effort) === 'never') return [one, other];
    }
  }
  return undefined;
}

function smallestOf(permits: readonly Permit[], course: SearchRange): readonly Permit[] {
  if (search(permits, course) !== 'never') return [];
  const alone = permits.find((permit) => search([permit], course) === 'never');
  if (alone) return [alone];
  const effort: Effort = { words: 0 };
  const pair = pairThatNeverMeets(permits, course, effort);
  if (pair) return pair;
  // Leave out every window without which the others still never permit together.
  let needed = permits;
  for (const permit of permits) {
    if (effort.words > mostMerged) break;
    const without = needed.filter((it) => it !== permit);
    if (search(without, course, effort) === 'never') needed = without;
  }
  return needed;
}
