// The first instant at which several windows permit together, and the fewest of them that never do (E12).
//
// The minutes of the windows are merged, 32 days at a time, so that a search costs the same however often they open and miss each
// other. It starts at the beginning of a UTC day: every instant of that day then gets the same answer, whether it was remembered or not.
import { keep } from './bounded.ts';
import { after, asDuration, asInstant, type Duration, type Instant, minute } from './instant.ts';
import { type MinuteSet, minuteAtOrAfter, shorten } from './minuteSet.ts';
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
import { always, opensAt, type Window } from './window.ts';
import { idOf, minutesOf } from './windowMinutes.ts';

/** `never`: not within 400 days. `not worked out`: the search was given up before it could tell. */
export type Meeting = Instant | 'never' | 'not worked out';

/** A window, and how long before it closes it stops permitting (B8). */
export interface Permit {
  readonly window: Window;
  readonly margin?: Duration;
}

/** The first instant not before `from` at which all of them permit. */
export function firstMeeting(permits: readonly Permit[], from: Instant): Meeting {
  if (permits.every((permit) => permitsAt(permit, from))) return from;
  return meetingAfter(setOf(permits), from);
}

/** The fewest of them that never permit together: one, else two, else a set none of which can be left out. Empty where all do. */
export function neverMeeting(permits: readonly Permit[], from: Instant): readonly Permit[] {
  const known = setOf(permits);
  const today = startOfDay(from);
  // They may have met for the last time earlier today.
  const since = meetingOfDay(known, today) === 'never' ? today : from;
  if (known.never?.since !== since) known.never = { since, permits: smallestOf(known.permits, courseFrom(since)) };
  return known.never.permits;
}

/** In one order, so that the same windows find what was remembered of them, however they are listed. */
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

/** What is remembered of one set of windows. */
interface KnownSet {
  readonly permits: readonly Permit[];
  /** The search from the beginning of a day. */
  ofDay?: { readonly from: Instant; readonly found: Meeting };
  /** The search from an instant of a day on which they met before it. */
  later?: { readonly from: Instant; readonly found: Meeting };
  never?: { readonly since: Instant; readonly permits: readonly Permit[] };
}

const knownSets = new Map<string, KnownSet>();
const setsKept = 5000;

const setsOf = new WeakMap<readonly Permit[], KnownSet>();

/** The same list is asked about in every round. */
function setOf(permits: readonly Permit[]): KnownSet {
  const set = setsOf.get(permits) ?? rememberedSet(normalized(permits));
  setsOf.set(permits, set);
  return set;
}

function rememberedSet(permits: readonly Permit[]): KnownSet {
  const key = permits.map(keyOf).join();
  return knownSets.get(key) ?? keep(knownSets, setsKept, key, { permits });
}

/** From an instant of a day until 401 days after its beginning: at least 400 from any instant of it. */
const courseFrom = (from: Instant): Course => ({ from, end: after(startOfDay(from), lookahead) });

function meetingAfter(set: KnownSet, from: Instant): Meeting {
  const today = startOfDay(from);
  const found = meetingOfDay(set, today);
  if (typeof found !== 'number' || found >= from) return found;
  const { later } = set;
  if (later && covers(later, from)) return later.found;
  const again = search(set.permits, courseFrom(from));
  // Not remembered where it was given up: from a later instant the search might reach its end.
  if (again === 'not worked out') delete set.later;
  else set.later = { from, found: again };
  return again;
}

function meetingOfDay(set: KnownSet, today: Instant): Meeting {
  const { ofDay } = set;
  if (ofDay && (ofDay.from === today || (typeof ofDay.found === 'number' && covers(ofDay, today)))) return ofDay.found;
  const found = search(set.permits, courseFrom(today));
  set.ofDay = { from: today, found };
  return found;
}

/** Up to the instant that was found nothing else can be; a `never` holds for the rest of its day. */
const covers = ({ from, found }: { readonly from: Instant; readonly found: Meeting }, at: Instant): boolean =>
  from <= at && (typeof found === 'number' ? at <= found : startOfDay(from) === startOfDay(at));

/** A minute in which all seem to permit may hold no such instant, where openings end within it. So many are tried. */
const mostTried = 1000;

interface Course {
  readonly from: Instant;
  readonly end: Instant;
}

/** Windows that open seldom are found to meet or miss each other within a few questions; then the minutes are merged. */
const mostAsked = 40;

function search(permits: readonly Permit[], { from, end }: Course, effort: Effort = { words: 0 }): Meeting {
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

/** Merges the minutes of all of them, block by block, and asks them only about minutes that all have. */
function merge(permits: readonly Permit[], { from, end }: Course, effort: Effort): Meeting {
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
  /** Words of minutes that were merged. */
  words: number;
}

/** One array for all searches: what is in it is used up before the next one. */
const scratch: MinuteSet = emptySet();

/** The minutes of a block in which all of them may permit; undefined where one of them cannot be worked out. */
function commonMinutes(permits: readonly Permit[], block: number, effort: Effort): MinuteSet | undefined {
  const common = scratch.fill(-1);
  for (const permit of permits) {
    const { opposite } = permit.window;
    // What is closed throughout a minute need not be turned over first.
    const closed = opposite && (permit.margin ?? none) === none;
    const minutes = closed ? minutesOf(opposite, block)?.whole : permittedMinutes(permit, block);
    if (!minutes) return undefined;
    const flip = closed ? -1 : 0;
    let left = 0;
    for (let i = 0; i < wordsPerBlock; i++) {
      const both = (common[i] as number) & ((minutes[i] as number) ^ flip);
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
    const permit = permits[index] as Permit;
    if (permitsAt(permit, together)) continue;
    // Within its margin it stays closed to us; else it may open within this minute.
    const opens = permit.window.isOpen(together) ? undefined : permit.window.nextChange(together);
    if (opens === undefined || opens >= end) return undefined;
    [together, index] = [opens, -1];
  }
  return together;
}

/** As many words are merged for the sake of naming the fewest; some two milliseconds. */
const mostMerged = 2_000_000;

function pairThatNeverMeets(permits: readonly Permit[], course: Course, effort: Effort): Permit[] | undefined {
  for (const [index, one] of permits.entries()) {
    for (const other of permits.slice(index + 1)) {
      if (effort.words > mostMerged) return undefined;
      if (search([one, other], course, effort) === 'never') return [one, other];
    }
  }
  return undefined;
}

function smallestOf(permits: readonly Permit[], course: Course): readonly Permit[] {
  if (search(permits, course) !== 'never') return [];
  const alone = permits.find((permit) => search([permit], course) === 'never');
  if (alone) return [alone];
  const effort: Effort = { words: 0 };
  const pair = pairThatNeverMeets(permits, course, effort);
  if (pair) return pair;
  // Leave out whatever is not needed for them to miss each other.
  let needed = permits;
  for (const permit of permits) {
    if (effort.words > mostMerged) break;
    const without = needed.filter((it) => it !== permit);
    if (search(without, course, effort) === 'never') needed = without;
  }
  return needed;
}
