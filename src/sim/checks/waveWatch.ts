// Checks that a roll keeps to its waves (P3, P4) and halts (P5), with its own count of the nodes it has replaced.

import type { Budget } from '../../cluster/model.ts';
import type { LedgerRecord, RawRoll } from '../ledgerRecord.ts';
import { compiled } from './compiledPolicies.ts';
import { type CheckFinding, decidedAt, finding, type LedgerWrite, startsOf } from './ledgerWrite.ts';
import { unitsOf } from './startLimits.ts';

/** One roll, as observed. */
interface RollRecord {
  readonly startedAt: number;
  /** The nodes that were Ready when it began. */
  readonly ready: ReadonlySet<string>;
  /** Drifted nodes whose command ended with the node. */
  readonly replaced: Set<string>;
}

export class WaveWatch {
  /** By pool. */
  readonly #watched = new Map<string, RollRecord>();

  see(written: LedgerWrite): CheckFinding[] {
    this.#followEnds(written);
    const passes = written.before.rolls.flatMap((roll) => this.#passes(roll, written));
    this.#followRolls(written);
    const byPool = Map.groupBy(
      startsOf(written).filter(({ reason }) => reason === 'Drifted'),
      ({ host }) => host.pool ?? '',
    );
    return [...passes, ...[...byPool.keys()].flatMap((pool) => this.#beyond(pool, written))];
  }

  #followEnds({ before, after, sight }: LedgerWrite): void {
    for (const [id, { reason, pool, nodes }] of before.commands) {
      if (reason !== 'Drifted' || after.commands.has(id)) continue;
      for (const { name } of nodes) if (!sight.host(name)) this.#watched.get(pool)?.replaced.add(name);
    }
  }

  #followRolls({ after, sight }: LedgerWrite): void {
    for (const { pool, startedAt } of after.rolls) {
      if (this.#watched.get(pool)?.startedAt === startedAt) continue;
      const ready = sight.hosts().filter((host) => host.pool === pool && host.isReady);
      this.#watched.set(pool, { startedAt, ready: new Set(ready.map(({ name }) => name)), replaced: new Set() });
    }
  }

  /** A wave may pass only with nothing in flight, every node Ready, and healthy for the settle time. */
  #passes(roll: RawRoll, written: LedgerWrite): CheckFinding[] {
    const { before, after, sight } = written;
    const next = after.rolls.find((it) => it.pool === roll.pool && it.startedAt === roll.startedAt);
    const budget = waveBudget(roll.pool, written);
    const watched = this.#watched.get(roll.pool);
    if (!next || !budget || !watched || next.wave === roll.wave || roll.passAsked !== undefined) return [];
    const now = decidedAt(written);
    const wellFor = roll.wellSince === undefined ? 0 : now - roll.wellSince;
    const unready = sight.hosts().filter((host) => watched.ready.has(host.name) && !host.isReady && !host.isLeaving);
    return [
      ...(next.wave < roll.wave ? ['it goes back'] : []),
      ...(driftIn(before, roll.pool).length > 0 ? ['drift is in flight'] : []),
      ...(wellFor < budget.settle ? [`it has been healthy for only ${wellFor / 1000} s`] : []),
      ...unready.map(({ name }) => `node ${name} is not Ready`),
    ].map((why) => finding('P3', `wave ${roll.wave + 1} of ${roll.pool} passes, but ${why}`));
  }

  #beyond(pool: string, written: LedgerWrite): CheckFinding[] {
    const was = written.before.rolls.find((it) => it.pool === pool);
    const roll = written.after.rolls.find((it) => it.pool === pool);
    const isHalted = was?.haltedAt !== undefined && was.startedAt === roll?.startedAt && was.passAsked === undefined;
    if (isHalted) return [finding('P5', `${pool} starts drift, and its roll is halted`)];
    const budget = waveBudget(pool, written);
    if (!budget?.waves) return [];
    if (!roll) return [finding('P4', `${pool} starts drift, and no roll is recorded`)];
    const wave = budget.waves[roll.wave];
    const most = wave ? unitsOf(wave, roll.counted) : Number.POSITIVE_INFINITY;
    const begun = (this.#watched.get(pool)?.replaced.size ?? 0) + driftIn(written.after, pool).length;
    return begun <= most
      ? []
      : [finding('P3', `${begun} nodes of ${pool} have begun in wave ${roll.wave + 1}, which ends after ${most}`)];
  }
}

function waveBudget(pool: string, { sight }: LedgerWrite): Budget | undefined {
  const object = sight.get('NodePool', pool);
  return object && compiled('NodePool', object).budgets.find(({ waves }) => waves !== undefined);
}

/** The nodes of drift commands. */
const driftIn = ({ commands }: LedgerRecord, pool: string): string[] =>
  [...commands.values()].flatMap((command) =>
    command.reason === 'Drifted' && command.pool === pool ? command.nodes.map(({ name }) => name) : [],
  );
