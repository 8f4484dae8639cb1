// E2: what the node's own annotations refuse.
import { none, type RuleOwner, refuse } from '../refusal.ts';
import type { Wish } from '../wish.ts';
import type { Gate } from './gate.ts';

const owner = ({ view }: Wish): RuleOwner => ({ kind: 'Node', name: view.node.name });

export const nodeOptedOut: Gate = (wish, { now }) => {
  const optOut = wish.view.node.rules.doNotDisrupt;
  if (!optOut || wish.reason === 'Unhealthy' || (optOut.until !== undefined && now >= optOut.until)) return none;
  const details = { owner: owner(wish), liftsAt: optOut.until };
  return [refuse('NodeOptedOut', 'the node is annotated karpenter.sh/do-not-disrupt', details)];
};

export const consolidationOptedOut: Gate = (wish) => {
  if (!wish.view.node.rules.doNotConsolidate || (wish.reason !== 'Empty' && wish.reason !== 'Underutilized'))
    return none;
  return [
    refuse('ConsolidationOptedOut', 'the node is annotated karpenter.sh/do-not-consolidate', { owner: owner(wish) }),
  ];
};

export const repairOptedOut: Gate = (wish) => {
  if (!wish.view.node.rules.doNotRepair || wish.reason !== 'Unhealthy') return none;
  return [refuse('RepairOptedOut', 'the node is annotated karpenter.sh/do-not-repair', { owner: owner(wish) })];
};

export const held: Gate = (wish) => {
  const why = wish.view.node.rules.hold;
  if (why === undefined) return none;
  return [refuse('Held', `held by annotation lull.dev/hold: ${why || '(no reason given)'}`, { owner: owner(wish) })];
};
