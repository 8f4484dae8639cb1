// Policy objects as the readers compile them (schedules and texts only), and whether a pod's own rules allow moving it
// (E1, E3–E7).
import type { HealthGate } from '../../cluster/healthGateRecord.ts';
import type { MaintenanceWindow, Node, Pdb, Pod, PodSchedule, Pool } from '../../cluster/model.ts';
import { matches } from '../../cluster/selector.ts';
import { readObject } from '../../kinds/readObject.ts';
import type { Instant } from '../../time/instant.ts';
import { type KubeObject, labelsOf } from '../kubeObject.ts';
import type { AuthorView } from './authorView.ts';

interface CompiledRecords {
  readonly NodePool: Pool;
  readonly MaintenanceWindow: MaintenanceWindow;
  readonly HealthGate: HealthGate;
  readonly PodDisruptionSchedule: PodSchedule;
  readonly PodDisruptionBudget: Pdb;
  readonly Pod: Pod;
  readonly Node: Node;
}

const known = new WeakMap<KubeObject, unknown>();

/** The compiled record of an object, cached by version. */
export function compiled<Kind extends keyof CompiledRecords>(kind: Kind, object: KubeObject): CompiledRecords[Kind] {
  const last = known.get(object);
  if (last) return last as CompiledRecords[Kind];
  const result = readObject(object);
  if (result.kind !== kind) throw new Error(`${object.kind}/${object.metadata.name} is read as ${result.kind}`);
  known.set(object, result.record);
  return result.record as CompiledRecords[Kind];
}

/** Whether do-not-disrupt on the pod applies to the reason at this instant (E1, E3). */
export function isOptedOut(pod: KubeObject, reason: string, at: Instant): boolean {
  const { optOut } = compiled('Pod', pod).rules ?? {};
  if (!optOut || (optOut.until !== undefined && at >= optOut.until)) return false;
  return !optOut.reasons || [...optOut.reasons].some((it) => it === reason);
}

/** The schedule that forbids moving the pod at this instant (E4–E7); undefined if none does. */
export function closedBy(pod: KubeObject, at: Instant, sight: Pick<AuthorView, 'get' | 'list'>): string | undefined {
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

function namespaceLabels({ metadata }: KubeObject, sight: Pick<AuthorView, 'get'>): Record<string, string> {
  const name = metadata.namespace ?? 'default';
  const namespace = sight.get('Namespace', name);
  return { 'kubernetes.io/metadata.name': name, ...(namespace && labelsOf(namespace)) };
}
