// Which values of a pool's budgets does the CRD of Karpenter not admit, though Lull reads them (C2)?

import type { Reason } from '../../cluster/reason.ts';
import { upstreamReasons } from '../facts/reasons.ts';
import { poolsKarpenterReads } from '../facts/upstream.ts';
import type { WrittenBudget, WrittenPool } from '../facts/writtenPools.ts';
import type { Policy, Rule, Severity } from '../rule.ts';
import { someOf } from '../words/lists.ts';

const name = 'upstream-admission';

export const upstreamAdmission: Rule = {
  name,
  finds:
    'Numbers, seconds, older names and reasons that the CRD of Karpenter rejects, in budgets that Karpenter reads too.',
  why: 'Lull reads what older documents wrote and knows more reasons. `kubectl apply` against the CRD of Karpenter refuses the pool as it is written here.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "10%"
      - nodes: 1
        reasons: [Expired]
`,
  *check(policy) {
    for (const written of poolsKarpenterReads(policy)) {
      const rejected = written.budgets.filter(({ sound }) => sound).flatMap(rejectedIn);
      const [first] = rejected;
      if (!first) continue;
      yield {
        rule: name,
        severity: severityOf(written, policy),
        object: written.object,
        path: first.path,
        message: `The CRD of Karpenter does not admit this pool as it is written: ${someOf(rejected.map(({ what }) => what))}.`,
        ...(rejected.some(({ what }) => what.includes('reason')) && beyond(written)),
      };
    }
  },
};

/** The API server beside a Karpenter of today rejects the pool. In drive the CRD is Lull's own, and what is of an older version is converted first. */
const severityOf = ({ document }: WrittenPool, { settings }: Policy): Severity =>
  settings.role !== 'drive' && document.object.apiVersion === 'karpenter.sh/v1' ? 'error' : 'info';

const beyond = ({ budgets }: WrittenPool): { suggestion?: string } =>
  budgets.some(({ budget }) => [...(budget.reasons ?? [])].some((reason) => !upstreamReasons.has(reason)))
    ? { suggestion: 'Reasons that Karpenter does not know belong in the annotation lull.dev/budgets.' }
    : {};

interface Rejected {
  readonly path: string;
  readonly what: string;
}

/** Hours and minutes alone; Go writes a duration with a trailing 0s. */
const admittedDuration = /^(\d+[hm]|\d+h\d+m)(0s)?$/;

function rejectedIn({ budget: { index }, entry, path }: WrittenBudget): Rejected[] {
  const { duration } = entry;
  const old = ['maxUnavailable', 'crontab', 'reason'].filter((key) => key in entry);
  const reject = (key: string, what: string): Rejected => ({
    path: `${path}.${key}`,
    what: `budgets[${index}].${key} (${what})`,
  });
  return [
    ...old.map((key) => reject(key, 'an older name')),
    ...(typeof entry.nodes === 'number' ? [reject('nodes', 'a number, not a text')] : []),
    ...(typeof duration === 'string' && !admittedDuration.test(duration)
      ? [reject('duration', `${duration}, not hours and minutes`)]
      : []),
    ...('schedule' in entry && !('duration' in entry) ? [reject('schedule', 'no duration beside it')] : []),
    ...namesIn(entry.reasons).flatMap((reason) =>
      upstreamReasons.has(reason as Reason) ? [] : [reject('reasons', `${reason} is no reason of Karpenter`)],
    ),
  ];
}

const namesIn = (reasons: unknown): string[] =>
  Array.isArray(reasons) ? reasons.filter((reason) => typeof reason === 'string') : [];
