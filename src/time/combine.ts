// Combinations of windows: open when all are, when at least one is, or when another is closed.
import { gapAtOrAfter, gapAtOrBefore, type MinuteSet, minuteAtOrAfter } from './bits.ts';
import { after, asInstant, before, earliest, type Instant, latest, minute } from './instant.ts';
import {
  blockOf,
  emptySet,
  instantOf,
  lookahead,
  type Minutes,
  minuteOf,
  minutesPerBlock,
  startOfDay,
} from './minutes.ts';
import { minutesOf, remembered } from './remembered.ts';
import { always, horizon, never, staysForEver, type Window } from './window.ts';

/** Queries to the members about one change. Windows that never overlap alternate without end: then their minutes are merged. */
const mostAsked = 2000;
/** With more members the minutes are not merged: a change that queries do not find is then reported as none. */
const mostLaidOut = 100;
/** The minimum number of rounds of queries, even with many members. */
const fewestRounds = 20;

const opposites = new WeakMap<Window, Window>([
  [always, never],
  [never, always],
]);

/** Open when the other is closed. */
export function not(window: Window): Window {
  const known = opposites.get(window);
  if (known) return known;
  const opposite: Window = {
    text: `not ${grouped(window)}`,
    isOpen: (at) => !window.isOpen(at),
    nextChange: (at) => window.nextChange(at),
    lastChange: (at) => window.lastChange(at),
    minutes: (block) => inverse(minutesOf(window, block)),
    opposite: window,
    ...(window.isEndless && { isEndless: window.isEndless }),
  };
  opposites.set(window, opposite).set(opposite, window);
  return opposite;
}

/** Open when all are; always, if there are none. */
export function all(windows: readonly Window[]): Window {
  return combine(windows, { neutral: always, decisive: never, word: 'and' });
}

/** Open when at least one is; never, if there are none. */
export function any(windows: readonly Window[]): Window {
  return combine(windows, { neutral: never, decisive: always, word: 'or' });
}

function inverse(minutes: Minutes | undefined): Minutes | undefined {
  if (!minutes) return undefined;
  const some = complement(minutes.whole);
  return { some, whole: minutes.some === minutes.whole ? some : complement(minutes.some) };
}

function complement(set: MinuteSet): MinuteSet {
  const others = emptySet();
  for (let i = 0; i < set.length; i++) others[i] = ~(set[i] ?? 0);
  return others;
}

/** Minutes in which at least one member is open (`isAny`), or all are. */
function merge(members: readonly Window[], block: number, isAny: boolean): Minutes | undefined {
  const all: Minutes[] = [];
  for (const member of members) {
    const minutes = minutesOf(member, block);
    if (!minutes) return undefined;
    all.push(minutes);
  }
  const some = mergeSets(
    all.map((it) => it.some),
    isAny,
  );
  const isExact = all.every((it) => it.some === it.whole);
  return {
    some,
    whole: isExact
      ? some
      : mergeSets(
          all.map((it) => it.whole),
          isAny,
        ),
  };
}

function mergeSets(sets: readonly MinuteSet[], isAny: boolean): MinuteSet {
  const merged = emptySet().fill(isAny ? 0 : -1);
  for (const set of sets) {
    if (isAny) for (let i = 0; i < merged.length; i++) merged[i] = (merged[i] ?? 0) | (set[i] ?? 0);
    else for (let i = 0; i < merged.length; i++) merged[i] = (merged[i] ?? 0) & (set[i] ?? 0);
  }
  return merged;
}

interface CombineRule {
  /** Makes no difference. */
  readonly neutral: Window;
  /** Makes all others irrelevant: one closed window closes `all`, one open window opens `any`. */
  readonly decisive: Window;
  readonly word: string;
}

function combine(windows: readonly Window[], { neutral, decisive, word }: CombineRule): Window {
  const members = [...new Set(windows)].filter((window) => window !== neutral);
  if (members.includes(decisive)) return decisive;
  const [only = neutral, ...others] = members;
  if (others.length === 0) return only;

  const decides = decisive === always;
  const deciding = (at: Instant) => members.filter((member) => member.isOpen(at) === decides);
  const isOpen = (at: Instant): boolean => members.some((member) => member.isOpen(at) === decides) === decides;
  const window: Window = remembered({
    text: members.map(grouped).join(` ${word} `),
    isOpen,
    nextChange: (at) => {
      const found = nextChange(members, deciding, at);
      if (found !== givenUp) return found;
      return members.length > mostLaidOut ? undefined : changeByMinutes(window, at);
    },
    lastChange: (at) => {
      const found = lastChange(members, deciding, at);
      if (found !== givenUp) return found;
      return members.length > mostLaidOut ? undefined : lastByMinutes(window, at);
    },
    minutes: (block) => merge(members, block, decides),
    isEndless: (at) => isEndless(members, deciding, at),
  });
  return window;
}

const givenUp = 'given up';
const beyond = asInstant(Infinity);

type Deciding = (at: Instant) => readonly Window[];

const isAskedEnough = (members: readonly Window[], rounds: number): boolean =>
  rounds >= fewestRounds && (rounds + 1) * members.length > mostAsked;

/** If no member is decisive, the first change of any member; otherwise the first instant at which no member is decisive any more. */
function nextChange(members: readonly Window[], deciding: Deciding, at: Instant): Instant | undefined | typeof givenUp {
  let voices = deciding(at);
  if (voices.length === 0) return members.map((member) => member.nextChange(at)).reduce(earliest);
  let when = at;
  for (let round = 0; when - at < horizon; round++) {
    if (isAskedEnough(members, round)) return givenUp;
    const from = when;
    for (const voice of voices) {
      const change = voice.nextChange(from);
      if (change === undefined) return undefined;
      when = latest(when, change);
    }
    voices = deciding(when);
    if (voices.length === 0) return when;
  }
  return undefined;
}

/** The same, backwards. */
function lastChange(members: readonly Window[], deciding: Deciding, at: Instant): Instant | undefined | typeof givenUp {
  let voices = deciding(at);
  if (voices.length === 0) return members.map((member) => member.lastChange(at)).reduce(latest);
  let when = at;
  for (let round = 0; at - when < horizon; round++) {
    if (isAskedEnough(members, round)) return givenUp;
    let start = beyond;
    for (const voice of voices) {
      const change = voice.lastChange(when);
      if (change === undefined) return undefined;
      if (change < start) start = change;
    }
    when = asInstant(start - 1);
    voices = deciding(when);
    if (voices.length === 0) return start;
  }
  return undefined;
}

/** If no member is decisive, all of them must stay for ever; otherwise one of the decisive ones. */
function isEndless(members: readonly Window[], deciding: Deciding, at: Instant): boolean {
  const voices = deciding(at);
  return voices.length === 0
    ? members.every((member) => staysForEver(member, at))
    : voices.some((voice) => staysForEver(voice, at));
}

/** Searches 401 days from the beginning of the UTC day, so that the result is the same for every instant of that day. */
function changeByMinutes(window: Window, at: Instant): Instant | undefined {
  const isOpen = window.isOpen(at);
  const limit = after(startOfDay(at), lookahead);
  let from = minuteOf(at);
  for (let block = blockOf(at); block <= blockOf(limit); block++, from = 0) {
    const set = exactly(minutesOf(window, block));
    if (!set) return undefined;
    const index = isOpen ? gapAtOrAfter(set, from) : minuteAtOrAfter(set, from);
    if (index >= 0) return instantOf(block, index) > limit ? undefined : instantOf(block, index);
  }
  return undefined;
}

function lastByMinutes(window: Window, at: Instant): Instant | undefined {
  const isOpen = window.isOpen(at);
  const limit = before(startOfDay(at), lookahead);
  let until = minuteOf(at);
  for (let block = blockOf(at); block >= blockOf(limit); block--, until = minutesPerBlock - 1) {
    const set = exactly(minutesOf(window, block));
    if (!set) return undefined;
    const index = gapAtOrBefore(isOpen ? set : complement(set), until);
    const start = after(instantOf(block, index), minute);
    if (index >= 0) return start < limit ? undefined : start;
  }
  return undefined;
}

/** Undefined if an opening begins or ends within a minute: the set does not have the exact instant. */
const exactly = (minutes: Minutes | undefined): MinuteSet | undefined =>
  minutes?.some === minutes?.whole ? minutes?.whole : undefined;

/** In brackets if its own `and` or `or` would be ambiguous in the combined text. */
const grouped = ({ text }: Window): string => (/ (and|or) /.test(outsideBrackets(text)) ? `(${text})` : text);

function outsideBrackets(text: string): string {
  const rest = text.replace(/\([^()]*\)/g, '');
  return rest === text ? rest : outsideBrackets(rest);
}
