// Which pods never let themselves be moved, and where do they say so?
import type { Reason } from '../../cluster/reason.ts';
import { steering } from '../../kinds/annotationName.ts';
import type { Policy } from '../rule.ts';
import { annotationsOf, type WrittenPod } from './pods.ts';
import { valueAt } from './written.ts';

/** The annotation by which a pod opts out for ever and for every reason; undefined where it does not. */
export const optOutKey = (written: WrittenPod, policy: Policy): string | undefined =>
  written.pod.rules?.optOut?.reasons ? undefined : eternalKey(written, policy);

/** The annotation by which a pod opts out of this reason for ever. */
export const optOutKeyFor = (reason: Reason, written: WrittenPod, policy: Policy): string | undefined =>
  (written.pod.rules?.optOut?.reasons?.has(reason) ?? true) ? eternalKey(written, policy) : undefined;

/** One that ends by itself (E1) is not meant, though without a start nobody knows when it does. */
function eternalKey(written: WrittenPod, policy: Policy): string | undefined {
  const { rules } = written.pod;
  if (!rules?.optOut || rules.optOut.until !== undefined) return undefined;
  const annotations = annotationsOf(written, policy);
  return [steering.doNotDisrupt, steering.doNotEvict].find((key) => isTrue(valueAt(annotations, key)));
}

/** Unquoted, it is read as it was meant. */
const isTrue = (value: unknown): boolean => value === 'true' || value === true;
