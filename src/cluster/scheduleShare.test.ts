// The limit on schedules per namespace (E13).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesOf, machine, type Plain, pod } from '../../test/build.ts';
import { mostSchedules } from './pod.ts';
import { ClusterStore } from './store.ts';

const schedule = 'karpenter.sh/disruption-schedule';

/** As many crons, which no pod of another number has. */
const crons = (number: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `${i} ${number % 24} ${1 + (Math.floor(number / 24) % 28)} * *`).join(';');
const busy = (number: number, count = 50, text = crons(number, count)): Plain =>
  pod(`p${number}`, 'n1', { annotations: { [schedule]: text } });

function storeOf(objects: readonly Plain[]): ClusterStore {
  const store = new ClusterStore();
  for (const change of changesOf([...machine('n1'), ...objects])) store.apply(change);
  return store;
}

const unevaluated = (store: ClusterStore): string[] =>
  store.nodes.flatMap(({ timed }) => timed.filter((it) => it.unevaluated).map((it) => it.pod.name));
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe('E13: the schedules of a namespace', () => {
  const full = mostSchedules / 50;

  it('are worked out as long as there are not too many', () => {
    expect(unevaluated(storeOf(numbers(full).map((i) => busy(i))))).toEqual([]);
  });

  it('are not, once there are, and each of the pods says so', () => {
    const store = storeOf(numbers(full + 1).map((i) => busy(i)));
    expect(unevaluated(store)).toHaveLength(full + 1);
    expect(store.faults).toHaveLength(full + 1);
    expect(store.faults[0]).toMatchObject({
      object: 'Pod/shop/p0',
      severity: 'warning',
      message:
        'This pod holds its node: its 50 schedules are not evaluated, because pods in namespace shop have more than 1000 different schedules. Use at most 5 schedules per pod, or the same text on all pods.',
    });
  });

  it('count once where pods have the same text', () => {
    expect(unevaluated(storeOf(numbers(100).map((i) => busy(i, 50, crons(0, 50)))))).toEqual([]);
  });

  it('of pods with few, of other namespaces and of pods that are over count for nothing', () => {
    const few = numbers(300).map((i) => busy(i, 5));
    const elsewhere = pod('q', 'n1', { namespace: 'other', annotations: { [schedule]: crons(0, 50) } });
    const over = numbers(full + 1).map((i) =>
      pod(`o${i}`, 'n1', { phase: 'Succeeded', annotations: { [schedule]: crons(i, 50) } }),
    );
    expect(unevaluated(storeOf([...few, elsewhere, ...over]))).toEqual([]);
    const spent = numbers(full + 1).map((i) => busy(1000 + i));
    expect(unevaluated(storeOf([...few, elsewhere, ...spent])).every((name) => name.startsWith('p10'))).toBe(true);
  });

  it('depend on the pods that there are, not on how they came', () => {
    const steps = fc.array(fc.tuple(fc.nat({ max: full + 3 }), fc.boolean()), { minLength: 20, maxLength: 80 });
    fc.assert(
      fc.property(steps, (list) => {
        const warm = storeOf(numbers(full).map((i) => busy(i)));
        const present = new Set(numbers(full));
        for (const [number, comes] of list) {
          if (comes) for (const change of changesOf([busy(number)])) warm.apply(change);
          else warm.apply({ kind: 'Pod', gone: `shop/p${number}` });
          if (comes) present.add(number);
          else present.delete(number);
          // Looked at in between, as rounds do.
          if (number % 3 === 0) expect(warm.nodes).toHaveLength(1);
        }
        const cold = storeOf([...present].map((i) => busy(i)));
        expect(unevaluated(warm)).toEqual(unevaluated(cold));
        expect(warm.faults.map(({ object }) => object)).toEqual(cold.faults.map(({ object }) => object));
      }),
      { seed: 15, numRuns: 30 },
    );
  });
});
