// Random settings.
import type { PlainSettings } from '../plain.ts';
import { types } from './nodes.ts';
import type { World } from './world.ts';

export function settings(world: World): PlainSettings {
  const { dice, theme, role } = world;
  return {
    role,
    ...(dice.chance(0.06) && { pools: dice.pick(['team=red', 'team!=red']) }),
    ...(dice.chance(0.3) && { defaultBudgets: 'ceiling' as const }),
    ...(dice.chance(0.3) && { endingMachines: 'ignore' as const }),
    ...(dice.chance(0.12) && { expiration: 'forceful' as const }),
    ...(dice.chance(0.3) && { expireLead: dice.pick(['0s', '1h', '100h']) }),
    ...(dice.chance(0.2) && { drift: 'computed' as const }),
    ...(dice.chance(0.3) && { repairAfter: dice.pick(['1m', '10m', '2h']) }),
    ...(dice.chance(0.4) && { repairBreaker: dice.pick(['1', '50%', '100%', '0']) }),
    ...(dice.chance(theme === 'hours' ? 0.8 : 0.1) && { windowMargin: dice.pick(['90s', '30m', '3h', '3h', '10h']) }),
    ...(dice.chance(0.35) && { catalogue: catalogue(world) }),
    ...(role === 'guide' && dice.chance(0.1) && { withhold: 'Karpenter is away.' }),
  };
}

function catalogue({ dice, zones }: World): unknown[] {
  return dice.some(types, dice.whole(1, 3)).map(({ name, cpu, memory, price }) => ({
    name,
    cpu,
    memory,
    pods: '12',
    offerings: zones.flatMap((zone) =>
      ['spot', 'on-demand'].map((capacityType) => ({
        zone,
        capacityType,
        price: capacityType === 'spot' ? price / 2 : price,
        available: dice.chance(0.9),
      })),
    ),
  }));
}
