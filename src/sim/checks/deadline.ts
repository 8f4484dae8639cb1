// Until when does a drain respect what blocks it (H1)?
import { parseDuration } from '../../time/duration.ts';
import { after, earliest, type Instant } from '../../time/instant.ts';
import type { KubeObject } from '../kubeObject.ts';
import { annotationsOf, instantOf, textAt } from './raw.ts';

export const deadlineAnnotation = 'karpenter.sh/nodeclaim-termination-timestamp';

/** The earlier of what the claim says and the start of the drain plus its grace; undefined = there is none. */
export function deadlineOf(claim: KubeObject | undefined, drainsFrom: Instant): Instant | undefined {
  if (!claim) return undefined;
  const grace = parseDuration(textAt(claim.spec, 'terminationGracePeriod') ?? '');
  const written = instantOf(annotationsOf(claim)[deadlineAnnotation]);
  return earliest(written, grace === undefined ? undefined : after(drainsFrom, grace));
}
