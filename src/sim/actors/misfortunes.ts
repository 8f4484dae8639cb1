// What can befall a node? Its kubelet dies, or its machine is taken back by the cloud with two minutes' notice.
import { taint } from '../../cluster/names.ts';
import { asDuration, type Duration, formatInstant, minute } from '../../time/instant.ts';
import type { World } from '../world.ts';
import type { Node } from './manifest.ts';
import { addTaints } from './taints.ts';

/** What a cloud gives before it takes a spot machine back. */
const notice: Duration = asDuration(2 * minute);

/** Its kubelet answers nobody, for ever or for so long. */
export function failNode({ conditions, clock }: World, name: string, duration?: Duration): void {
  conditions.set('kubelets', name, 'dead');
  if (duration !== undefined) clock.in(duration, () => conditions.clear('kubelets', name));
}

/** Tainted now, gone in two minutes, whatever anybody does about it. */
export function interruptNode({ objects, clock, conditions }: World, name: string): void {
  const [spot] = taint.interruption;
  const timeAdded = formatInstant(clock.now);
  const node = objects.write('Node', name, 'cloud', (it) =>
    addTaints(it as Node, [{ key: spot, effect: 'NoSchedule', timeAdded }]),
  );
  if (!node) return;
  clock.in(notice, () => {
    if (objects.get('Node', name)?.metadata.uid === node.metadata.uid) conditions.set('instances', name, 'lost');
  });
}
