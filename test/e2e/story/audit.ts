// The API server's audit log: who requested what. Neither Lull nor Karpenter writes it.
import { readFileSync } from 'node:fs';

export interface Asked {
  /** As `karpenter`, or `system:serviceaccount:lull-system:lull`. */
  readonly user: string;
  /** The user it impersonated. */
  readonly actsAs?: string;
  readonly verb: string;
  /** `pods`, or `pods/eviction`. */
  readonly resource: string;
  readonly group: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  /** Why RBAC or a policy allowed or refused it. */
  readonly decision: string;
  readonly at: string;
}

export const lullUser = 'system:serviceaccount:lull-system:lull';

/** Requests that have been answered, and watches that have started; each once. */
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
        impersonatedUser,
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
          ...(impersonatedUser && { actsAs: impersonatedUser.username }),
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

/**
 * G2: pods that were evicted more than once, as sentences. Karpenter may evict a pod again that is already terminating, because its own view is late:
 * its second request counts only once the scheduler has bound a pod of that name again.
 */
export function evictedTwice(asked: readonly Asked[]): string[] {
  const granted = asked.filter(({ verb, code }) => verb === 'create' && code < 300);
  const pods = Map.groupBy(granted, ({ namespace, name }) => `${namespace}/${name}`);
  return [...pods].flatMap(([pod, requests]) => {
    const hands: string[] = [];
    let boundSince = true;
    for (const { resource, user } of requests) {
      if (resource === 'pods/binding') boundSince = true;
      if (resource !== 'pods/eviction') continue;
      const isRepeated = !boundSince && user === 'karpenter' && hands.at(-1) === 'karpenter';
      if (!isRepeated) hands.push(user);
      boundSince = false;
    }
    return hands.length > 1 ? [`${pod} was evicted ${hands.length} times, by ${hands.join(', ')}`] : [];
  });
}
