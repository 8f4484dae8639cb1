// HealthGates in the report of a round: the state of each, how many nodes it selects and holds (O6).
import { defined } from '../../cluster/defined.ts';
import { gateStateAt } from '../../cluster/gateState.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { Situation } from '../situation.ts';
import type { GateReport } from '../verdict.ts';
import type { WishOutcome } from '../wishOutcome.ts';

export function reportGates({ cluster, now }: Situation, judged: readonly WishOutcome[]): GateReport[] {
  const selectedBy = countSelected(cluster, ({ gates }) => gates);
  const selected = new Map([...selectedBy].map(([{ name }, nodes]) => [name, nodes]));
  const held = heldBy(judged);
  return cluster.gates.map((gate) => {
    const { state, message, since, opensAt } = gateStateAt(gate, now);
    const { name, note } = gate;
    const counts = { selected: selected.get(name) ?? 0, holding: held.get(name)?.size ?? 0 };
    return defined<GateReport>({ name, state, message, since, opensAt, ...counts, note });
  });
}

/** How many managed nodes each rule selects. Nodes under the same rules share one list of them. */
export function countSelected<Rule>(
  { nodes }: Pick<Cluster, 'nodes'>,
  rulesOver: (view: NodeView) => readonly Rule[],
): ReadonlyMap<Rule, number> {
  const lists = new Map<readonly Rule[], number>();
  for (const view of nodes) if (view.managed) lists.set(rulesOver(view), (lists.get(rulesOver(view)) ?? 0) + 1);
  const counts = new Map<Rule, number>();
  for (const [rules, count] of lists) for (const rule of rules) counts.set(rule, (counts.get(rule) ?? 0) + count);
  return counts;
}

/** The nodes that each gate refuses, without nodes that go for another reason. */
function heldBy(judged: readonly WishOutcome[]): ReadonlyMap<string, ReadonlySet<string>> {
  const held = new Map<string, Set<string>>();
  for (const { wish, refusals } of judged) {
    if (refusals[0]?.code === 'AlreadyUnderway') continue;
    for (const { owner } of refusals)
      if (owner?.kind === 'HealthGate')
        held.set(owner.name, (held.get(owner.name) ?? new Set<string>()).add(wish.view.node.name));
  }
  return held;
}
