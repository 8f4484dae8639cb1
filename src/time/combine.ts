// Windows made of windows: open when all of several are, when at least one is, or when another is closed.
import { after, asInstant, before, earliest, type Instant, latest, minute } from './instant.ts';
import { gapAtOrAfter, gapAtOrBefore, type MinuteSet, minuteAtOrAfter } from './minuteSet.ts';
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
import { remembered } from './remembered.ts';
import { always, horizon, never, staysForEver, type Window } from './window.ts';
import { minutesOf } from './windowMinutes.ts';

/** Questions to the members about one change. Windows that miss each other flip for ever: then their minutes are looked at. */
const mostAsked = 2000;
/** Of more members the minutes are not looked at: a change that questions do not find is then not known. */
const mostLaidOut = 100;
/** How often even many members are asked. */
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
  for (let i = 0; i < set.length; i++) others[i] = ~(set[i] as number);
  return others;
}

/** At least one of them or, where closed ones decide, all. */
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
    if (isAny) for (let i = 0; i < merged.length; i++) merged[i] = (merged[i] as number) | (set[i] as number);
    else for (let i = 0; i < merged.length; i++) merged[i] = (merged[i] as number) & (set[i] as number);
  }
  return merged;
}

interface Rule {
  /** Makes no difference. */
  readonly neutral: Window;
  /** Makes all others irrelevant: one closed window closes `all`, one open window opens `any`. */
  readonly decisive: Window;
  readonly word: string;
}

function combine(windows: readonly Window[], { neutral, decisive, word }: Rule): Window {
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

type Deciding = (at: Instant) => readonly Window[];

const isAskedEnough = (members: readonly Window[], rounds: number): boolean =>
  rounds >= fewestRounds && (rounds + 1) * members.length > mostAsked;

/** Where none decides, the first to change does. Where some do, all of them have to change. */
function nextChange(members: readonly Window[], deciding: Deciding, at: Instant): Instant | undefined | typeof givenUp {
  let voices = deciding(at);
  if (voices.length === 0) return members.map((member) => member.nextChange(at)).reduce(earliest);
  let when = at;
  for (let round = 0; when - at < horizon; round++) {
    if (isAskedEnough(members, round)) return givenUp;
    const changes = voices.map((voice) => voice.nextChange(when));
    if (changes.includes(undefined)) return undefined;
    when = changes.reduce(latest) as Instant;
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
    const changes = voices.map((voice) => voice.lastChange(when));
    if (changes.includes(undefined)) return undefined;
    const start = changes.reduce(earliest) as Instant;
    when = asInstant(start - 1);
    voices = deciding(when);
    if (voices.length === 0) return start;
  }
  return undefined;
}

/** Where no member decides all of them have to stay; where some do, one of these. */
function isEndless(members: readonly Window[], deciding: Deciding, at: Instant): boolean {
  const voices = deciding(at);
  return voices.length === 0
    ? members.every((member) => staysForEver(member, at))
    : voices.some((voice) => staysForEver(voice, at));
}

/** Within 401 days of the beginning of the UTC day: what is found does not depend on when it was asked first. */
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

/** Undefined where an opening begins or ends within a minute: the set does not say when. */
const exactly = (minutes: Minutes | undefined): MinuteSet | undefined =>
  minutes?.some === minutes?.whole ? minutes?.whole : undefined;

/** In brackets where its own words would mix with those around it. */
const grouped = ({ text }: Window): string => (/ (and|or) /.test(outsideBrackets(text)) ? `(${text})` : text);

function outsideBrackets(text: string): string {
  const rest = text.replace(/\([^()]*\)/g, '');
  return rest === text ? rest : outsideBrackets(rest);
}
