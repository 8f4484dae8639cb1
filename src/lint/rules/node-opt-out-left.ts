// Which nodes did somebody protect and forget?
import { steering } from '../../kinds/annotationName.ts';
import { after, asDuration, asInstant, day } from '../../time/instant.ts';
import { annotationPath } from '../facts/pods.ts';
import type { Rule } from '../rule.ts';

const name = 'node-opt-out-left';

/** As long as Karpenter lets a node live where nobody says otherwise. */
const old = asDuration(30 * day);

export const nodeOptOutLeft: Rule = {
  name,
  finds: 'A node of more than 30 days that is annotated do-not-disrupt for ever.',
  why: 'The annotation keeps it from being drained for drift, for its age and to save money. What was set for an afternoon of debugging often stays.',
  example: `apiVersion: v1
kind: Node
metadata:
  name: n-1
  creationTimestamp: "2025-01-06T09:00:00Z"
  annotations: {karpenter.sh/do-not-disrupt: "true"}
---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: default-1}
status: {nodeName: n-1}
`,
  *check({ cluster, now }) {
    for (const { node, managed } of cluster.nodes) {
      const optOut = node.rules.doNotDisrupt;
      // A node that does not say when it was made is as old as time.
      const isOld = node.createdAt > asInstant(0) && now > after(node.createdAt, old);
      if (!managed || !optOut || optOut.until !== undefined || !isOld) continue;
      yield {
        rule: name,
        severity: 'info',
        object: `Node/${node.name}`,
        path: annotationPath(steering.doNotDisrupt),
        message: `This node is ${Math.floor((now - node.createdAt) / day)} days old and may not be disrupted: it is kept from every drift, expiry and consolidation.`,
        suggestion: `Remove the annotation; or write ${steering.hold}: <why>, which says to everybody why it is kept.`,
      };
    }
  },
};
