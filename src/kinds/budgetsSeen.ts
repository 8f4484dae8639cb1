// Have a pool's budgets lost the fields that only the patched CRD keeps (N9)? Then Lull's own copy of them stands, until somebody
// writes other budgets, or it is known that a person took the fields away.
import type { Pool } from '../cluster/model.ts';
import { annotation } from '../cluster/names.ts';
import { parseInstant } from '../time/instant.ts';
import { disruptionFields, has, hasAdded, without, withoutAdded } from './addedFields.ts';
import type { Metadata } from './metadata.ts';
import { isMap, type Json, type Reader } from './reader.ts';

export interface BudgetsSeen {
  /** spec.disruption as it is to be read. */
  readonly disruption: Reader;
  readonly mirror: Pool['mirror'];
}

const nothing = (disruption: Reader): BudgetsSeen => ({ disruption, mirror: undefined });

export function readBudgetsSeen(metadata: Metadata, disruption: Reader): BudgetsSeen {
  const fields = disruption.values as Json;
  const text = metadata.annotations[annotation.budgetsSeen];
  if (hasAdded(fields.budgets) || disruptionFields.some((key) => has(fields, key)))
    return { disruption, mirror: { keeps: textOf(fields) } };
  if (text === undefined) return nothing(disruption);
  const copy = parse(text);
  if (!copy || !isStillMeant(copy, fields)) return nothing(disruption);
  metadata.reader.at('annotations').fault(annotation.budgetsSeen, lost, 'warning');
  const goneSince = parseInstant(metadata.annotations[annotation.budgetsGone] ?? '');
  return {
    disruption: replaced(disruption, copy),
    mirror: { stands: true, ...(goneSince !== undefined && { goneSince }) },
  };
}

const lost =
  'spec.disruption has lost the fields that only the patched CRD keeps (timeZone, topologyKey, sequential, settle, patience, repairAfter, expireAfter), as when the stock CRD is applied again. Lull goes on from its own copy in this annotation. Patch the CRD again (lull install --patch-nodepool-crd) and write the fields anew, move the budgets to the annotation lull.dev/budgets, or delete this annotation if the fields are not wanted any more.';

/** In one order, so that the same says the same. */
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

/** Whoever has written other budgets since means those. */
const isStillMeant = (copy: Json, fields: Json): boolean =>
  canonical(withoutAdded(copy.budgets)) === canonical(fields.budgets);

/** The order of fields says nothing. */
const canonical = (budgets: unknown): string =>
  JSON.stringify(budgets, (_, value: unknown) =>
    isMap(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  ) ?? '';

const replaced = (disruption: Reader, copy: Json): Reader =>
  Object.keys(without(copy, ['consolidateAfter', 'consolidationPolicy'])).reduce(
    (reader, key) => reader.replaced(key, copy[key]),
    disruption,
  );
