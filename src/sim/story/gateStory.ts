// Story events for HealthGates that close and open, from their spec and status and from the clock.
import { gateStateAt } from '../../cluster/gateState.ts';
import { readObject } from '../../kinds/readObject.ts';
import { type KubeObject, keyOf } from '../kubeObject.ts';
import type { Objects } from '../objects.ts';
import type { VirtualClock, VirtualTimer } from '../virtualClock.ts';
import type { NewStoryEvent } from './storyEvent.ts';

/** Records an event whenever a gate begins or ceases to hold nodes from now on. */
export function followGates(objects: Objects, clock: VirtualClock, record: (event: NewStoryEvent) => void): void {
  const holding = new Map<string, boolean>();
  const timers = new Map<string, VirtualTimer>();

  const look = (object: KubeObject, isFirst = false): void => {
    const read = readObject(object);
    if (read.kind !== 'HealthGate') return;
    const { name } = read.record;
    const { holds, message, changesAt } = gateStateAt(read.record, clock.now);
    const was = holding.get(name);
    if (!isFirst && was !== holds && (was !== undefined || holds)) record(changeOf(name, holds, message));
    holding.set(name, holds);
    timers.get(name)?.cancel();
    if (changesAt !== undefined)
      timers.set(
        name,
        clock.at(changesAt, () => look(object)),
      );
  };

  for (const object of objects.list('HealthGate')) look(object, true);
  objects.onChange(({ type, object }) => {
    if (object.kind !== 'HealthGate') return;
    if (type !== 'DELETED') return look(object);
    timers.get(keyOf(object))?.cancel();
    holding.delete(keyOf(object));
  });
}

const changeOf = (name: string, holds: boolean, message: string): NewStoryEvent => ({
  kind: holds ? 'WindowClosed' : 'WindowOpened',
  window: `HealthGate/${name}`,
  text: holds ? `Health gate ${name} holds nodes: ${message}.` : `Health gate ${name} opens.`,
});
