// Random budgets of a pool, old spellings and invalid values included.
import { type PlainBudget, rackKey, zoneKey } from '../plain.ts';
import { badSchedule, schedule } from './schedules.ts';
import { odd, type World } from './world.ts';

const counts = ['0', '1', '2', '3', '5', '8', '0%', '20%', '34%', '50%', '100%', '100%'];
const reasons = ['Unhealthy', 'Empty', 'Drifted', 'Expired', 'Rebalance', 'Underutilized'];
const badCounts = ['-1', '150%', 'some', '1.5'];

/** Undefined = the pool has no budgets field. */
export function budgets(world: World): PlainBudget[] | undefined {
  const { dice, theme } = world;
  if (dice.chance(0.1)) return undefined;
  if (theme === 'full' && dice.chance(0.6)) return [{ nodes: '100%' }];
  // A freeze, followed by a limit that nodes already consumed may reach (C7).
  if (theme === 'sick' && dice.chance(0.4))
    return [{ nodes: '0', ...when(world, 1) }, { nodes: dice.pick(['1', '2', '3']) }];
  if (theme === 'hours' && dice.chance(0.5)) return [{ nodes: '0', ...when(world, 1) }, { nodes: '5' }];
  const flat = dice.many(dice.pick([0, 0, 1, 1, 1, 2, 3]), () => flatBudget(world));
  const topology = dice.chance(theme === 'roll' ? 0.95 : 0.35)
    ? dice.many(dice.pick([1, 1, 1, 2]), () => topologyBudget(world))
    : [];
  const all = dice.shuffled([...flat, ...topology]);
  if (odd(world, 0.03)) all.push(badBudget(world));
  return all;
}

function flatBudget(world: World): PlainBudget {
  const { dice } = world;
  const named = dice.chance(0.4) ? dice.some(reasons, dice.whole(1, 3)) : undefined;
  const budget: PlainBudget = {
    ...amount(world),
    ...(named && { reasons: named }),
    ...when(world, world.theme === 'sick' ? 0.8 : 0.3),
  };
  return odd(world, 0.05) ? oldSpelling(budget) : budget;
}

function topologyBudget(world: World): PlainBudget {
  const { dice } = world;
  const sequential = dice.chance(0.7);
  return {
    ...(dice.chance(0.6) ? { nodes: dice.pick(['1', '2', '50%', '100%']) } : amount(world)),
    topologyKey: dice.chance(0.85) ? zoneKey : rackKey,
    ...(sequential && { sequential }),
    ...(sequential && dice.chance(0.9) && { settle: dice.pick(['90s', '20m', '1h']) }),
    ...(sequential && dice.chance(0.6) && { patience: dice.pick(['5m', '5m', '30m', '3h']) }),
    ...(dice.chance(0.2) && { reasons: dice.chance(0.7) ? ['Drifted'] : ['Empty'] }),
    ...when(world, 0.15),
  };
}

const amount = ({ dice }: World): PlainBudget => (dice.chance(0.06) ? {} : { nodes: dice.pick(counts) });

function when(world: World, probability: number): PlainBudget {
  if (!world.dice.chance(probability)) return {};
  const { cron, ...rest } = schedule(world);
  return { schedule: cron, ...rest };
}

/** The same budget in the older spelling: maxUnavailable, reason and crontab (C2). */
function oldSpelling({ nodes, reasons: named, schedule: cron, ...rest }: PlainBudget): PlainBudget {
  return {
    ...rest,
    ...(nodes !== undefined && { maxUnavailable: nodes }),
    ...(named && { reason: named[0] === 'Drifted' ? 'drift' : String(named[0]).toLowerCase() }),
    ...(cron && { crontab: cron }),
  };
}

/** A budget with an invalid count, schedule, duration, sequential or reason (C8). */
function badBudget(world: World): PlainBudget {
  const { dice } = world;
  const { cron = '@daily', ...rest } = badSchedule(world);
  return dice.pick<PlainBudget>([
    { nodes: dice.pick(badCounts) },
    { nodes: '1', schedule: cron, ...rest },
    { nodes: '1', duration: '1h' },
    { nodes: '1', sequential: true },
    { nodes: '1', reasons: ['Boredom'] },
  ]);
}
