// Which objects stand in the input more than once?

import { nameOfObject } from '../../kinds/metadata.ts';
import { readObject } from '../../kinds/readObject.ts';
import type { Rule } from '../rule.ts';
import { someOf } from '../words/lists.ts';

const name = 'given-twice';

export const givenTwice: Rule = {
  name,
  finds: 'An object that is given more than once.',
  why: 'The last one counts. Whoever edits the other wonders why nothing changes.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec: {disruption: {budgets: [{nodes: "1"}]}}
`,
  *check({ documents }) {
    const alike = Map.groupBy(documents, ({ object }) => nameOfObject(object));
    for (const [object, its] of alike) {
      const earlier = its.slice(0, -1);
      if (earlier.length === 0 || its.every((document) => readObject(document.object).kind === 'ignored')) continue;
      const places = earlier.map((document) => document.position('')).map(({ file, line }) => `${file}:${line}`);
      yield {
        rule: name,
        severity: 'info',
        object,
        path: 'metadata.name',
        message: `This object was given before, at ${someOf(places)}. The last one counts.`,
      };
    }
  },
};
