// A rate limit in one round: how many nodes began, how many more may begin, and when (P1, P2).
import type { StartMinute } from '../../cluster/ledger.ts';
import { formatDuration } from '../../time/duration.ts';
import { type Duration, formatInstant, type Instant } from '../../time/instant.ts';
import { type Refusal, type RuleOwner, refuse } from '../refusal.ts';
import { describeNodes } from '../rules/budgets.ts';
import type { RateReport } from '../verdict.ts';
import type { StartCount } from './startCounts.ts';

interface RateTerms {
  /** `budgets[1] of pool web`, `MaintenanceWindow nights` */
  readonly name: string;
  readonly owner: RuleOwner;
  readonly per: Duration | 'opening';
  readonly limit: number;
  readonly count: StartCount;
  /** Until when a start counts. */
  countsUntil(start: StartMinute): Instant;
  /** Appended to the message. */
  readonly note?: string;
}

export class PeriodLimit {
  readonly terms: RateTerms;
  readonly #now: Instant;
  /** The starts that count now, with the instant at which each no longer does; that instant ascends. */
  readonly #begun: readonly (StartMinute & { readonly until: Instant })[];
  /** Nodes that began. */
  readonly began: number;
  /** Nodes that began, and nodes in flight that have not. */
  readonly usedAtStart: number;
  /** The next instant at which a start no longer counts. */
  readonly changesAt: Instant | undefined;
  #chosen = 0;
  /** The refusal is the same for all nodes until another one is chosen. */
  #said: { readonly chosen: number; readonly liftsAt: Instant | undefined; readonly refusal: Refusal } | undefined;

  constructor(terms: RateTerms, now: Instant) {
    this.terms = terms;
    this.#now = now;
    this.#begun = terms.count.minutes
      .map((start) => ({ ...start, until: terms.countsUntil(start) }))
      .filter(({ until }) => now < until);
    this.began = this.#begun.reduce((sum, { nodes }) => sum + nodes, 0);
    this.usedAtStart = this.began + terms.count.pending;
    this.changesAt = this.#begun[0]?.until;
  }

  isSpent(): boolean {
    return this.usedAtStart + this.#chosen >= this.terms.limit;
  }

  spend(change: 1 | -1): void {
    this.#chosen += change;
  }

  /** When one more may begin, if nothing else begins: now if it may. Undefined = time alone does not permit it. */
  freeAt(): Instant | undefined {
    const { limit } = this.terms;
    let used = this.usedAtStart;
    if (used < limit) return this.#now;
    for (const { nodes, until } of this.#begun) {
      used -= nodes;
      if (used < limit) return until;
    }
    return undefined;
  }

  /** `nextAt`: when a node may begin again, if that is later than `freeAt`. */
  refuse(liftsAt: Instant | undefined, nextAt = this.freeAt()): Refusal {
    const last = this.#said;
    if (last?.chosen === this.#chosen && last.liftsAt === liftsAt) return last.refusal;
    const refusal = refuse('RateSpent', this.#sentence(nextAt), { owner: this.terms.owner, liftsAt });
    this.#said = { chosen: this.#chosen, liftsAt, refusal };
    return refusal;
  }

  #sentence(nextAt: Instant | undefined): string {
    const { name, limit, per, count, note = '' } = this.terms;
    if (limit === 0) return `${name} allows no node to begin${note}`;
    const [first] = this.#begun;
    const use = [
      first ? `${this.began} began since ${formatInstant(first.at)}` : `${this.began} began`,
      ...(count.pending > 0 ? [`${count.pending} more in flight`] : []),
      ...(this.#chosen > 0 ? [`${this.#chosen} chosen in this round`] : []),
    ].join(', ');
    const next = nextAt === undefined || nextAt === this.#now ? '' : `; the next may begin at ${formatInstant(nextAt)}`;
    return `${name} allows ${describeNodes(limit)} to begin in ${describePeriod(per)}; ${use}${next}${note}`;
  }

  report(): RateReport {
    const { owner, per, limit } = this.terms;
    const used = this.usedAtStart;
    const freeAt = used < limit ? undefined : this.freeAt();
    return {
      owner,
      per: per === 'opening' ? per : formatDuration(per),
      limit,
      used,
      left: Math.max(0, limit - used),
      ...(freeAt !== undefined && { freeAt }),
    };
  }
}

/** `any 24h`, `one opening` */
const describePeriod = (per: Duration | 'opening'): string =>
  per === 'opening' ? 'one opening' : `any ${formatDuration(per)}`;
