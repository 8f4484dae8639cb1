// A random situation from a seed, rich enough to reach every refusal.
import { Dice } from './dice.ts';
import { healthGate } from './generate/gates.ts';
import { ledger } from './generate/ledger.ts';
import { node } from './generate/nodes.ts';
import { withPeople } from './generate/people.ts';
import { namespaces, pendingPod, pod } from './generate/pods.ts';
import { pool } from './generate/pools.ts';
import { maintenanceWindow, namespace, pdb, podSchedule } from './generate/rules.ts';
import { settings } from './generate/settings.ts';
import { stamp, type Theme, type World } from './generate/world.ts';
import type { Plain, PlainNode, PlainObject } from './plain.ts';

/** Far from any DST change in the time zones used, which the test's own cron parser does not handle (B3 has its own tests). */
const from = Date.parse('2026-11-10T00:00:00Z');
const days = 40;

const themes: readonly Theme[] = ['mixed', 'full', 'full', 'full', 'roll', 'roll', 'roll', 'sick', 'hours', 'hours'];

export function randomCluster(seed: number): Plain {
  const world = randomWorld(new Dice(seed));
  const { dice } = world;
  const pools = ['a', 'b', 'c', 'd'].slice(0, dice.whole(1, 4)).map((name) => pool(world, name));
  const nodes = pools.flatMap((owner) =>
    dice.many(dice.pick([0, 2, 3, 4, 6, 9]), (index) => node(world, `${owner.metadata.name}${index}`, owner)),
  );
  const names = nodes.map(([{ metadata }]) => metadata.name);
  const quiet = { full: 0.9, roll: 0.6, sick: 0.5, hours: 0.2, mixed: 0.4 }[world.theme];
  // Some kinds of rules are left out now and then, so that the others take effect.
  const some = (most: number): number => (dice.chance(quiet) ? 0 : dice.whole(1, most));
  const objects: PlainObject[] = [
    ...pools,
    ...nodes.flat(),
    ...names.flatMap((name) =>
      dice.many(dice.pick(world.theme === 'full' ? [2, 3, 3, 3] : [0, 0, 1, 2, 3]), (index) =>
        pod(world, `${name}-${index}`, name),
      ),
    ),
    ...dice.many(some(2), (index) => pendingPod(world, `pending-${index}`, names)),
    ...namespaces.filter(() => dice.chance(0.7)).map((name) => namespace(world, name)),
    ...dice.many(some(5), (index) => pdb(world, `pdb-${index}`)),
    ...dice.many(some(2), (index) => podSchedule(world, `hours-${index}`)),
    ...dice.many(some(world.theme === 'hours' ? 5 : 3), (index) => maintenanceWindow(world, `window-${index}`)),
    ledger(world, nodes.map(([made]) => made) as PlainNode[], { pools, windows: ['window-0', 'window-1'] }),
  ];
  const given = settings(world);
  // Drawn last, so that the seeds of the earlier parts stay valid.
  if (dice.chance(0.15)) objects.push(...dice.many(dice.whole(1, 2), (index) => healthGate(world, `gate-${index}`)));
  return withPeople({ at: stamp(world.now), settings: given, objects });
}

function randomWorld(dice: Dice): World {
  const whole = dice.chance(0.3) ? 60 : 1;
  const seconds = Math.floor(dice.whole(0, days * 86_400) / whole) * whole;
  const theme = dice.pick(themes);
  const zones = ['z1', 'z2', 'z3', 'z4'].slice(0, dice.whole(theme === 'roll' ? 2 : 1, 4));
  const role = dice.pick(['observe', 'guide', 'drive'] as const);
  // If nodes are to be full or rolled, little else may hold them.
  const storm = dice.pick(theme === 'full' || theme === 'roll' ? [0.1, 0.3, 1] : [0.2, 0.7, 1.5, 3]);
  return { dice, now: from + seconds * 1000, storm, zones, theme, role };
}
