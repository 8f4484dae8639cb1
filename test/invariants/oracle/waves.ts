// Checks that no more drifted nodes begin than the current wave of a roll allows (P3, P4).
import type { Round } from '../../../src/engine/verdict.ts';
import { readBudgets } from './budgets.ts';
import { ofKind, type Seen, startsOf } from './cluster.ts';
import { amountOf } from './reading.ts';
import { isDriftLeaving } from './turns.ts';

export function beyondWaves(round: Round, seen: Seen): string[] {
  const starts = startsOf(round, seen).filter(({ reason, forced }) => reason === 'Drifted' && !forced);
  const known = ofKind(seen.plain.objects, 'DisruptionLedger')[0]?.spec.rolls ?? [];
  return seen.pools.flatMap((pool) => {
    const { name } = pool.metadata;
    const { waves } = readBudgets(pool)?.find((budget) => budget.waves !== undefined) ?? {};
    const mine = starts.filter(({ host }) => host.pool === pool);
    if (!waves || mine.length === 0) return [];
    const roll = round.ledger.rolls?.find((it) => it.pool === name);
    if (!roll) return [`P4: ${name} starts drift, and no roll is recorded`];
    const going = inFlight(name, seen, round);
    const before = known.find((it) => it.pool === name && Date.parse(it.startedAt) === roll.startedAt);
    const wave = waves[roll.wave];
    const end = wave ? amountOf(wave, roll.counted) : Infinity;
    return [
      ...(before?.haltedAt !== undefined ? [`P5: ${name} starts drift, and its roll is halted`] : []),
      ...(before && before.wave !== roll.wave && going.size > 0
        ? [`P3: ${name} begins a wave with nodes in flight`]
        : []),
      ...(before && roll.done < before.done ? [`P4: ${name} has forgotten nodes that it replaced`] : []),
      ...(!before && roll.wave > 0 ? [`P4: ${name} begins with wave ${roll.wave}`] : []),
      ...(roll.done + going.size + mine.length > end
        ? [`P3: ${name} starts ${mine.length} beside ${going.size} in flight and ${roll.done} replaced, of ${end}`]
        : []),
    ];
  });
}

function inFlight(poolName: string, seen: Seen, round: Round): Set<string> {
  const names = new Set<string>();
  for (const { pool, reason, nodes } of seen.commands) {
    if (reason !== 'Drifted') continue;
    for (const { name } of nodes) {
      const host = seen.hosts.get(name);
      if (host ? host.poolName === poolName && host.managed : pool === poolName) names.add(name);
    }
  }
  for (const host of seen.hosts.values())
    if (host.managed && host.poolName === poolName && isDriftLeaving(host, seen, round)) names.add(host.name);
  return names;
}
