// When are several windows open together, or at least one of them, or not at all? Windows made of windows.
import { asInstant, earliest, type Instant, latest } from './instant.ts';
import { remembered } from './remembered.ts';
import { always, horizon, never, type Window } from './window.ts';

/** Windows that never meet flip for ever; after so many questions to them nobody waits any longer. */
const mostAsked = 40_000;

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
  return remembered({
    text: members.map(grouped).join(` ${word} `),
    isOpen: (at) => members.some((member) => member.isOpen(at) === decides) === decides,
    nextChange: (at) => nextChange(members, deciding, at),
    lastChange: (at) => lastChange(members, deciding, at),
  });
}

type Deciding = (at: Instant) => readonly Window[];

/** Where none decides, the first to change does. Where some do, all of them have to change. */
function nextChange(members: readonly Window[], deciding: Deciding, at: Instant): Instant | undefined {
  let voices = deciding(at);
  if (voices.length === 0) return members.map((member) => member.nextChange(at)).reduce(earliest);
  let when = at;
  for (let asked = 0; asked < mostAsked && when - at < horizon; asked += members.length) {
    const changes = voices.map((voice) => voice.nextChange(when));
    if (changes.includes(undefined)) return undefined;
    when = changes.reduce(latest) as Instant;
    voices = deciding(when);
    if (voices.length === 0) return when;
  }
  return undefined;
}

/** The same, backwards. */
function lastChange(members: readonly Window[], deciding: Deciding, at: Instant): Instant | undefined {
  let voices = deciding(at);
  if (voices.length === 0) return members.map((member) => member.lastChange(at)).reduce(latest);
  let when = at;
  for (let asked = 0; asked < mostAsked && at - when < horizon; asked += members.length) {
    const changes = voices.map((voice) => voice.lastChange(when));
    if (changes.includes(undefined)) return undefined;
    const start = changes.reduce(earliest) as Instant;
    when = asInstant(start - 1);
    voices = deciding(when);
    if (voices.length === 0) return start;
  }
  return undefined;
}

/** In brackets where its own words would mix with those around it. */
const grouped = ({ text }: Window): string => (/ (and|or) /.test(outsideBrackets(text)) ? `(${text})` : text);

function outsideBrackets(text: string): string {
  const rest = text.replace(/\([^()]*\)/g, '');
  return rest === text ? rest : outsideBrackets(rest);
}
