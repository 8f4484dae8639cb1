// Which fields of a NodePool does only the patched CRD keep (C1, A7, N7, N9)? The CRDs say so, and a test holds both together.
import { isMap, type Json } from './reader.ts';

/** Of each budget. */
export const budgetFields: readonly string[] = ['timeZone', 'topologyKey', 'sequential', 'settle', 'patience'];

/** Of `spec.disruption` itself. In v1beta1 expireAfter was Karpenter's own. */
export const disruptionFields: readonly string[] = ['repairAfter', 'expireAfter'];

/** What is left of budgets where the stock CRD stands. */
export const withoutAdded = (budgets: unknown): unknown =>
  Array.isArray(budgets)
    ? budgets.map((budget: unknown) => (isMap(budget) ? without(budget, budgetFields) : budget))
    : budgets;

export const hasAdded = (budgets: unknown): boolean =>
  Array.isArray(budgets) &&
  budgets.some((budget: unknown) => isMap(budget) && budgetFields.some((key) => has(budget, key)));

export const has = (map: Json, key: string): boolean => map[key] !== undefined && map[key] !== null;

export const without = (map: Json, keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
