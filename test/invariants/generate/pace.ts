// Random waits and rates of pools (P). Drawn apart from all else, so that the other parts of a cluster do not depend on them.
import { Dice } from '../dice.ts';
import type { PlainBudget, PlainStarts, PlainWindow, Texts } from '../plain.ts';
import { schedule } from './schedules.ts';
import { odd, stamp, type World } from './world.ts';

/** Shorter and longer than the nodes have been drifted. */
const waits = ['0s', '1m', '20m', '2h', '30h', '9000h'];

export interface Pace {
  readonly budgets: PlainBudget[] | undefined;
  readonly annotations: Texts;
}

export function pace(world: World, name: string, budgets: PlainBudget[] | undefined): Pace {
  const dice = new Dice(Math.floor(world.now / 1000) + name.charCodeAt(0));
  const apart = { ...world, dice };
  const list = budgets?.map((budget) =>
    mayWait(budget) && dice.chance(0.3) ? { ...budget, driftAfter: dice.pick(waits) } : budget,
  );
  if (list && dice.chance(apart.theme === 'roll' ? 0.5 : 0.3)) list.push(waveBudget(dice));
  if (list && odd(apart, 0.02)) list.push(badWait(dice));
  // Fewer if nodes are unhealthy, so that some are still repaired.
  if (list && dice.chance(apart.theme === 'sick' ? 0.1 : 0.3))
    list.push(...dice.many(dice.pick([1, 1, 2]), () => rate(apart)));
  return {
    budgets: list,
    annotations: dice.chance(0.1) ? { 'lull.dev/drift-after': dice.pick(waits) } : {},
  };
}

const mayWait = ({ reasons, schedule, crontab }: PlainBudget): boolean =>
  reasons?.includes('Drifted') === true && schedule === undefined && crontab === undefined;

/** More often in the theme `roll`, in which many nodes are drifted. */
const waveBudget = (dice: Dice): PlainBudget => ({
  nodes: dice.pick(['50%', '100%']),
  reasons: ['Drifted'],
  waves: dice.pick([['1'], ['2', '50%'], ['1', '30%', '60%'], ['20%'], ['1', '1']]),
  ...(dice.chance(0.75) && { settle: dice.pick(['2m', '10m', '5h']) }),
  ...(dice.chance(0.4) && { haltAfter: dice.pick([0, 1, 2]) }),
});

function rate(world: World): PlainBudget {
  const { dice } = world;
  const { cron, ...rest } = schedule(world);
  return {
    nodes: dice.pick(['0', '1', '1', '2', '3', '20%', '50%']),
    per: dice.pick(['1m', '10m', '1h', '24h', '720h']),
    ...(dice.chance(0.3) && { reasons: dice.some(['Drifted', 'Empty', 'Expired', 'Unhealthy'], 2) }),
    ...(dice.chance(0.3) && { schedule: cron, ...rest }),
  };
}

/** Starts recorded in the ledger, for pools and windows: within and beyond their periods. */
export function starts(
  world: World,
  kind: PlainStarts['kind'],
  name: string,
  claims: readonly string[],
): PlainStarts[] {
  const dice = new Dice(Math.floor(world.now / 1000) + name.length);
  if (!dice.chance(0.6)) return [];
  const ages = dice.some([0, 1, 4, 9, 30, 59, 61, 300, 1441, 9000], dice.whole(0, 4)).sort((a, b) => b - a);
  const minute = 60_000;
  const minutes = ages.map((age) => ({
    at: stamp((Math.floor(world.now / minute) - age) * minute),
    nodes: dice.whole(1, 2),
  }));
  return [{ kind, name, minutes, leaving: dice.some(claims, 2) }];
}

/** A rate of a window that caps (P2). */
export function windowRate(world: World, name: string, { nodes, schedules }: PlainWindow['spec']): { per?: string } {
  const dice = new Dice(Math.floor(world.now / 1000) + name.charCodeAt(name.length - 1));
  if (nodes === undefined || nodes === '0' || !dice.chance(0.4)) return {};
  return { per: schedules && dice.chance(0.5) ? 'opening' : dice.pick(['10m', '1h', '24h']) };
}

const badWait = (dice: Dice): PlainBudget =>
  dice.pick<PlainBudget>([
    { nodes: '1', driftAfter: '1h' },
    { nodes: '1', reasons: ['Drifted'], schedule: '@daily', duration: '1h', driftAfter: '1h' },
  ]);
