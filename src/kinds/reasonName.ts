// Which reason is meant? Today's names, and those of older documents in any case (C2).
import { budgetReasons, type Reason } from '../cluster/reason.ts';

/** Lower case, so that the case of a name never matters. */
const names: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  ...budgetReasons.map((reason): [string, Reason] => [reason.toLowerCase(), reason]),
  ['drift', 'Drifted'],
  ['consolidation', 'Underutilized'],
  ['expiration', 'Expired'],
]);

/** Interrupted is none that anybody may name: nothing refuses it. */
export const reasonNamed = (text: string): Reason | undefined => names.get(text.trim().toLowerCase());
