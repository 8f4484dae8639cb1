// Lull's leader as the prober of manual HealthGates: it writes their status when the switch is moved (O3).
import { nextStatus } from '../../cluster/gateState.ts';
import { writeGateStatus } from '../../kinds/read/gateStatus.ts';
import { readObject } from '../../kinds/readObject.ts';
import { type KubeObject, keyOf } from '../kubeObject.ts';
import type { World } from '../world.ts';
import { type ActorController, change, noWrites } from './actor.ts';

/** Gates with other checks keep the status that the scenario gives them. */
export const gateProber = (world: World): ActorController => ({
  name: 'gate-prober',
  wakes: { HealthGate: ({ type, object }) => (type === 'DELETED' ? [] : [keyOf(object)]) },
  after: [0.5, 2],
  reconcile: (key) => {
    const object = world.objects.get('HealthGate', key);
    return object && isStale(object) ? { writes: [change('HealthGate', key, (it) => probed(it, world))] } : noWrites;
  },
});

const isStale = (object: KubeObject): boolean => {
  const check = object.spec?.check;
  return resultOf(object) !== undefined && check !== undefined && resultOf(object)?.health !== object.status?.state;
};

function resultOf(object: KubeObject) {
  const read = readObject(object);
  if (read.kind !== 'HealthGate' || read.record.check?.type !== 'manual') return undefined;
  const { healthy, message = '' } = read.record.check;
  return { gate: read.record, health: healthy ? 'Healthy' : 'Unhealthy', message } as const;
}

function probed(object: KubeObject, { clock }: World): KubeObject {
  const result = resultOf(object);
  return result
    ? { ...object, status: { ...object.status, ...writeGateStatus(nextStatus(result.gate, result, clock.now)) } }
    : object;
}
