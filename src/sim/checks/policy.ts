// What do the policies say? Pools, windows, schedules and PDBs as the readers compile them: texts and hours only, nothing counted.
import type { MaintenanceWindow, Pdb, Pod, PodSchedule, Pool } from '../../cluster/model.ts';
import { readObject } from '../../kinds/readObject.ts';
import type { KubeObject } from '../kubeObject.ts';

interface Compiled {
  readonly NodePool: Pool;
  readonly MaintenanceWindow: MaintenanceWindow;
  readonly PodDisruptionSchedule: PodSchedule;
  readonly PodDisruptionBudget: Pdb;
  readonly Pod: Pod;
}

const known = new WeakMap<KubeObject, unknown>();

/** The record of an object: read once for each version of it. */
export function compiled<Kind extends keyof Compiled>(kind: Kind, object: KubeObject): Compiled[Kind] {
  const last = known.get(object);
  if (last) return last as Compiled[Kind];
  const result = readObject(object);
  if (result.kind !== kind) throw new Error(`${object.kind}/${object.metadata.name} is read as ${result.kind}`);
  known.set(object, result.record);
  return result.record as Compiled[Kind];
}
