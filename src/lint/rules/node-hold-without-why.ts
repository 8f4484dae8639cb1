// Which nodes are held without a word (E2)?
import { steering } from '../../kinds/annotationName.ts';
import { annotationPath } from '../facts/pods.ts';
import type { Rule } from '../rule.ts';

const name = 'node-hold-without-why';

/** What people write where they think of a switch. */
const switches = new Set(['', 'true', 'yes', 'on', '1']);

export const nodeHoldWithoutWhy: Rule = {
  name,
  finds: 'A node with the annotation lull.dev/hold that does not say why.',
  why: 'Its value is shown with every refusal: it tells whoever waits for the node who holds it, and for what.',
  example: `apiVersion: v1
kind: Node
metadata:
  name: n-1
  annotations: {lull.dev/hold: "true"}
`,
  *check({ cluster }) {
    for (const { node } of cluster.nodes) {
      const { hold } = node.rules;
      if (hold === undefined || !switches.has(hold.trim().toLowerCase())) continue;
      yield {
        rule: name,
        severity: 'info',
        object: `Node/${node.name}`,
        path: annotationPath(steering.hold),
        message: 'This node is held, but nobody can see by whom and why.',
        suggestion: `Say so in the value, such as ${steering.hold}: "mia, kernel debugging until Friday".`,
      };
    }
  },
};
