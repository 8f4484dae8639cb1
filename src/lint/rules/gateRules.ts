// Lint rules about HealthGates (O1–O3).
import type { HealthGate } from '../../cluster/healthGateRecord.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { formatDuration } from '../../time/duration.ts';
import { selectsNothing } from '../facts/windows.ts';
import { checkEach, type LintPolicy, type LintRule, type PartialFinding } from '../rule.ts';

/** The check of a rule that looks at valid gates one by one. The others hold, and their faults are reported. */
const checkEachGate = (
  judge: (gate: HealthGate, policy: LintPolicy) => PartialFinding | undefined,
): LintRule['check'] =>
  checkEach(
    ({ cluster }) =>
      cluster.gates
        .filter(({ fault }) => fault === undefined)
        .map((gate) => ({ gate, object: `HealthGate/${gate.name}`, path: 'spec' })),
    ({ gate }, policy) => judge(gate, policy),
  );

export const healthGatesRules: readonly LintRule[] = [
  {
    name: 'gate-delay-unused',
    severity: 'info',
    finds: 'A HealthGate with a manual check and a failAfter.',
    why: 'A manual gate closes as soon as it is switched, so failAfter has no effect on it.',
    check: checkEachGate(({ check, failAfter }) =>
      check?.type === 'manual' && failAfter > 0
        ? {
            path: 'spec.failAfter',
            message: `The check is manual, so the gate closes at once, not after ${formatDuration(failAfter)}.`,
            suggestion: 'Remove failAfter.',
          }
        : undefined,
    ),
  },
  {
    name: 'gate-ignores-unknown',
    severity: 'warning',
    finds: 'A HealthGate over every node that ignores an unknown result.',
    why: 'What breaks a service often breaks its monitoring too. With onUnknown: Ignore, nodes are disrupted while the check cannot run.',
    check: checkEachGate(({ check, onUnknown, selector }) =>
      onUnknown === 'Ignore' && !selector && check?.type !== 'manual'
        ? {
            path: 'spec.onUnknown',
            message: 'While the check cannot run, this gate holds no node of the cluster.',
            suggestion: 'Remove onUnknown (the default is Hold), or select the nodes for which this is acceptable.',
          }
        : undefined,
    ),
  },
  {
    name: 'gate-query-invalid',
    severity: 'error',
    finds: 'A HealthGate whose PromQL query has unbalanced brackets or quotes.',
    why: 'Prometheus rejects such a query, so the result stays unknown and the gate holds its nodes.',
    check: checkEachGate(({ check }) => {
      const wrong = check?.type === 'prometheus' ? unbalanced(check.query) : undefined;
      return wrong === undefined
        ? undefined
        : {
            path: 'spec.check.prometheus.query',
            message: `Prometheus cannot parse this query: ${wrong}.`,
            suggestion: 'Balance brackets and quotes, such as sum(rate(errors_total{job="web"}[5m])) > 1.',
          };
    }),
  },
  {
    name: 'gate-selects-nothing',
    severity: 'warning',
    finds: 'A HealthGate that selects none of the nodes in the input.',
    why: 'It has no effect: the nodes it was written for are disrupted whatever its check returns. Often the label is spelled differently on the nodes.',
    check: checkEachGate((gate, { cluster }) => {
      const isMeant = ({ gates }: NodeView): boolean => gates.some((ref) => ref.gate === gate);
      return selectsNothing(gate, cluster, { isMeant, noun: 'gate' });
    }),
  },
];

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Strings and comments of PromQL: double and single quotes with escapes, backticks without. */
const opaque = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|#[^\n]*/g;

/** The first thing that is not balanced; undefined = nothing is. */
function unbalanced(query: string): string | undefined {
  const code = query.replaceAll(opaque, ' ');
  const quote = /["'`]/.exec(code)?.[0];
  if (quote !== undefined) return `a string that begins with ${quote} does not end`;
  const open: string[] = [];
  for (const [character] of code.matchAll(/[()[\]{}]/g)) {
    if (closing[character] !== undefined) open.push(character);
    else if (closing[open.pop() ?? ''] !== character) return `${character} closes nothing`;
  }
  const last = open.at(-1);
  return last === undefined ? undefined : `${last} is not closed`;
}
