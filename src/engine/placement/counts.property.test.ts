// The count table and the tree of free room against simple implementations.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PairCounts } from './tallies.ts';
import { RoomTree } from './targetOrder.ts';

describe('Counts', () => {
  it('are those of a map, however many there are', () => {
    const steps = fc.array(fc.record({ tally: fc.nat(30), domain: fc.nat(300), change: fc.constantFrom(1, -1) }), {
      maxLength: 3000,
      size: 'max',
    });
    fc.assert(
      fc.property(steps, (all) => {
        const counts = new PairCounts();
        const map = new Map<string, number>();
        for (const { tally, domain, change } of all) {
          const value = (map.get(`${tally} ${domain}`) ?? 0) + change;
          map.set(`${tally} ${domain}`, value);
          expect(counts.add(tally, domain, change)).toBe(value);
        }
        for (let tally = 0; tally <= 30; tally++) {
          for (let domain = 0; domain <= 300; domain += 7)
            expect(counts.get(tally, domain)).toBe(map.get(`${tally} ${domain}`) ?? 0);
        }
      }),
      { seed: 3, numRuns: 20 },
    );
  });
});

describe('The tree of rooms', () => {
  const amount = fc.integer({ min: -2, max: 6 });
  const room = fc.tuple(amount, amount, amount);

  it('finds the place that a search from here on finds', () => {
    fc.assert(
      fc.property(
        fc.array(room, { minLength: 1, maxLength: 20 }),
        fc.array(fc.tuple(fc.nat(), room), { maxLength: 20 }),
        room,
        fc.nat(20),
        (rooms, changes, needs, from) => {
          const tree = new RoomTree();
          const all = rooms.map((it): readonly number[] => it);
          tree.reset(all.length);
          rooms.forEach(([cpu, memory, pods], place) => {
            tree.setLeaf(place, cpu, memory, pods);
          });
          tree.build();
          for (const [which, changed] of changes) {
            all[which % all.length] = changed;
            tree.set(which % all.length, ...changed);
          }
          // Beyond the last place there is no room for any pod, and every pod needs a place for itself.
          const [cpu, memory, pods] = [needs[0], needs[1], Math.max(needs[2], 0)];
          const found = all.findIndex(
            (it, place) => place >= from && [cpu, memory, pods].every((need, column) => (it[column] as number) >= need),
          );
          expect(tree.next(from, cpu, memory, pods)).toBe(found);
        },
      ),
      { seed: 4, numRuns: 1000 },
    );
  });
});
