// What do an object's status conditions say, and how are they set? As Kubernetes does it: the time moves only when the status does.
import { formatInstant, type Instant } from '../../time/instant.ts';
import type { KubeObject } from '../kubeObject.ts';
import type { StatusCondition } from './manifest.ts';

export function conditionOf({ status }: KubeObject, type: string): StatusCondition | undefined {
  const conditions = status?.conditions as readonly StatusCondition[] | undefined;
  if (conditions) for (const condition of conditions) if (condition.type === type) return condition;
  return undefined;
}

export const isTrue = (object: KubeObject, type: string): boolean => conditionOf(object, type)?.status === 'True';

/** The same object with these conditions, and what else its status says now. */
export function withConditions<T extends KubeObject>(
  object: T,
  at: Instant,
  changes: readonly StatusCondition[],
  status: Readonly<Record<string, unknown>> = {},
): T {
  const conditions = [...((object.status?.conditions as readonly StatusCondition[] | undefined) ?? [])];
  for (const change of changes) {
    const index = conditions.findIndex(({ type }) => type === change.type);
    const was = conditions[index];
    const since = was?.status === change.status ? was.lastTransitionTime : undefined;
    const next = { ...change, lastTransitionTime: since ?? formatInstant(at) };
    if (was) conditions[index] = next;
    else conditions.push(next);
  }
  return { ...object, status: { ...object.status, ...status, conditions } };
}
