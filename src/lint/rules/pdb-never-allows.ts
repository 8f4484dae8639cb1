// Is there a PodDisruptionBudget that never lets a pod go?
import type { Pdb } from '../../cluster/model.ts';
import { show } from '../../kinds/findings.ts';
import { type PodFacts, pdbObject, podFacts } from '../facts/pods.ts';
import { shareOf } from '../facts/share.ts';
import { valueAt, writtenAs } from '../facts/written.ts';
import type { Rule } from '../rule.ts';
import { count } from '../words/lists.ts';

const name = 'pdb-never-allows';

export const pdbNeverAllows: Rule = {
  name,
  finds: 'A PodDisruptionBudget that allows no eviction even when all its pods are healthy.',
  why: 'Nodes with such pods go only for repair, by force or behind a terminationGracePeriod, which then overrides the budget altogether.',
  example: `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {namespace: web, name: cart}
spec:
  maxUnavailable: 0
  selector: {matchLabels: {app: cart}}
`,
  *check(policy) {
    const facts = podFacts(policy);
    for (const pdb of facts.pdbs) {
      const written = writtenAs(policy, pdbObject(pdb))?.object;
      const why = pdb.fault ? undefined : neverAllows(written, expectedPods(pdb, written, facts));
      if (!why) continue;
      yield {
        rule: name,
        severity: 'warning',
        object: pdbObject(pdb),
        path: `spec.${why.field}`,
        message: `${why.message}, so none of its pods can ever be evicted and their nodes cannot be drained.`,
        suggestion: why.suggestion,
      };
    }
  },
};

interface Why {
  readonly field: string;
  readonly message: string;
  readonly suggestion: string;
}

const allowOne = 'Write maxUnavailable: 1 instead.';

function neverAllows(written: unknown, pods: number): Why | undefined {
  const [most, least] = [valueAt(written, 'spec', 'maxUnavailable'), valueAt(written, 'spec', 'minAvailable')];
  if (shareOf(most, 1) === 0)
    return {
      field: 'maxUnavailable',
      message: `It lets none be missing (maxUnavailable: ${show(most)})`,
      suggestion: allowOne,
    };
  if (least === '100%')
    return {
      field: 'minAvailable',
      message: 'It wants all of its pods to be there (minAvailable: "100%")',
      suggestion: allowOne,
    };
  const needed = shareOf(least, pods);
  if (needed === undefined || pods === 0 || needed < pods) return undefined;
  const message = `It wants ${needed} to be there (minAvailable: ${show(least)}) and there ${pods === 1 ? 'is' : 'are'} ${count(pods, 'pod')}`;
  return {
    field: 'minAvailable',
    message,
    suggestion: `Write maxUnavailable: 1 instead, or run at least ${needed + 1} pods.`,
  };
}

/** As its status says; where there is none, the pods of the input. 0 = not known. */
function expectedPods(pdb: Pdb, written: unknown, { guarded }: PodFacts): number {
  // It has allowed some: then the figures at hand are not the whole truth.
  if (pdb.disruptionsAllowed > 0) return 0;
  const expected = valueAt(written, 'status', 'expectedPods');
  if (typeof expected === 'number' && expected > 0) return expected;
  return guarded.get(pdb) ?? 0;
}
