// Which pods never let themselves be moved, and where do they say so?
import type { Pod } from '../../cluster/model.ts';
import type { Reason } from '../../cluster/reason.ts';
import { steering } from '../../kinds/annotationName.ts';
import { joinPath } from '../../kinds/path.ts';
import type { Policy } from '../rule.ts';
import { podObject } from './pods.ts';
import { valueAt, writtenAs } from './written.ts';

/** The annotation by which a pod opts out for ever and for every reason; undefined where it does not. */
export const optOutKey = (pod: Pod, policy: Policy): string | undefined =>
  pod.rules?.optOut?.reasons ? undefined : eternalKey(pod, policy);

/** The annotation by which a pod opts out of this reason for ever. */
export const optOutKeyFor = (reason: Reason, pod: Pod, policy: Policy): string | undefined =>
  (pod.rules?.optOut?.reasons?.has(reason) ?? true) ? eternalKey(pod, policy) : undefined;

/** One that ends by itself (E1) is not meant, though without a start nobody knows when it does. */
function eternalKey(pod: Pod, policy: Policy): string | undefined {
  if (!pod.rules?.optOut || pod.rules.optOut.until !== undefined) return undefined;
  const annotations = valueAt(writtenAs(policy, podObject(pod))?.object, 'metadata', 'annotations');
  return [steering.doNotDisrupt, steering.doNotEvict].find((key) => isTrue(valueAt(annotations, key)));
}

/** Unquoted, it is read as it was meant. */
const isTrue = (value: unknown): boolean => value === 'true' || value === true;

export const annotationPath = (key: string): string => joinPath('metadata.annotations', key);
