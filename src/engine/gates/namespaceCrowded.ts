// A node with pods that are not worked out, since their namespace has too many terms or PodDisruptionBudgets, is held (decision 0008).
import { excessWords } from '../../cluster/crowdFaults.ts';
import type { Uncounted } from '../../cluster/nodeView.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import type { Gate } from './gate.ts';
import { blockedPodsAreWaived } from './podRules.ts';

/** Waived as PodDisruptionBudgets are (A2): for repair, and where a deadline ends what pods say. */
export const namespaceCrowded: Gate = (wish) => {
  const { uncounted } = wish.view;
  if (uncounted.length === 0 || wish.reason === 'Unhealthy' || blockedPodsAreWaived(wish)) return none;
  return uncounted.map(crowded);
};

function crowded({ pod, pods, excess }: Uncounted): Refusal {
  const { namespace, name } = pod;
  const { what, help } = excessWords[excess];
  const whose = `pod ${namespace}/${name}${pods > 1 ? ` and ${pods - 1} more of its namespace` : ''}`;
  const owner = { kind: 'Pod', namespace, name };
  return refuse(
    'NamespaceCrowded',
    `${whose} ${pods > 1 ? 'are' : 'is'} not worked out: in namespace ${namespace}, ${what}`,
    {
      owner,
      help,
    },
  );
}
