import { describe, it } from 'vitest';
import { decideAnew } from './decide.ts';
import { Dice } from './dice.ts';
import { fewerClusters, forAll } from './forAll.ts';
import type { Plain } from './plain.ts';

describe('K4: objects with damaged values', () => {
  it('do not prevent a round from being decided: values may be missing, of another type, or nonsense', () => {
    forAll((plain, seed) => {
      const dice = new Dice(seed);
      const damage = () => plain.objects.map((object) => (dice.chance(0.5) ? damaged(object, dice) : object));
      for (const objects of [plain.objects, ...dice.many(2, damage)]) {
        decideAnew({ ...plain, objects: objects as Plain['objects'] });
      }
      return [];
    }, fewerClusters);
  });
});

const nothings = [null, '', '-', 0, -1, 1.5, 2 ** 60, true, [], {}];
const nonsense = [...nothings, 'true', [null], { name: 1 }, '__proto__', '🦉', '9999-12-31T23:59:59Z'];

/** The same object with one value in it removed or replaced. */
function damaged(value: unknown, dice: Dice): unknown {
  if (typeof value !== 'object' || value === null) return dice.pick(nonsense);
  const keys = Object.keys(value);
  if (keys.length === 0) return dice.pick(nonsense);
  const key = dice.pick(keys);
  const inside = (value as Record<string, unknown>)[key];
  const instead = typeof inside === 'object' && dice.chance(0.85) ? damaged(inside, dice) : dice.pick(nonsense);
  if (Array.isArray(value)) return value.with(Number(key), instead);
  const { [key]: _, ...rest } = value as Record<string, unknown>;
  return dice.chance(0.2) ? rest : { ...rest, [key]: instead };
}
