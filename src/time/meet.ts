// The first instant at which several windows permit together, and the fewest of them that never do (E12).
//
// The search jumps to the latest of the windows' own next openings until none of them moves it further. It is bounded by the
// number of questions it asks, never by time, and it starts at the beginning of a UTC day: every instant of that day then gets the
// same answer, whether it was remembered or not.
import { keep } from './bounded.ts';
import { after, asDuration, asInstant, type Duration, day, type Instant } from './instant.ts';
import { always, opensAt, type Window } from './window.ts';

/** `never`: not within 400 days. `not worked out`: the search was given up before it could tell. */
export type Meeting = Instant | 'never' | 'not worked out';

/** Counted from the beginning of the day, so that it is at least 400 days from any instant of it. */
const farthest: Duration = asDuration(401 * day);
/** Enough for two windows that open every hour and miss each other for 400 days. */
const mostAsked = 40_000;
/** Windows that meet do so after a few questions. Where they do not, two of them usually miss each other: that is looked up first. */
const askedBeforePairs = 500;
/** Among more windows than this, neither pairs nor smaller sets are tried out. */
const mostPaired = 40;
/** Pairs whose own search is given up are costly: after so many of them no further pair is tried. */
const mostPairsGivenUp = 5;

/** A window, and how long before it closes it stops permitting (B8). */
export interface Permit {
  readonly window: Window;
  readonly margin?: Duration;
}

/** The first instant not before `from` at which all of them permit. */
export function firstMeeting(permits: readonly Permit[], from: Instant): Meeting {
  const distinct = normalized(permits);
  if (distinct.every((permit) => permitsAt(permit, from))) return from;
  return meetingAfter(rememberedSet(distinct), from);
}

/** The fewest of them that never permit together: one, else two, else a set none of which can be left out. Empty where all do. */
export function neverMeeting(permits: readonly Permit[], from: Instant): readonly Permit[] {
  const known = rememberedSet(normalized(permits));
  const today = startOfDay(from);
  // They may have met for the last time earlier today.
  const since = meetingOfDay(known, today) === 'never' ? today : from;
  if (known.never?.since !== since) known.never = { since, permits: smallestOf(known.permits, since) };
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

const startOfDay = (at: Instant): Instant => asInstant(Math.floor(at / day) * day);

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

let ids = 0;
const idsOf = new WeakMap<Window, number>();

function idOf(window: Window): number {
  const id = idsOf.get(window) ?? ids++;
  idsOf.set(window, id);
  return id;
}

function rememberedSet(permits: readonly Permit[]): KnownSet {
  const key = permits.map(keyOf).join();
  return knownSets.get(key) ?? keep(knownSets, setsKept, key, { permits });
}

function meetingAfter(set: KnownSet, from: Instant): Meeting {
  const today = startOfDay(from);
  const found = meetingOfDay(set, today);
  if (typeof found !== 'number' || found >= from) return found;
  const { later } = set;
  if (later && covers(later, from)) return later.found;
  const again = search(set, from, today);
  // Not remembered where it was given up: from a later instant the search might reach its end.
  if (again === 'not worked out') delete set.later;
  else set.later = { from, found: again };
  return again;
}

function meetingOfDay(set: KnownSet, today: Instant): Meeting {
  const { ofDay } = set;
  if (ofDay && (ofDay.from === today || (typeof ofDay.found === 'number' && covers(ofDay, today)))) return ofDay.found;
  const found = search(set, today, today);
  set.ofDay = { from: today, found };
  return found;
}

/** Up to the instant that was found nothing else can be; a `never` holds for the rest of its day. */
const covers = ({ from, found }: { readonly from: Instant; readonly found: Meeting }, at: Instant): boolean =>
  from <= at && (typeof found === 'number' ? at <= found : startOfDay(from) === startOfDay(at));

interface Effort {
  asked: number;
}

function search(set: KnownSet, from: Instant, today: Instant): Meeting {
  const end = after(today, farthest);
  const effort: Effort = { asked: 0 };
  const first = walk(set.permits, { from, end, most: askedBeforePairs }, effort);
  if (first.found !== 'not worked out') return first.found;
  if (set.permits.length > 2 && pairThatNeverMeets(set.permits, from)) return 'never';
  return walk(set.permits, { from: first.reached, end, most: mostAsked }, effort).found;
}

interface Course {
  readonly from: Instant;
  readonly end: Instant;
  readonly most: number;
}

function walk(permits: readonly Permit[], { from, end, most }: Course, effort: Effort): Walked {
  let together = from;
  while (together <= end) {
    let latest: Instant | undefined = together;
    for (const permit of permits) {
      latest = permitsFrom(permit, { at: latest, end }, effort);
      if (latest === undefined) return { found: 'never', reached: together };
    }
    if (effort.asked > mostAsked) return { found: 'not worked out', reached: together };
    if (latest === together) return { found: together, reached: together };
    together = latest;
    if (effort.asked > most) return { found: 'not worked out', reached: together };
  }
  return { found: 'never', reached: together };
}

/** There is no meeting before `reached`. */
interface Walked {
  readonly found: Meeting;
  readonly reached: Instant;
}

/** When it permits next; where its openings are all shorter than the margin, an instant beyond `end`. */
function permitsFrom(
  { window, margin = none }: Permit,
  { at, end }: { readonly at: Instant; readonly end: Instant },
  effort: Effort,
): Instant | undefined {
  effort.asked++;
  let from = opensAt(window, at);
  if (margin === 0) return from;
  while (from !== undefined && from <= end && effort.asked <= mostAsked) {
    effort.asked++;
    const closes = window.nextChange(from);
    if (closes === undefined || closes > after(from, margin)) return from;
    from = window.nextChange(closes);
  }
  return from;
}

function pairThatNeverMeets(permits: readonly Permit[], from: Instant): Permit[] | undefined {
  if (permits.length > mostPaired) return undefined;
  let givenUp = 0;
  for (const [index, one] of permits.entries()) {
    for (const other of permits.slice(index + 1)) {
      const found = meetingAfter(rememberedSet([one, other]), from);
      if (found === 'never') return [one, other];
      if (found === 'not worked out' && ++givenUp === mostPairsGivenUp) return undefined;
    }
  }
  return undefined;
}

function smallestOf(permits: readonly Permit[], from: Instant): readonly Permit[] {
  const missEachOther = (some: readonly Permit[]): boolean => meetingAfter(rememberedSet(some), from) === 'never';
  if (!missEachOther(permits)) return [];
  const alone = permits.find((permit) => missEachOther([permit]));
  if (alone) return [alone];
  const pair = pairThatNeverMeets(permits, from);
  if (pair) return pair;
  if (permits.length > mostPaired) return permits;
  // Leave out whatever is not needed for them to miss each other.
  let needed = permits;
  for (const permit of permits) {
    const without = needed.filter((it) => it !== permit);
    if (missEachOther(without)) needed = without;
  }
  return needed;
}
