// Counters since the start of the process (J5).
import type { Command } from '../cluster/ledger.ts';
import type { Reason } from '../cluster/reason.ts';
import { changesBetween, type RoundChange, type RoundSnapshot, snapshotOf } from '../engine/changes/changes.ts';
import type { RoundWithFacts } from '../engine/changes/roundWithFacts.ts';
import type { Clock } from '../runtime/clock.ts';
import type { ApiRequest, ApiResponse, ClusterView, Pass, Reconciler } from '../runtime/port.ts';
import { between, type Duration, type Instant, second } from '../time/instant.ts';
import { lateAfter } from './lateRounds.ts';

export type Labels = Readonly<Record<string, string>>;

/** A counter with labels. */
export class LabeledCounter {
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

/** In seconds: a round takes a millisecond in a small cluster, a few seconds in the largest, and minutes with hostile input. */
export const roundBuckets: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
];

/** The certificate's state for metrics and /readyz. */
export interface CertificateState {
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Why the pair in the files is not used; absent if it is. */
  readonly refused?: string;
}

/** Created with the control loop and shared with everything that counts, and with the server. */
export class Meter {
  readonly requests = new LabeledCounter();
  readonly commits = new LabeledCounter();
  readonly steps = new LabeledCounter();
  readonly withdrawn = new LabeledCounter();
  readonly ended = new LabeledCounter();
  readonly decisions = new LabeledCounter();
  /** Savings per hour and pods to move of the commands started, if known. */
  readonly savings = new LabeledCounter();
  readonly podsMoved = new LabeledCounter();
  readonly searches = new LabeledCounter();
  /** Checks of HealthGates, by result (O6). */
  readonly gateChecks = new LabeledCounter();
  /** Nodes that Karpenter's hard expiry disrupted while they were held (N7). */
  readonly forcedExpiries = new LabeledCounter();
  /** How many rounds fall into each bucket; not cumulative. */
  readonly durations: number[] = [...roundBuckets, Number.POSITIVE_INFINITY].map(() => 0);
  secondsDeciding = 0;
  /** How long the last round took; undefined if this process has decided none since it became the leader. */
  lastRound: Duration | undefined;
  rounds = 0;
  /** Pods that a schedule held on a node being drained, once per drain. */
  deferrals = 0;
  /** Passes that threw an exception: each is a bug. */
  defects = 0;
  eventsLeftOut = 0;
  /** Statuses and events that could not be written. */
  reportFaults = 0;
  /** Failures of watches. */
  watchFaults = 0;
  /** By pool: when one of its commands last entered a step or ended. */
  readonly progress = new Map<string, Instant>();
  leads: boolean | undefined;
  /** Whether new nodes are parked on creation (N2); undefined if unknown, or not in role guide. */
  bornParked: boolean | undefined;
  /** Of the server, with TLS. */
  certificate: CertificateState | undefined;
  unsynced: number | undefined;
  syncedAt: Instant | undefined;
  #before: RoundSnapshot | undefined;

  /** Counts the commands of the committed ledger, not those the round only decided. */
  round(seen: RoundWithFacts): void {
    const { round } = seen;
    this.rounds++;
    // Start at zero: Prometheus sees an increase only if the series existed before.
    for (const { pool, reason } of round.allowances)
      if (reason === 'Expired') this.forcedExpiries.add({ nodepool: pool }, 0);
    const before = this.#before;
    this.#before = snapshotOf(before, seen, { kinds: ['command', 'deferredPod'] });
    for (const change of changesBetween(before, this.#before)) {
      if (change.kind === 'command' && before) this.#countCommand(change, round.at);
      // Once per pod and drain, not per round.
      if (change.kind === 'deferredPod' && !change.was) this.deferrals++;
    }
  }

  answered(request: ApiRequest, answer: ApiResponse): void {
    const outcome = answer.status;
    if (request.verb !== 'commit') this.requests.add({ verb: request.verb, kind: request.kind, outcome });
    else this.commits.add({ outcome: answer.status === 'refused' && answer.code === 409 ? 'conflict' : outcome });
  }

  /** How long the last round took, if it was late. */
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

  looked({ unsynced }: ClusterView, now: Instant): void {
    this.unsynced = unsynced.length;
    if (unsynced.length === 0) this.syncedAt = now;
  }

  #countCommand({ was, is }: RoundChange<'command'>, now: Instant): void {
    const command = is ?? was;
    if (!command) return;
    const labels = labelsOf(command);
    this.progress.set(command.pool, now);
    if (!is) {
      const isBack = command.step === 'withdrawn' || command.step === 'released';
      this.ended.add({ ...labels, how: isBack ? 'released' : 'gone' });
      return;
    }
    this.steps.add({ ...labels, step: is.step });
    if (is.step === 'withdrawn') this.withdrawn.add(labels);
    if (was) return;
    const { hands, savings = 0, podsMoved = 0 } = is;
    if (hands === 'lull') this.decisions.add(decisionOf(is));
    // A counter never decreases, and commands that cost more have another reason than price.
    if (savings > 0) this.savings.add(labels, savings);
    if (podsMoved > 0) this.podsMoved.add(labels, podsMoved);
  }
}

const labelsOf = ({ pool, reason }: Command): Labels => ({ nodepool: pool, reason });

/** The labels of Karpenter's own metric. */
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

/** Measures how long a reconciler decides: from the start of a pass to its first request. */
export const meteredReconciler = (reconciler: Reconciler, meter: Meter, clock: Clock): Reconciler => ({
  *pass(now): Pass {
    const began = clock.now;
    const pass = reconciler.pass(now);
    let step = pass.next();
    meter.decided(between(began, clock.now));
    while (!step.done) step = pass.next(yield step.value);
    return step.value;
  },
});
