// Known kinds in another case or under an apiVersion they do not have: such objects are not read at all, or not as meant (K4).
import { unknownKind as judge } from '../../kinds/knownKinds.ts';
import { nameOfObject } from '../../kinds/metadata.ts';
import { orList } from '../../kinds/reader.ts';
import type { Rule } from '../rule.ts';

const name = 'unknown-kind';

export const unknownKind: Rule = {
  name,
  finds: 'A kind close to one that Lull reads, or such a kind under an apiVersion that it does not have.',
  why: 'The API server rejects the object. Lull ignores kinds that it does not know, so a policy under such a name would limit nothing.',
  example: `apiVersion: karpenter.sh/v1
kind: Nodepool
metadata: {name: default}
`,
  *check({ documents }) {
    for (const { object } of documents) {
      const { apiVersion, kind } = object;
      if (typeof apiVersion !== 'string' || typeof kind !== 'string') continue;
      const unknown = judge(kind, apiVersion);
      if (!unknown) continue;
      const { field, meant } = unknown;
      const what = field === 'kind' ? `Unknown kind ${kind} in ${apiVersion}` : `There is no ${kind} in ${apiVersion}`;
      const [only, ...others] = meant;
      yield {
        rule: name,
        severity: 'error',
        object: nameOfObject(object),
        path: field,
        message: `${what}.`,
        suggestion: `${field}: ${orList(meant)}`,
        ...(others.length === 0 && { fix: [{ path: field, set: only }] }),
      };
    }
  },
};
