// What became of one wish? Its refusals with what a person could do about each, and what it waits for.
import type { Reason } from '../../cluster/reason.ts';
import { type Instant, latest } from '../../time/instant.ts';
import { type Refusal, refusalCodes } from '../refusal.ts';
import type { Round, Verdict } from '../verdict.ts';
import { sayClock } from './clockWords.ts';
import { needsPerson, untilWhen } from './untilWhen.ts';

/** A refusal, and what a person could do about it. */
export interface Advised extends Refusal {
  readonly help: string;
}

export const advise = (refusal: Refusal): Advised => ({ ...refusal, help: refusalCodes[refusal.code].help });

/** What has to happen before it may go: time alone, something in the cluster, or a person's decision. */
export type WaitsFor = 'the clock' | 'the cluster' | 'someone';

export interface WishWhy {
  readonly reason: Reason;
  readonly outcome: Verdict['outcome'];
  readonly detail?: string;
  /** Absent where it is not held. */
  readonly waitsFor?: WaitsFor;
  /** Where it waits for the clock alone. */
  readonly until?: Instant;
  readonly podsAgreeAt?: Instant;
  readonly refusals: readonly Advised[];
}

export function explainWish(verdict: Verdict, { allowances }: Round): WishWhy {
  const { reason, outcome, detail, podsAgreeAt, refusals } = verdict;
  return {
    reason,
    outcome,
    ...(detail !== undefined && { detail }),
    ...(outcome === 'held' && waits(verdict, allowances)),
    ...(podsAgreeAt !== undefined && { podsAgreeAt }),
    refusals: refusals.map(advise),
  };
}

function waits(verdict: Verdict, allowances: Round['allowances']): Pick<WishWhy, 'waitsFor' | 'until'> {
  const until = untilWhen(verdict, allowances);
  // E12: each pod's own window may open sooner than all of them are open together.
  if (typeof until === 'object')
    return { waitsFor: 'the clock', until: latest(until.at, verdict.podsAgreeAt) as Instant };
  return { waitsFor: until === 'someone acts' ? 'someone' : 'the cluster' };
}

/** The wish that is nearest to going: what holds it is what holds the node. */
export function nearestWish(verdicts: readonly Verdict[], { allowances }: Round): Verdict | undefined {
  const rank = (verdict: Verdict): [number, number] => {
    const { waitsFor, until = 0 } = waits(verdict, allowances);
    return [waitsFor === 'the clock' ? 0 : waitsFor === 'the cluster' ? 1 : 2, until];
  };
  const held = verdicts.filter(({ outcome }) => outcome === 'held');
  const ranked = held.map((verdict) => ({ verdict, rank: rank(verdict) }));
  return ranked.sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1])[0]?.verdict;
}

/** `until Sat 22:00 UTC: pod ml/train may be moved only in its window`: how long, and the refusal that decides it. */
export function sayHeld(verdict: Verdict, { allowances, at: now }: Round): string {
  const until = untilWhen(verdict, allowances);
  const { refusals } = verdict;
  const at = refusals.map(({ liftsAt }) => liftsAt).reduce(latest, verdict.podsAgreeAt);
  if (until !== 'someone acts' && at !== undefined) {
    const last = refusals.find(({ liftsAt }) => liftsAt === at);
    const why = last?.message ?? 'not before then may all its pods be moved together';
    return `${typeof until === 'object' ? 'until' : 'at least until'} ${sayClock(at, now)}: ${why}`;
  }
  const lasting = refusals.filter(({ liftsAt }) => liftsAt === undefined);
  const personal = lasting.find((it) => needsPerson(it, verdict, allowances));
  const decisive = personal ?? lasting[0] ?? refusals[0];
  return `until ${typeof until === 'object' ? 'something changes' : until}: ${decisive?.message ?? 'nothing says why'}`;
}
