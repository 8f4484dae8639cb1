// Is a node given time to come back before it is replaced?
import { formatDuration } from '../../time/duration.ts';
import { asDuration, minute } from '../../time/instant.ts';
import { poolFacts } from '../facts/pools.ts';
import type { Rule } from '../rule.ts';

const name = 'repair-after-short';

/** A reboot, or a kubelet that restarts, takes a few minutes; Kubernetes itself waits five before it evicts. */
const least = asDuration(5 * minute);

export const repairAfterShort: Rule = {
  name,
  finds: 'A repairAfter below five minutes.',
  why: 'A node that reboots or loses its network for a moment is not Ready for a few minutes. Kubernetes itself waits five before it gives up its pods.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec: {disruption: {repairAfter: 1m}}
`,
  *check(policy) {
    for (const { pool, object } of poolFacts(policy)) {
      const { repairAfter } = pool;
      if (typeof repairAfter !== 'number' || repairAfter >= least) continue;
      yield {
        rule: name,
        severity: 'info',
        object,
        path: pool.provisioner ? 'spec.ttlAfterNotReady' : 'spec.disruption.repairAfter',
        message: `A node of ${pool.name} is replaced when it has not been Ready for ${formatDuration(repairAfter)}: a reboot or a short loss of network is enough.`,
        suggestion: `Use at least ${formatDuration(least)}.`,
      };
    }
  },
};
