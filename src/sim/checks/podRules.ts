// May a pod be moved, by its own rules (E1, E3–E7)?
import { matches } from '../../cluster/selector.ts';
import type { Instant } from '../../time/instant.ts';
import type { KubeObject } from '../kubeObject.ts';
import { compiled } from './policy.ts';
import { labelsOf } from './raw.ts';
import type { Sight } from './sight.ts';

/** E1, E3. */
export function isOptedOut(pod: KubeObject, reason: string, at: Instant): boolean {
  const { optOut } = compiled('Pod', pod).rules ?? {};
  if (!optOut || (optOut.until !== undefined && at >= optOut.until)) return false;
  return !optOut.reasons || [...optOut.reasons].some((it) => it === reason);
}

/** E4–E7: which schedule forbids moving it at this instant; undefined = none. */
export function closedBy(pod: KubeObject, at: Instant, sight: Pick<Sight, 'get' | 'list'>): string | undefined {
  const { allow, block } = compiled('Pod', pod).rules ?? {};
  if (allow && !allow.isOpen(at)) return `its own window (${allow.text})`;
  if (block?.isOpen(at)) return `its own block (${block.text})`;
  if (allow || block) return undefined;
  for (const object of sight.list('PodDisruptionSchedule')) {
    const schedule = compiled('PodDisruptionSchedule', object);
    if (!matches(schedule.selector, labelsOf(pod))) continue;
    if (schedule.namespaces && !matches(schedule.namespaces, namespaceLabels(pod, sight))) continue;
    const isHeld = schedule.fault || schedule.window.isOpen(at) === (schedule.mode === 'Block');
    if (isHeld) return `schedule ${schedule.name}`;
  }
  return undefined;
}

function namespaceLabels({ metadata }: KubeObject, sight: Pick<Sight, 'get'>): Record<string, string> {
  const name = metadata.namespace ?? 'default';
  const namespace = sight.get('Namespace', name);
  return { 'kubernetes.io/metadata.name': name, ...(namespace && labelsOf(namespace)) };
}
