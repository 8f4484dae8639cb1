// The first steps of a release: the admission policy that parks new nodes from birth is removed, the binding first (N10).
import { objectPath } from '../kube/apiKind.ts';
import { bornParkedKinds, bornParkedName, servedPolicyVersion } from '../kube/bornParked.ts';
import type { Client } from '../kube/client.ts';
import { sayReply } from '../kube/status.ts';
import { Failure } from './failure.ts';
import type { ReleaseStep } from './releasePlan.ts';

/** Whoever made it: as long as it is there, every new node would carry a mark that nothing takes off any more. */
export async function policySteps(client: Client): Promise<readonly ReleaseStep[]> {
  const version = await servedPolicyVersion(client);
  if (version === undefined || version === 'none') return [];
  const steps: ReleaseStep[] = [];
  for (const kind of bornParkedKinds(version)) {
    const path = objectPath(kind, bornParkedName);
    const reply = await client.request({ method: 'GET', path });
    if (reply.kind === 'answer' && reply.code === 404) continue;
    if (reply.kind !== 'answer' || reply.code !== 200)
      throw new Failure([{ message: `${kind.kind} ${bornParkedName} cannot be read: ${sayReply(reply)}` }]);
    steps.push({ kind: kind.kind, name: bornParkedName, what: 'removed', call: { method: 'DELETE', path } });
  }
  return steps;
}
