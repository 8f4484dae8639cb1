// NodePool fields that only the patched CRD stores (C1, A7, N7, N9), and Lull's copy of them in case the CRD drops them.
import type { Pool, PoolDefinition } from '../../cluster/model.ts';
import { annotation } from '../../cluster/names.ts';
import { parseInstant } from '../../time/instant.ts';
import { elapsedOrNever } from '../schema/schema.ts';
import { addedBudgetFields } from './budget.ts';
import type { Metadata } from './metadata.ts';
import { isMap, type Json, type Reader } from './reader.ts';

/** Added to each budget. */
export const budgetFields: readonly string[] = Object.keys(addedBudgetFields);

/** Fields Karpenter does not have (A7, N7). In the patched CRD they have no defaults, so that Karpenter's own apply. */
export const addedDisruptionFields = {
  repairAfter: elapsedOrNever('How long a node may be not Ready before it is replaced, or Never.'),
  expireAfter: elapsedOrNever(
    'The age at which a node is replaced gracefully, before the hard limit of spec.template.spec.expireAfter, or Never.',
  ),
};

/** Added to `spec.disruption` itself. In v1beta1 expireAfter is a field of Karpenter's. */
export const disruptionFields: readonly string[] = Object.keys(addedDisruptionFields);

/** The budgets as the stock CRD stores them. */
export const withoutAdded = (budgets: unknown): unknown =>
  Array.isArray(budgets)
    ? budgets.map((budget: unknown) => (isMap(budget) ? without(budget, budgetFields) : budget))
    : budgets;

const hasAdded = (budgets: unknown): boolean =>
  Array.isArray(budgets) &&
  budgets.some((budget: unknown) => isMap(budget) && budgetFields.some((key) => has(budget, key)));

const has = (map: Json, key: string): boolean => map[key] !== undefined && map[key] !== null;

export const without = (map: Json, keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));

export interface MirroredDisruption {
  /** spec.disruption, with the dropped fields restored from the copy. */
  readonly disruption: Reader;
  readonly mirror: Pool['mirror'];
}

const unmirrored = (disruption: Reader): MirroredDisruption => ({ disruption, mirror: undefined });

/** The annotation lull.dev/budgets-seen is Lull's copy of the fields; it counts only while spec.disruption lacks them. */
export function readMirroredDisruption(metadata: Metadata, disruption: Reader): MirroredDisruption {
  const fields = disruption.fields();
  const text = metadata.annotations[annotation.budgetsSeen];
  if (hasAdded(fields.budgets) || disruptionFields.some((key) => has(fields, key)))
    return { disruption, mirror: { keeps: textOf(fields) } };
  if (text === undefined) return unmirrored(disruption);
  const copy = parse(text);
  if (!copy || !isCurrent(copy, fields)) return unmirrored(disruption);
  metadata.reader.at('annotations').fault(annotation.budgetsSeen, lost, 'warning');
  const goneSince = parseInstant(metadata.annotations[annotation.budgetsGone] ?? '');
  return {
    disruption: replaced(disruption, copy),
    mirror: { usesCopy: true, ...(goneSince !== undefined && { goneSince }) },
  };
}

const lost = `spec.disruption has lost the fields that only the patched CRD stores (${[...budgetFields, ...disruptionFields].join(', ')}), probably because the stock CRD was applied again. Lull uses its own copy in this annotation. Patch the CRD again (lull install --patch-nodepool-crd) and set the fields again, move the budgets to the annotation lull.dev/budgets, or delete this annotation if you no longer want the fields.`;

/** In a fixed order, so that equal fields give equal texts. */
function textOf(fields: Json): string {
  const kept = ['budgets', ...disruptionFields].flatMap((key) => (has(fields, key) ? [[key, fields[key]]] : []));
  return JSON.stringify(Object.fromEntries(kept));
}

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** False once the user has written other budgets: those count. */
const isCurrent = (copy: Json, fields: Json): boolean =>
  canonical(withoutAdded(copy.budgets)) === canonical(fields.budgets);

/** Text that does not depend on the order of fields. */
const canonical = (budgets: unknown): string =>
  JSON.stringify(budgets, (_, value: unknown) =>
    isMap(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  ) ?? '';

const replaced = (disruption: Reader, copy: Json): Reader =>
  Object.keys(without(copy, ['consolidateAfter', 'consolidationPolicy'])).reduce(
    (reader, key) => reader.replaced(key, copy[key]),
    disruption,
  );

export const poolDefinitionName = 'nodepools.karpenter.sh';

/** Undefined for the CRD of another kind. */
export function readPoolDefinition(object: Reader): PoolDefinition | undefined {
  const { metadata, spec } = object.fields();
  if (!isMap(metadata) || metadata.name !== poolDefinitionName) return undefined;
  const versions = isMap(spec) && Array.isArray(spec.versions) ? spec.versions : [];
  const served = versions.filter((version) => isMap(version) && version.served === true && disruptionOf(version));
  const { uid = '', generation = '' } = metadata;
  return {
    name: poolDefinitionName,
    version: `${uid}.${generation}`,
    keepsFields: served.length > 0 && served.every(keepsFields),
  };
}

function keepsFields(version: Json): boolean {
  const disruption = disruptionOf(version);
  const budget = enter(disruption, 'budgets', 'items', 'properties');
  return (
    budgetFields.every((name) => budget?.[name] !== undefined) &&
    disruptionFields.every((name) => disruption?.[name] !== undefined)
  );
}

const disruptionOf = (version: Json): Json | undefined =>
  enter(version, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties', 'disruption', 'properties');

const enter = (from: Json | undefined, ...steps: readonly string[]): Json | undefined =>
  steps.reduce<Json | undefined>((at, step) => {
    const next = at?.[step];
    return isMap(next) ? next : undefined;
  }, from);
