// What is wrong with what people wrote (C8, D7, E1, E6)? A warning on the object itself, where its owner looks.
import type { Fault } from '../cluster/fault.ts';
import { type About, type Looking, type Notice, standing } from './notice.ts';

/** By kind, what its faults are called. Of what is not here nobody is told: it is no object that Lull watches. */
const reasonOf: Readonly<Record<string, string>> = {
  Pod: 'BadDisruptionRule',
  Node: 'BadDisruptionRule',
  NodePool: 'PolicyFault',
  MaintenanceWindow: 'PolicyFault',
  PodDisruptionSchedule: 'PolicyFault',
  PodDisruptionBudget: 'PolicyFault',
};

export function faultNotices({ told, before, isNew }: Looking): Notice[] {
  return told.round.faults.flatMap((fault): Notice[] => {
    const about = aboutOf(fault);
    const reason = reasonOf[about.kind];
    if (reason === undefined || fault.severity === 'info') return [];
    const key = `${fault.path} ${fault.message}`;
    if (!isNew(`fault ${fault.object} ${key}`, '')) return [];
    const message = `${fault.path}: ${fault.message}`;
    return [{ about, type: 'Warning', reason, message, key, weight: 3, ...standing(before) }];
  });
}

/** `Kind/name` or `Kind/namespace/name`. */
function aboutOf({ object }: Fault): About {
  const [kind = '', first = '', second] = object.split('/');
  return second === undefined ? { kind, name: first } : { kind, namespace: first, name: second };
}
