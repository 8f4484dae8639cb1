// Which fields of a topology budget do nothing (C9, C11)?

import { bindsDrift } from '../facts/budgets.ts';
import { nameReasons } from '../facts/reasons.ts';
import { type WrittenBudget, writtenPools } from '../facts/writtenPools.ts';
import type { Rule } from '../rule.ts';
import { andList } from '../words/lists.ts';

const name = 'budget-topology-inert';

export const budgetTopologyInert: Rule = {
  name,
  finds: 'A topology budget that is not for Drifted, and settle or patience on a budget that is not sequential.',
  why: 'Topology budgets bind drift alone, and settle and patience are about the turns of a sequential one. Elsewhere they look like a limit and are none.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "1"
        topologyKey: topology.kubernetes.io/zone
        reasons: [Underutilized]
      - nodes: "10%"
`,
  *check(policy) {
    for (const { object, budgets } of writtenPools(policy)) {
      for (const written of budgets) {
        const message = inertTopology(written) ?? inertTurns(written);
        if (message === undefined) continue;
        const key = inertTopology(written) ? 'topologyKey' : turnFields(written)[0];
        yield { rule: name, severity: 'warning', object, path: `${written.path}.${key}`, ...message };
      }
    }
  },
};

type Words = { readonly message: string; readonly suggestion: string };

function inertTopology({ budget }: WrittenBudget): Words | undefined {
  if (budget.topologyKey === undefined || bindsDrift(budget)) return undefined;
  return {
    message: `A topology budget binds drift alone, and this one is for ${nameReasons(budget.reasons ?? [])}: it does nothing, not even as a limit of the whole pool.`,
    suggestion: 'Name Drifted among its reasons, or leave topologyKey out to limit the whole pool.',
  };
}

const turnFields = ({ entry }: WrittenBudget): string[] =>
  ['settle', 'patience'].filter((key) => entry[key] !== undefined);

function inertTurns(written: WrittenBudget): Words | undefined {
  const fields = turnFields(written);
  // A fault has been told where sequential stands without its key.
  if (fields.length === 0 || written.budget.sequential || written.entry.sequential === true) return undefined;
  return {
    message: `${andList(fields)} ${fields.length === 1 ? 'is' : 'are'} about the turns of a sequential budget; this one is not, so ${fields.length === 1 ? 'it does' : 'they do'} nothing.`,
    suggestion: 'Set topologyKey and sequential: true, or leave these fields out.',
  };
}
