// Which objects are of a kind or version that Karpenter no longer serves (A7)?
import { nameOfObject } from '../../kinds/metadata.ts';
import type { Rule } from '../rule.ts';

const name = 'old-kind';

export const oldKind: Rule = {
  name,
  finds: 'A Provisioner, or a NodePool or NodeClaim of v1beta1.',
  why: 'Lull reads them as the pools they became, with the defaults of their time. Karpenter of today serves karpenter.sh/v1 alone.',
  example: `apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: default}
spec:
  consolidation: {enabled: true}
`,
  *check({ documents }) {
    for (const { object } of documents) {
      const { apiVersion, kind } = object;
      if (typeof apiVersion !== 'string' || !isOld(apiVersion, kind)) continue;
      const now = kind === 'NodeClaim' ? 'NodeClaim' : 'NodePool';
      yield {
        rule: name,
        severity: 'info',
        object: nameOfObject(object),
        path: 'apiVersion',
        message: `Karpenter of today serves no ${kind} of ${apiVersion}, but ${now} of karpenter.sh/v1. Lull reads it as one.`,
        suggestion: '`lull convert` writes it as it is written today, and says what changes.',
      };
    }
  },
};

const isOld = (apiVersion: string, kind: unknown): boolean =>
  apiVersion.startsWith('karpenter.sh/') &&
  (kind === 'Provisioner' || ((kind === 'NodePool' || kind === 'NodeClaim') && apiVersion === 'karpenter.sh/v1beta1'));
