// HealthGates in a forecast: each stays as it is now, since nothing checks it in the simulator.
import { gateStateAt } from '../cluster/gateState.ts';
import { readObject } from '../kinds/readObject.ts';
import type { KubeObject } from '../sim/kubeObject.ts';
import type { Instant } from '../time/instant.ts';

/** An open gate is left out, a recovering one opens when its recovery is over, and any other holds for good. */
export const withKeptGates = (objects: readonly KubeObject[], at: Instant): KubeObject[] =>
  objects.flatMap((object) => (object.kind === 'HealthGate' ? keptGate(object, at) : object));

function keptGate(object: KubeObject, at: Instant): KubeObject | [] {
  const read = readObject(object);
  if (read.kind !== 'HealthGate' || read.record.fault) return object;
  const { state, holds, message } = gateStateAt(read.record, at);
  if (!holds) return [];
  return { ...object, spec: { ...object.spec, check: { manual: { healthy: state === 'recovering', message } } } };
}
