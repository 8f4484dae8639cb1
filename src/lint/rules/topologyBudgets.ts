// Lint rules about topology budgets, which limit each domain of a label such as a zone (C9–C15).
import type { Budget, Pool } from '../../cluster/model.ts';
import { activeTopologyBudgets } from '../../engine/limits/domains.ts';
import { andList, someOf } from '../../time/lists.ts';
import { nameBudget, nameReasons, reasonsOf } from '../facts/budgetText.ts';
import { phasesOf } from '../facts/phases.ts';
import { nearKey } from '../facts/windows.ts';
import { bindsDrift, readPools, soundPools, type WrittenBudget, writtenBudgets } from '../facts/writtenPools.ts';
import { checkEach, type LintPolicy, type LintRule, type PartialFinding } from '../rule.ts';

export const topologyBudgetsRules: readonly LintRule[] = [
  {
    name: 'budget-sequential-unused', // C15
    severity: 'warning',
    finds: 'A sequential budget that is never used, because an earlier one is active whenever it is.',
    why: 'Only the first active sequential budget of a pool is used. The others have no effect, neither their topologyKey nor their number.',
    *check(policy) {
      for (const { pool, object, budgets } of soundPools(policy)) {
        const used = new Set<Budget>(phasesOf(pool, policy.now).flatMap(({ at }) => activeTopologyBudgets(pool, at)));
        const sequential = budgets.filter(({ budget }) => budget.sequential && bindsDrift(budget));
        const [first] = sequential;
        for (const { budget, path } of sequential) {
          if (used.has(budget) || !first) continue;
          yield {
            object,
            path: `${path}.sequential`,
            message: `Only the first active sequential budget of a pool is used, and ${nameBudget(first.budget)} comes first whenever this one is active: this one has no effect.`,
            suggestion: 'Keep one sequential budget, or give each its own hours.',
          };
        }
      }
    },
  },
  {
    name: 'budget-topology-inert', // C9, C11
    severity: 'warning',
    finds:
      'A topology budget that is not for Drifted, and settle or patience on a budget that is not sequential and has no waves.',
    why: 'Topology budgets limit only drift, settle applies only to sequential budgets and waves, patience only to sequential budgets. Elsewhere they look like a limit but have no effect.',
    check: checkEach(writtenBudgets, (written) => inertTopology(written) ?? inertTurns(written)),
  },
  {
    name: 'budget-topology-only',
    severity: 'warning',
    finds: 'A pool with topology budgets and no other.',
    why: 'A topology budget limits only drift. For every other reason the pool has no limit: the default of 10% applies only to pools without budgets.',
    check: checkEach(soundPools, ({ pool, budgets }, { settings }) => {
      if (!budgets.every(({ budget }) => budget.topologyKey !== undefined)) return undefined;
      const drifts = budgets.some(({ budget }) => bindsDrift(budget));
      const free = reasonsOf(pool, settings).filter((reason) => reason !== 'Drifted' || !drifts);
      if (free.length === 0) return undefined;
      return {
        message: `Topology budgets limit only drift, and ${pool.name} has no others: any number of its nodes may be disrupted at the same time for ${nameReasons(free)}.`,
        suggestion: '- nodes: "10%"',
      };
    }),
  },
  {
    name: 'topology-key-unknown',
    severity: 'warning',
    finds: 'A topology budget whose label no node in the input has.',
    why: 'All nodes then form one unnamed domain: the budget limits the pool as a whole instead of zone by zone.',
    check: checkEach(domainBudgets, ({ pool, topologyKey }, { cluster }) => {
      const isKnown = cluster.nodes.some(({ node }) => node.labels[topologyKey] !== undefined);
      if (cluster.nodes.length === 0 || isKnown || isPromised(pool, topologyKey)) return undefined;
      const labels = cluster.nodes.map(({ node }) => node.labels);
      return {
        message: `No node has the label ${topologyKey}, so all nodes of ${pool.name} form one domain: this budget limits the pool as a whole.`,
        suggestion:
          nearKey(topologyKey, labels) ?? 'Use a label that the nodes have, such as topology.kubernetes.io/zone.',
      };
    }),
  },
  {
    name: 'topology-label-missing', // C14
    severity: 'warning',
    finds: 'Nodes of a pool that lack the label of its topology budget while others have it.',
    why: 'All nodes without the label form one domain, wherever they run, and are disrupted last: two real zones may then be disrupted at the same time.',
    check: checkEach(domainBudgets, ({ pool, nodes, topologyKey }, { cluster }) => {
      if (!cluster.nodes.some(({ node }) => node.labels[topologyKey] !== undefined)) return undefined;
      // A node that is still starting may get its labels later.
      const lacking = nodes.filter(({ node, state }) => state.counted && node.labels[topologyKey] === undefined);
      if (lacking.length === 0) return undefined;
      return {
        message: `${lacking.length} of ${nodes.length} nodes of ${pool.name} have no label ${topologyKey} (${someOf(lacking.map(({ node }) => node.name))}). They form one domain, wherever they run, and are disrupted last.`,
        suggestion: `Label these nodes with ${topologyKey}, and the pool's template too, so that new nodes have it.`,
      };
    }),
  },
];

function inertTopology({ budget, path }: WrittenBudget): PartialFinding | undefined {
  if (budget.topologyKey === undefined || bindsDrift(budget)) return undefined;
  return {
    path: `${path}.topologyKey`,
    message: `A topology budget limits only drift, and this one is for ${nameReasons(budget.reasons ?? [])}: it has no effect, not even as a limit for the whole pool.`,
    suggestion: 'Add Drifted to its reasons, or remove topologyKey to limit the whole pool.',
  };
}

function inertTurns({ budget, entry, path }: WrittenBudget): PartialFinding | undefined {
  const fields = ['settle', 'patience'].filter(
    (key) => entry[key] !== undefined && !(key === 'settle' && budget.waves !== undefined),
  );
  // sequential without a topologyKey is reported as a fault.
  if (fields.length === 0 || budget.sequential || entry.sequential === true) return undefined;
  const [apply, theyHave] = fields.length === 1 ? ['applies', 'it has'] : ['apply', 'they have'];
  return {
    path: `${path}.${fields[0]}`,
    message: `${andList(fields)} ${apply} only to sequential budgets, and this one is not sequential: ${theyHave} no effect.`,
    suggestion: 'Set topologyKey and sequential: true, or remove these fields.',
  };
}

/** New nodes will have the label. */
const isPromised = ({ template }: Pool, key: string): boolean =>
  template.labels[key] !== undefined || template.requirements.some((requirement) => requirement.key === key);

/** Topology budgets that limit drift. */
function domainBudgets(policy: LintPolicy) {
  return readPools(policy).flatMap(({ pool, object, path, nodes }) =>
    pool.budgets
      .filter(bindsDrift)
      .map(({ index, topologyKey }) => ({ object, path: `${path}[${index}].topologyKey`, pool, nodes, topologyKey })),
  );
}
