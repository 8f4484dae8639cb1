// Which schedules does Karpenter's cron reject, though Lull reads them (B2, N4)?
import { asUpstream } from '../facts/cronText.ts';
import { poolsKarpenterReads, severityBeside, useAnnotation } from '../facts/upstream.ts';
import type { Finding, Rule } from '../rule.ts';

const name = 'upstream-cron';

export const upstreamCron: Rule = {
  name,
  finds: 'Weekday 7, a range that wraps around, or a zone in the cron of a budget that Karpenter reads too.',
  why: 'Karpenter admits such a pool and fails when it reads the schedule: from then on it moves no node of it, for any reason, and says so in its log alone.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "10%"
      - nodes: "0"
        schedule: "0 0 * * sat-sun"
        duration: 24h
`,
  *check(policy) {
    for (const { object, budgets } of poolsKarpenterReads(policy)) {
      for (const { schedule, scheduleKey, path } of budgets) {
        if (!schedule || schedule.cron.superset === undefined) continue;
        const { text, superset, prefix } = schedule.cron;
        const at = `${path}.${scheduleKey}`;
        const rewritten = prefix === undefined ? asUpstream(text) : undefined;
        const better: Pick<Finding, 'suggestion' | 'fix'> =
          rewritten === undefined
            ? { suggestion: useAnnotation }
            : { suggestion: `schedule: "${rewritten}"`, fix: [{ path: at, set: rewritten }] };
        yield {
          rule: name,
          severity: severityBeside(policy, 'warning'),
          object,
          path: at,
          message: `Karpenter cannot read this schedule (${superset}) and then moves no node of the pool for any reason.`,
          ...better,
        };
      }
    }
  },
};
