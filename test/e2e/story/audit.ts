// Who asked the API server for what? Its audit log, which neither Lull nor Karpenter writes.
import { readFileSync } from 'node:fs';

export interface Asked {
  /** As `karpenter`, or `system:serviceaccount:lull-system:lull`. */
  readonly user: string;
  readonly verb: string;
  /** `pods`, or `pods/eviction`. */
  readonly resource: string;
  readonly group: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  /** Why RBAC or a policy let it through or did not. */
  readonly decision: string;
  readonly at: string;
}

export const lullUser = 'system:serviceaccount:lull-system:lull';

/** Requests that have been answered, and watches that have begun; each once. */
export function readAudit(file: string): Asked[] {
  const seen = new Set<string>();
  const text = readFileSync(file, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .flatMap((line) => {
      if (line === '') return [];
      const {
        auditID,
        user,
        verb,
        objectRef = {},
        responseStatus,
        annotations,
        requestReceivedTimestamp,
      } = JSON.parse(line);
      if (seen.has(auditID)) return [];
      seen.add(auditID);
      const { resource = '', subresource, apiGroup = '', namespace = '', name = '' } = objectRef;
      return [
        {
          user: user.username,
          verb,
          resource: subresource ? `${resource}/${subresource}` : resource,
          group: apiGroup,
          namespace,
          name,
          code: responseStatus?.code ?? 0,
          decision: annotations?.['authorization.k8s.io/decision'] ?? '',
          at: requestReceivedTimestamp,
        },
      ];
    });
}

/** G2: evictions of the same pod that were granted more than once, as sentences. By name: pods of a StatefulSet keep theirs. */
export function evictedTwice(asked: readonly Asked[]): string[] {
  const granted = asked.filter(
    ({ resource, verb, code }) => resource === 'pods/eviction' && verb === 'create' && code < 300,
  );
  const pods = Map.groupBy(granted, ({ namespace, name }) => `${namespace}/${name}`);
  return [...pods].flatMap(([pod, times]) =>
    times.length > 1
      ? [`${pod} was evicted ${times.length} times, by ${times.map(({ user }) => user).join(', ')}`]
      : [],
  );
}
