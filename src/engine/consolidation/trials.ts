// Trial offers (F5): nodes that the instance types seen do not prove worth removing, offered a few at a time so that Karpenter judges them.
import type { Command } from '../../cluster/ledger.ts';
import { label } from '../../cluster/names.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { after, earliest, formatInstant, hour, type Instant } from '../../time/instant.ts';
import type { Started } from '../commands/start.ts';
import { stableSince } from '../gates/notStable.ts';
import type { Judged } from '../judged.ts';
import type { Refusal } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';

/** How many trial offers a pool has at a time, and all pools together: each is a node that may be taken. */
const mostOfPool = 3;
const mostOfAll = 10;

/** How long a node that Karpenter did not take is left alone, unless its pods have changed since. */
const retryAfter = hour;

export class Trials {
  /** When the first node that was not taken may be offered again. */
  nextAt: Instant | undefined;
  readonly #situation: Situation;
  readonly #isOn: boolean;
  /** Pools where something else is under way: a trial would use up its units and its room. */
  readonly #busy: ReadonlySet<string>;
  readonly #declinedAt: ReadonlyMap<string, Instant>;
  readonly #running = new Map<string, number>();
  #count = 0;

  constructor(situation: Situation, started: readonly Started[]) {
    const { settings, ledger } = situation;
    this.#situation = situation;
    // Karpenter does not know these two settings, and would take what saves less than they ask for.
    const isEnough = settings.minimumSavings === 0 && settings.podMoveCost === 0;
    this.#isOn = settings.role === 'guide' && isEnough && !situation.typesAwaited;
    const commands = [...ledger.commands, ...started.map(({ command }) => command)];
    this.#busy = new Set(commands.filter(({ trial }) => !trial).map(({ pool }) => pool));
    this.#declinedAt = new Map(ledger.declined?.map(({ node, at }) => [node, at]));
    for (const { pool, trial } of commands) if (trial) this.#add(pool);
  }

  /** Nothing but the types seen speaks against it. */
  isOpenTo({ wish, refusals }: Judged): boolean {
    return this.#isOn && refusals.every(({ typesSeenOnly }) => typesSeenOnly) && !this.#isSpotOnly(wish.view);
  }

  /** Why Karpenter is not asked now, in words; undefined = it may be. */
  refuse({ view, pool }: Wish): string | undefined {
    const retry = this.#retryAt(view);
    if (retry && retry.at > this.#situation.now) {
      this.nextAt = earliest(this.nextAt, retry.at);
      return `Karpenter did not take it when it was offered, until ${formatInstant(retry.triedAt)}; it is offered again from ${formatInstant(retry.at)}`;
    }
    const name = pool?.name ?? '';
    if (this.#busy.has(name))
      return 'it is offered to Karpenter, which may know one, once nothing else is under way in its pool';
    const isFull = (this.#running.get(name) ?? 0) >= mostOfPool || this.#count >= mostOfAll;
    return isFull ? 'it is offered to Karpenter, which may know one, after others' : undefined;
  }

  readonly mark = (started: Started): Started => {
    const command: Command = { ...started.command, trial: true };
    this.#add(command.pool);
    return { ...started, command };
  };

  tell(refusals: readonly Refusal[], words: string): readonly Refusal[] {
    return refusals.map((refusal) => ({ ...refusal, message: `${refusal.message}; ${words}` }));
  }

  #add(pool: string): void {
    this.#running.set(pool, (this.#running.get(pool) ?? 0) + 1);
    this.#count++;
  }

  /** A spot node is replaced by a spot node, if at all. */
  #isSpotOnly({ node }: NodeView): boolean {
    return node.labels[label.capacityType] === 'spot' && !this.#situation.settings.spotToSpot;
  }

  /** Undefined = at once. */
  #retryAt(view: NodeView): { readonly triedAt: Instant; readonly at: Instant } | undefined {
    const triedAt = this.#declinedAt.get(view.node.name);
    if (triedAt === undefined || (stableSince(view) ?? triedAt) > triedAt) return undefined;
    return { triedAt, at: after(triedAt, retryAfter) };
  }
}
