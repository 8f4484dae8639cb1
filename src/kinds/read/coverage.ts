// What a rule over nodes covers: its actions, its selector of nodes, and its note (D1, D4, O2).
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import type { Requirement } from '../../cluster/selector.ts';
import { choices, type Fields, type Schema, selector, text } from '../schema/schema.ts';
import { brief } from './findings.ts';
import { orList, type Reader } from './reader.ts';
import { nodeOperators, readSelectorParts } from './selectors.ts';

/** Which reasons each action covers (D1). */
const consolidation: readonly Reason[] = ['Empty', 'Underutilized'];
const actions: ReadonlyMap<string, readonly Reason[]> = new Map([
  ['Expiration', ['Expired']],
  ['Consolidation', consolidation],
  ['EmptyConsolidation', ['Empty']],
  ['NonEmptyConsolidation', ['Underutilized']],
  ['Drift', ['Drifted']],
  ['Rebalance', ['Rebalance']],
  ['Repair', ['Unhealthy']],
]);

export const everyAction: ReadonlySet<Reason> = new Set(budgetReasons);

/** A few sentences: every refusal repeats the note. */
const longestNote = 1024;

export const coverFields = (actionsAre: string, nodesAre: string): Fields => ({
  actions: choices(actionsAre, 'One action.', [...actions.keys()]),
  selector: selector(nodesAre, nodeOperators),
});

export const noteField = (description: string): Schema => text(description, { maxLength: longestNote });

export const readNote = (spec: Reader): string | undefined => spec.shortText('note', longestNote) || undefined;

/** Undefined for every node, also if the selector is invalid. */
export function readNodes(spec: Reader): readonly Requirement[] | undefined {
  const { requirements, sound } = readSelectorParts(spec, 'selector', nodeOperators);
  return sound && requirements.length > 0 ? requirements : undefined;
}

/** Undefined if none is named, or one is invalid. */
export function readActions(spec: Reader): ReadonlySet<Reason> | undefined {
  const before = spec.findings.wrongs;
  const named = spec.eachText('actions', (name, fault) => {
    if (!actions.has(name))
      fault(`"${brief(name)}" is not a valid action, so all actions are held. Use ${orList([...actions.keys()])}.`);
    return actions.get(name);
  });
  return named.length === 0 || spec.findings.wrongs > before ? undefined : new Set(named.flat());
}
