// When may a pod be moved by its schedules, and where is that written?
import type { PodView } from '../../cluster/nodeView.ts';
import { scheduleWindows } from '../../engine/gates/podRules.ts';
import { steering } from '../../kinds/annotationName.ts';
import { all } from '../../time/combine.ts';
import type { Window } from '../../time/window.ts';
import { annotationPath, type WrittenPod } from './pods.ts';

/** Whether a schedule of its own or from outside says when it may be moved, and all of them could be read and are worked out. */
export const isScheduled = (view: PodView): boolean =>
  !view.unworked && scheduleWindows(view).length > 0 && view.schedules.every(({ fault }) => fault === undefined);

/** Its windows as a person would say them; alike for pods that are alike. */
export const hoursText = (view: PodView): string => all(scheduleWindows(view)).text;

export const hoursOf = (view: PodView): readonly Window[] => scheduleWindows(view);

export interface Place {
  readonly object: string;
  readonly path: string;
}

/** Its own annotation, else the PodDisruptionSchedule that means it. */
export function scheduleOf({ pod, schedules, object, within }: WrittenPod): Place {
  const [first] = schedules;
  if (first) return { object: `PodDisruptionSchedule/${first.name}`, path: 'spec.schedule' };
  const key = pod.rules?.allow ? steering.schedule : steering.blockSchedule;
  return { object, path: annotationPath(key, within) };
}
