// When do windows open and close? Told by the clock alone, from the policy objects as they stand.
import type { Clock, Timer } from '../clock.ts';
import { type KubeObject, keyOf, sameJson } from '../kubeObject.ts';
import type { Objects } from '../objects.ts';
import type { StoryEvent } from './event.ts';
import { type Hours, hoursIn } from './hours.ts';

type Tell = (event: Omit<StoryEvent, 'at'>) => void;

const kinds = [
  'MaintenanceWindow',
  'PodDisruptionSchedule',
  'NodePool',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Job',
];

/** Follows every object that keeps hours, from now on. */
export function followWindows(objects: Objects, clock: Clock, tell: Tell): void {
  const timers = new Map<string, Timer[]>();

  const follow = (object: KubeObject): void => {
    forget(object);
    const slots: Timer[] = [];
    for (const [slot, hours] of hoursIn(object).entries()) waitFor(hours, slots, slot);
    if (slots.length > 0) timers.set(idOf(object), slots);
  };

  const waitFor = (hours: Hours, slots: Timer[], slot: number): void => {
    const at = hours.window.nextChange(clock.now);
    if (at === undefined) return;
    slots[slot] = clock.at(at, () => {
      tell(changeOf(hours, hours.window.isOpen(at)));
      waitFor(hours, slots, slot);
    });
  };

  const forget = (object: KubeObject): void => {
    for (const timer of timers.get(idOf(object)) ?? []) timer?.cancel();
    timers.delete(idOf(object));
  };

  for (const kind of kinds) for (const object of objects.list(kind)) follow(object);
  objects.onChange(({ type, object, was }) => {
    if (!kinds.includes(object.kind)) return;
    if (type === 'DELETED') forget(object);
    else if (
      !was ||
      !sameJson(was.spec, object.spec) ||
      !sameJson(was.metadata.annotations, object.metadata.annotations)
    ) {
      follow(object);
    }
  });
}

const idOf = (object: KubeObject): string => `${object.kind}/${keyOf(object)}`;

const changeOf = ({ name, pool, opens, closes }: Hours, isOpen: boolean): Omit<StoryEvent, 'at'> => ({
  kind: isOpen ? 'WindowOpened' : 'WindowClosed',
  ...(pool !== undefined && { pool }),
  window: name,
  text: capital(isOpen ? opens : closes),
});

const capital = (text: string): string => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;
