// Lint rules about what people ask for and approve in annotations: rolls (Q1), approvals (Q2).

import type { Pool } from '../../cluster/model.ts';
import type { SignedInstant } from '../../cluster/signedInstant.ts';
import { steering } from '../../kinds/read/knownKeys.ts';
import { joinPath } from '../../kinds/text/path.ts';
import { formatInstant } from '../../time/instant.ts';
import { readPools } from '../facts/writtenPools.ts';
import type { FieldLocation, LintPolicy, LintRule } from '../rule.ts';
import { checkEach } from '../rule.ts';

export const peopleAskRules: readonly LintRule[] = [
  {
    name: 'approval-in-vain', // Q2
    severity: 'info',
    finds: 'A pool with lull.dev/approved for which nothing requires approval.',
    why: 'Only lull.dev/approval: required on the pool, or a MaintenanceWindow with approval: true, holds nodes for approval. Without one of them the approval has no effect, and the nodes are disrupted as the other rules permit.',
    check: checkEach(approvalsIn, ({ pool }, policy) =>
      pool.needsApproval || policy.cluster.windows.some(({ mode }) => mode === 'Approve')
        ? undefined
        : {
            message: `Nothing requires approval for pool ${pool.name}: this approval has no effect.`,
            suggestion: `Set ${steering.approval}: required on the pool, or remove the approval.`,
          },
    ),
  },
  {
    name: 'roll-in-future', // Q1
    severity: 'warning',
    finds: 'A requested roll whose time is in the future.',
    why: 'Nodes created before that time are replaced once it has come. Until then the request has no effect; often the year or the time zone is mistyped.',
    check: checkEach(requestsIn, ({ request }, { now }) =>
      request.at <= now
        ? undefined
        : {
            message: `This roll has no effect before ${formatInstant(request.at)}, and it is ${formatInstant(now)} now.`,
            suggestion: 'Use the time of the request; `lull roll` writes it.',
          },
    ),
  },
];

interface WrittenApproval extends FieldLocation {
  readonly pool: Pool;
}

function* approvalsIn(policy: LintPolicy): Generator<WrittenApproval> {
  const path = joinPath('metadata.annotations', steering.approved);
  for (const { pool, object } of readPools(policy)) if (pool.approved) yield { pool, object, path };
}

interface WrittenRequest extends FieldLocation {
  readonly request: SignedInstant;
}

function* requestsIn(policy: LintPolicy): Generator<WrittenRequest> {
  const path = joinPath('metadata.annotations', steering.rollRequested);
  for (const { pool, object } of readPools(policy))
    if (pool.rollRequested) yield { object, path, request: pool.rollRequested };
  for (const { node } of policy.cluster.nodes)
    if (node.rules.rollRequested) yield { object: `Node/${node.name}`, path, request: node.rules.rollRequested };
}
