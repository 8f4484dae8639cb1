// Trial offers (F5): Karpenter judges nodes for which the known instance types show no saving, a few at a time.
import type { Command } from '../../cluster/ledger.ts';
import { label } from '../../cluster/names.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { after, earliest, formatInstant, hour, type Instant } from '../../time/instant.ts';
import { stableSince } from '../gates/nodeGates.ts';
import type { Refusal } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { StartedCommand, WishOutcome } from '../wishOutcome.ts';

/** The maximum number of trial offers per pool and in total: Karpenter may take each of these nodes. */
const mostOfPool = 3;
const mostOfAll = 10;

/** How long to wait before a declined node is offered again, unless its pods have changed. */
const retryAfter = hour;

export class TrialOffers {
  /** When the first declined node may be offered again. */
  nextAt: Instant | undefined;
  readonly #situation: Situation;
  readonly #isOn: boolean;
  /** Pools with other commands under way: a trial would use up their allowance and room. */
  readonly #busy: ReadonlySet<string>;
  readonly #declinedAt: ReadonlyMap<string, Instant>;
  readonly #running = new Map<string, number>();
  #count = 0;

  constructor(situation: Situation, started: readonly StartedCommand[]) {
    const { settings, ledger } = situation;
    this.#situation = situation;
    // Karpenter does not know these two settings and would take nodes that save less than they require.
    const isEnough = settings.minimumSavings === 0 && settings.podMoveCost === 0;
    this.#isOn = settings.role === 'guide' && isEnough && !situation.typesAwaited;
    const commands = [...ledger.commands, ...started.map(({ command }) => command)];
    this.#busy = new Set(commands.filter(({ trial }) => !trial).map(({ pool }) => pool));
    this.#declinedAt = new Map(ledger.declined?.map(({ node, at }) => [node, at]));
    for (const { pool, trial } of commands) if (trial) this.#add(pool);
  }

  /** Whether all its refusals depend on the known instance types only. */
  isOpenTo({ wish, refusals }: WishOutcome): boolean {
    return this.#isOn && refusals.every(({ typesSeenOnly }) => typesSeenOnly) && !this.#isSpotOnly(wish.view);
  }

  /** Why the node is not offered now; undefined = it may be. */
  refuse({ view, pool }: Wish): string | undefined {
    const retry = this.#retryAt(view);
    if (retry && retry.at > this.#situation.now) {
      this.nextAt = earliest(this.nextAt, retry.at);
      return `Karpenter did not take it when it was offered until ${formatInstant(retry.triedAt)}; it can be offered again from ${formatInstant(retry.at)}`;
    }
    const name = pool?.name ?? '';
    if (this.#busy.has(name))
      return 'it will be offered to Karpenter, which may know more types, once nothing else is under way in its pool';
    const isFull = (this.#running.get(name) ?? 0) >= mostOfPool || this.#count >= mostOfAll;
    return isFull ? 'it will be offered to Karpenter, which may know more types, after other nodes' : undefined;
  }

  readonly mark = (started: StartedCommand): StartedCommand => {
    const command: Command = { ...started.command, trial: true };
    this.#add(command.pool);
    return { ...started, command };
  };

  addNote(refusals: readonly Refusal[], note: string): readonly Refusal[] {
    return refusals.map((refusal) => ({ ...refusal, message: `${refusal.message}; ${note}` }));
  }

  #add(pool: string): void {
    this.#running.set(pool, (this.#running.get(pool) ?? 0) + 1);
    this.#count++;
  }

  /** A spot node can only be replaced by a spot node, which spotToSpot must allow. */
  #isSpotOnly({ node }: NodeView): boolean {
    return node.labels[label.capacityType] === 'spot' && !this.#situation.settings.spotToSpot;
  }

  /** Undefined = now. */
  #retryAt(view: NodeView): { readonly triedAt: Instant; readonly at: Instant } | undefined {
    const triedAt = this.#declinedAt.get(view.node.name);
    if (triedAt === undefined || (stableSince(view) ?? triedAt) > triedAt) return undefined;
    return { triedAt, at: after(triedAt, retryAfter) };
  }
}
