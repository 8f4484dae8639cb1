// How much of each resource is meant? Quantities by name, with what is none named and left out.
import { parseResources, type Resources } from '../cluster/quantity.ts';

/** null is absent, as Kubernetes reads it. */
export function readAmounts(values: Readonly<Record<string, unknown>>, wrong: (name: string) => void): Resources {
  const amounts = parseResources(values);
  const bad = Object.keys(values).filter((name) => values[name] !== null && !isAmount(amounts, name));
  if (bad.length === 0) return amounts;
  bad.forEach(wrong);
  return Object.fromEntries(Object.entries(amounts).filter(([name]) => isAmount(amounts, name)));
}

/** What every object inherits, such as `constructor`, is never counted: sums would begin with it. */
function isAmount(amounts: Resources, name: string): boolean {
  const amount = Object.hasOwn(amounts, name) && !(name in Object.prototype) ? amounts[name] : undefined;
  return amount !== undefined && amount >= 0 && Number.isFinite(amount);
}
