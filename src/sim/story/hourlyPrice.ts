// What does the cluster cost an hour? The machines that stand there, at what the scenario says they cost.
import { label } from '../../cluster/names.ts';
import type { Objects } from '../objects.ts';
import type { InstanceType } from '../world.ts';

/** Undefined where some machine has no price: a sum without it would mislead. */
export function hourlyPrice(objects: Objects, types: ReadonlyMap<string, InstanceType>): number | undefined {
  let total = 0;
  for (const { metadata } of objects.list('Node')) {
    const price = types.get(metadata.labels?.[label.instanceType] ?? '')?.price;
    if (price === undefined) return undefined;
    total += price;
  }
  return Math.round(total * precision) / precision;
}

/** Beyond it there is only what adding fractions leaves. */
const precision = 10_000;
