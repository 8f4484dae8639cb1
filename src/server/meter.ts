// What has happened since this program started, in numbers (J5)? Counted where it happens; the last round is asked for itself.
import type { Command, Ledger } from '../cluster/ledger.ts';
import type { Reason } from '../cluster/reason.ts';
import type { Round } from '../engine/verdict.ts';
import type { Clock } from '../runtime/clock.ts';
import { isDeferred } from '../runtime/noticesOfHolds.ts';
import type { Answer, Pass, Request, Tenant, View } from '../runtime/port.ts';
import { between, type Duration, type Instant, second } from '../time/instant.ts';
import { lateAfter } from './lateRounds.ts';

export type Labels = Readonly<Record<string, string>>;

/** Some things that are counted alike. */
export class Tally {
  readonly #counts = new Map<string, { readonly labels: Labels; value: number }>();

  add(labels: Labels = {}, by = 1): void {
    const key = JSON.stringify(labels);
    const known = this.#counts.get(key) ?? { labels, value: 0 };
    known.value += by;
    this.#counts.set(key, known);
  }

  get samples(): readonly { readonly labels: Labels; readonly value: number }[] {
    return [...this.#counts.values()];
  }
}

/** In seconds: a small cluster's round takes a millisecond, the largest's a few seconds, one that somebody made slow on purpose minutes. */
export const roundBuckets: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
];

/** What the metrics and /readyz show of the server's certificate. */
export interface CertificateState {
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Why the pair in the files is not the one that is used, as a sentence; absent = it is. */
  readonly refused?: string;
}

/** Whoever runs a loop hands it to all that have something to count, and to the server. */
export class Meter {
  readonly requests = new Tally();
  readonly commits = new Tally();
  readonly steps = new Tally();
  readonly withdrawn = new Tally();
  readonly ended = new Tally();
  readonly decisions = new Tally();
  readonly deferrals = new Tally();
  /** What commands that were begun save an hour, and how many pods they move, where that is known. */
  readonly savings = new Tally();
  readonly podsMoved = new Tally();
  readonly searches = new Tally();
  /** N7: nodes that were held when their hard expiry took them. */
  readonly forcedExpiries = new Tally();
  /** How many rounds took at most as long as each bucket, and longer than the one before. */
  readonly durations: number[] = [...roundBuckets, Number.POSITIVE_INFINITY].map(() => 0);
  secondsDeciding = 0;
  /** How long the last round took; undefined = this process has decided none since it leads. */
  lastRound: Duration | undefined;
  rounds = 0;
  /** Passes that threw: each is a defect. */
  defects = 0;
  eventsLeftOut = 0;
  /** Statuses and events that could not be written, each time. */
  reportFaults = 0;
  /** Whatever went wrong with a watch, each time. */
  watchFaults = 0;
  /** By pool: when a command of it last entered a step, or was over. */
  readonly progress = new Map<string, Instant>();
  leads: boolean | undefined;
  /** Whether new nodes are parked from birth (N2); undefined = not known, or not guide. */
  bornParked: boolean | undefined;
  /** Of the server, where it serves TLS. */
  certificate: CertificateState | undefined;
  unsynced: number | undefined;
  syncedAt: Instant | undefined;
  #ledger: Ledger | undefined;
  #deferred: ReadonlySet<string> = new Set();

  /** With the ledger it was decided from, since that was committed: what a round only wants is not counted. */
  round(round: Round, ledger?: Ledger): void {
    this.rounds++;
    this.#countDeferrals(round);
    // From zero: an increase can be seen only of what was there before.
    for (const { pool, reason } of round.allowances)
      if (reason === 'Expired') this.forcedExpiries.add({ nodepool: pool }, 0);
    if (!ledger) return;
    if (this.#ledger && this.#ledger !== ledger) this.#countSteps(this.#ledger, ledger, round.at);
    this.#ledger = ledger;
  }

  answered(request: Request, answer: Answer): void {
    const outcome = answer.status;
    if (request.verb !== 'commit') this.requests.add({ verb: request.verb, kind: request.kind, outcome });
    else this.commits.add({ outcome: answer.status === 'refused' && answer.code === 409 ? 'conflict' : outcome });
  }

  /** How long the last round took, where that was too long. */
  get lateRound(): Duration | undefined {
    const { lastRound } = this;
    return lastRound !== undefined && lastRound >= lateAfter ? lastRound : undefined;
  }

  decided(took: Duration): void {
    this.lastRound = took;
    const seconds = took / second;
    this.secondsDeciding += seconds;
    const bucket = roundBuckets.findIndex((most) => seconds <= most);
    const place = bucket < 0 ? roundBuckets.length : bucket;
    this.durations[place] = (this.durations[place] ?? 0) + 1;
  }

  looked({ unsynced }: View, now: Instant): void {
    this.unsynced = unsynced.length;
    if (unsynced.length === 0) this.syncedAt = now;
  }

  #countSteps(before: Ledger, ledger: Ledger, now: Instant): void {
    const known = new Map(before.commands.map((command) => [command.id, command]));
    for (const command of ledger.commands) {
      const was = known.get(command.id);
      known.delete(command.id);
      if (was?.step === command.step) continue;
      const labels = labelsOf(command);
      this.progress.set(command.pool, now);
      this.steps.add({ ...labels, step: command.step });
      if (command.step === 'withdrawn') this.withdrawn.add(labels);
      if (!was) this.#countBegun(command);
    }
    for (const command of known.values()) {
      const isBack = command.step === 'withdrawn' || command.step === 'released';
      this.progress.set(command.pool, now);
      this.ended.add({ ...labelsOf(command), how: isBack ? 'released' : 'gone' });
    }
  }

  #countBegun(command: Command): void {
    const { hands, savings = 0, podsMoved = 0 } = command;
    if (hands === 'lull') this.decisions.add(decisionOf(command));
    // A counter never falls: what costs more is replaced for another reason than its price.
    if (savings > 0) this.savings.add(labelsOf(command), savings);
    if (podsMoved > 0) this.podsMoved.add(labelsOf(command), podsMoved);
  }

  /** Once for each pod and drain, not for each round. */
  #countDeferrals({ commands, pods }: Round): void {
    const waiting = commands.filter(({ waitingFor = [] }) => waitingFor.length > 0);
    const nodes = new Set(waiting.flatMap((command) => command.nodes.map(({ name }) => name)));
    const deferred = pods.filter((pod) => nodes.has(pod.node) && isDeferred(pod));
    const keys = new Set(deferred.map(({ namespace, name }) => `${namespace}/${name}`));
    const fresh = keys.difference(this.#deferred).size;
    if (fresh > 0) this.deferrals.add({}, fresh);
    this.#deferred = keys;
  }
}

const labelsOf = ({ pool, reason }: Command): Labels => ({ nodepool: pool, reason });

/** As Karpenter counts its own. */
function decisionOf({ reason, nodes, replacements }: Command): Labels {
  const types: Partial<Record<Reason, string>> = {
    Empty: 'empty',
    Underutilized: nodes.length > 1 ? 'multi' : 'single',
  };
  return {
    decision: replacements.length > 0 ? 'replace' : 'delete',
    reason: reason.toLowerCase(),
    consolidation_type: types[reason] ?? '',
  };
}

/** A tenant whose rounds are timed: from the look at the facts to the first request, which is all that a round is. */
export const meteredTenant = (tenant: Tenant, meter: Meter, clock: Clock): Tenant => ({
  *pass(now): Pass {
    const began = clock.now;
    const pass = tenant.pass(now);
    let step = pass.next();
    meter.decided(between(began, clock.now));
    while (!step.done) step = pass.next(yield step.value);
    return step.value;
  },
});
