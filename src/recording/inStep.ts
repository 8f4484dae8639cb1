// How long does another policy do just what the recorded one did? Until then the facts are the recorded ones, to the letter.
import { emptyLedger, type Ledger } from '../cluster/ledger.ts';
import type { Settings } from '../cluster/settings.ts';
import { ClusterStore } from '../cluster/store.ts';
import { decideRound } from '../engine/round.ts';
import type { Facts } from '../engine/situation.ts';
import type { Round } from '../engine/verdict.ts';
import type { Json } from '../kinds/reader.ts';
import type { Instant } from '../time/instant.ts';
import type { Gone } from './line.ts';
import { keyOf } from './observed.ts';
import type { Policy } from './policy.ts';
import { put, remove } from './replay.ts';

/** A policy with its settings, and the recorded cluster under it. */
interface Side {
  cluster: ClusterStore;
  readonly settings: Settings;
}

export class InStep {
  readonly #policy: Policy;
  readonly #recorded: Side;
  readonly #other: Side;
  #ledger: Ledger = emptyLedger;
  #proposals: Facts['proposals'];
  #types: Facts['instanceTypes'];

  constructor(policy: Policy, recorded: Settings, other: Settings) {
    this.#policy = policy;
    this.#recorded = { cluster: new ClusterStore(), settings: recorded };
    this.#other = { cluster: new ClusterStore(), settings: other };
  }

  keyframe(): void {
    this.#recorded.cluster = new ClusterStore();
    this.#other.cluster = new ClusterStore();
    for (const object of this.#policy.objects) put(this.#other.cluster, object);
  }

  put(object: Json): void {
    put(this.#recorded.cluster, object);
    put(this.#other.cluster, this.#policy.over(object));
  }

  gone(which: Gone): void {
    remove(this.#recorded.cluster, which);
    if (!this.#policy.has(keyOf(which))) remove(this.#other.cluster, which);
  }

  note(ledger: Ledger): void {
    this.#ledger = ledger;
  }

  /** Hints that the recorded policy was given: the other is given them too. */
  hint(proposals: Facts['proposals']): void {
    this.#proposals = proposals;
  }

  /** What Karpenter's metrics said: both policies know it. */
  price(types: Facts['instanceTypes']): void {
    this.#types = types;
  }

  /** The other policy's round, and whether both start the same in it. Between recorded rounds the recorded policy starts nothing. */
  decide(at: Instant, isRecorded: boolean): { readonly round: Round; readonly isSame: boolean } {
    const round = this.#round(this.#other, at);
    const starts = isRecorded ? startsOf(this.#round(this.#recorded, at)) : '';
    return { round, isSame: startsOf(round) === starts };
  }

  #round({ cluster, settings }: Side, at: Instant): Round {
    const [proposals, instanceTypes] = [this.#proposals, this.#types];
    const hints = { ...(proposals && { proposals }), ...(instanceTypes && { instanceTypes }) };
    return decideRound({ cluster, ledger: this.#ledger, ...hints }, at, settings);
  }
}

const startsOf = ({ commands, at }: Round): string =>
  commands
    .filter(({ startedAt }) => startedAt === at)
    .map(({ id }) => id)
    .join(' ');
