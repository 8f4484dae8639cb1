// Which nodes would a pod rather run on? Preferred node affinity; what cannot be read of it is no preference.
import type { Preference } from '../cluster/scheduling.ts';
import { readNodeTerm } from './nodeSelector.ts';
import type { Reader } from './reader.ts';

export const readNodePreferences = (nodeAffinity: Reader): Preference[] =>
  nodeAffinity.maps('preferredDuringSchedulingIgnoredDuringExecution').flatMap((each) => {
    const before = each.findings.wrongs;
    const read = { weight: readWeight(each), node: readNodeTerm(each.map('preference')) };
    return each.findings.wrongs === before ? [read] : [];
  });

/** 1 to 100, as the API server has it. */
export function readWeight(preference: Reader): number {
  if (!preference.has('weight')) preference.fault('weight', 'There is no weight. Use a whole number from 1 to 100.');
  return preference.whole('weight', 1, 100) ?? 0;
}
