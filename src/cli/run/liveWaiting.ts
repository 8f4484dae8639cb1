// Conditions that keep Lull from deciding (K2, K3) or from parking all nodes (N3): how long they last, and what to do about them.
import type { Round } from '../../engine/verdict.ts';
import { apiKindOf } from '../../kube/apiKind.ts';
import { forbidden, unknownKind } from '../../kube/apiReply.ts';
import type { Unsynced } from '../../runtime/port.ts';
import { formatDuration } from '../../time/duration.ts';
import { asDuration, between, type Duration, type Instant, minute, second } from '../../time/instant.ts';
import { count } from '../span.ts';
import type { Log, LogEntry } from './liveLog.ts';

/** Shorter problems are normal and not logged: a watch that reconnects, a view that is a moment behind. */
const hiccup = asDuration(5 * second);
/** When a reminder is logged. */
const firstReminder: Duration = minute;
const longestReminder = asDuration(30 * minute);

interface OngoingProblem {
  readonly since: Instant;
  readonly told?: { readonly key: string; readonly at: Instant; readonly next: Duration };
}

interface WaitingWords {
  readonly kind: string;
  readonly over: string;
  /** Logged at once, as at the start, when it is not known yet that everything works. */
  readonly isUrgent?: boolean;
}

/** Logs one lasting problem: its beginning, reminders, and its end. */
export class ProblemLog {
  readonly #log: Log;
  readonly #words: WaitingWords;
  #lasting: OngoingProblem | undefined;
  #isUrgent: boolean;

  constructor(log: Log, words: WaitingWords) {
    this.#log = log;
    this.#words = words;
    this.#isUrgent = words.isUrgent ?? false;
  }

  /** `key` decides what is worth a new line; countdowns in the sentence do not change it. */
  report(now: Instant, key: string, text: string): void {
    this.#lasting ??= { since: now };
    const { since, told } = this.#lasting;
    const lasted = between(since, now);
    if (!this.#isUrgent && lasted < hiccup) return;
    const isDue = told === undefined || told.key !== key || between(told.at, now) >= told.next;
    if (!isDue) return;
    const isReminder = told?.key === key;
    const next = isReminder ? asDuration(Math.min(told.next * 2, longestReminder)) : firstReminder;
    this.#lasting = { since, told: { key, at: now, next } };
    const duration = lasted < second ? '' : ` (for ${formatLength(lasted)})`;
    this.#log({ kind: this.#words.kind, text: `${text}${duration}` });
  }

  /** Returns the log entry for the end, if the beginning was logged. */
  resolve(now: Instant): readonly LogEntry[] {
    const lasting = this.#lasting;
    this.#lasting = undefined;
    this.#isUrgent = false;
    if (!lasting?.told) return [];
    return [{ kind: this.#words.over, text: `after ${formatLength(between(lasting.since, now))}` }];
  }
}

const formatLength = (length: Duration): string =>
  formatDuration(asDuration(length < 10 * second ? length : Math.round(length / second) * second));

interface MissingFacts {
  /** Unchanged as long as nothing is worth a new line: the causes, not the kinds that are still waiting. */
  readonly key: string;
  readonly text: string;
}

/** The words for all kinds with the same cause. */
interface MissingCause {
  readonly name: string;
  readonly say: (kinds: string, fault: string) => string;
}

const noKarpenter: MissingCause = {
  name: 'no-karpenter',
  say: (kinds) => `the server does not know ${kinds} in ${apiKindOf('NodePool').apiVersion}: install Karpenter`,
};
const notInstalled: MissingCause = {
  name: 'not-installed',
  say: (kinds) => `the server does not know ${kinds}: \`lull install\` creates their CustomResourceDefinitions`,
};
const notPermitted: MissingCause = {
  name: 'forbidden',
  say: (kinds) => `Lull may not read ${kinds}: \`lull install\` grants the permissions`,
};
const coming: MissingCause = { name: 'coming', say: (kinds, fault) => `not listed yet: ${kinds}${fault}` };
const again: MissingCause = { name: 'again', say: (kinds, fault) => `being listed again: ${kinds}${fault}` };
const down: MissingCause = { name: 'down', say: (kinds, fault) => `the watch of ${kinds} is down${fault}` };
const behind: MissingCause = {
  name: 'behind',
  say: (kinds) => `another Lull has seen newer ${kinds}; this one is catching up`,
};

function causeOf(it: Exclude<Unsynced, { readonly cause: 'other' }>): MissingCause {
  switch (it.cause) {
    case 'not listed':
      if (it.code === unknownKind) return isKarpenters.has(it.kind) ? noKarpenter : notInstalled;
      return it.code === forbidden ? notPermitted : coming;
    case 'listed again':
      return again;
    case 'watch down':
      return down;
    case 'behind':
      return behind;
  }
}

const isKarpenters: ReadonlySet<string> = new Set(['NodePool', 'NodeClaim']);

const faultOf = (it: Unsynced): string => ('fault' in it && it.fault !== undefined ? ` (${it.fault})` : '');

export function describeMissing(why: readonly Unsynced[]): MissingFacts {
  const found = new Map<MissingCause, { readonly kinds: string[]; readonly fault: string }>();
  const others: string[] = [];
  for (const it of why) {
    if (it.cause === 'other') {
      others.push(it.text);
      continue;
    }
    const cause = causeOf(it);
    const group = found.get(cause) ?? { kinds: [], fault: faultOf(it) };
    found.set(cause, group);
    group.kinds.push(it.kind);
  }
  const sentences = [...found].map(([cause, { kinds, fault }]) => cause.say(kinds.join(', '), fault));
  // Digits are countdowns and versions.
  const key = [...[...found.keys()].map(({ name }) => name), ...others.map((text) => text.replace(/\d+/g, ''))].join();
  return { key, text: [...sentences, ...others].join('; ') };
}

/** Progress is logged at most this often. */
const tellEvery = asDuration(5 * second);

interface ParkingPeriod {
  readonly since: Instant;
  readonly toldAt: Instant;
}

export class ParkingProgress {
  #isWhole = false;
  #lasting: ParkingPeriod | undefined;
  #hindrance: string | undefined;

  /** A process that leads again has parked nothing yet. */
  restart(): void {
    this.#isWhole = false;
    this.#lasting = undefined;
    this.#hindrance = undefined;
  }

  /** Why guide is not in force yet, in words; undefined = it is, or there is nothing to park. */
  get hindrance(): string | undefined {
    return this.#hindrance;
  }

  /** After the first time, a node that was just created is not a problem: the next round parks it. */
  next({ parking = [], at }: Pick<Round, 'parking' | 'at'>): readonly LogEntry[] {
    const parked = sum(parking.map((it) => it.parked));
    const unparked = sum(parking.map((it) => it.unparked));
    const missing = this.#isWhole ? sum(parking.map((it) => it.late)) : unparked;
    const all = parked + unparked;
    if (missing === 0) return this.#isDone(at, all);
    this.#hindrance = `parked ${parked} of ${count(all, 'node')}; Karpenter may disrupt the others until they are parked`;
    const { since, toldAt } = this.#lasting ?? { since: at, toldAt: undefined };
    const isDue = toldAt === undefined || between(toldAt, at) >= tellEvery;
    this.#lasting = { since, toldAt: isDue ? at : toldAt };
    return isDue ? [{ kind: 'parking', text: this.#hindrance, parked, nodes: all }] : [];
  }

  #isDone(at: Instant, all: number): readonly LogEntry[] {
    const lasting = this.#lasting;
    this.#isWhole = true;
    this.#lasting = undefined;
    this.#hindrance = undefined;
    if (!lasting) return [];
    const took = formatDuration(asDuration(Math.round(between(lasting.since, at) / second) * second));
    return [{ kind: 'parked', text: `all ${count(all, 'node')}, in ${took}`, parked: all, nodes: all }];
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
