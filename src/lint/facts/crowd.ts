// Which pods are to be named only once? Those that one controller made alike: a finding for each of two hundred replicas helps nobody.
import type { PodView } from '../../cluster/nodeView.ts';
import { count } from '../words/lists.ts';

/** Pods of one owner that are alike in what is asked; at least one. */
export type Crowd = readonly [PodView, ...PodView[]];

/** In the order of their first pods. */
export function crowdsOf(views: Iterable<PodView>, likeness: (view: PodView) => string): Crowd[] {
  const crowds = new Map<string, [PodView, ...PodView[]]>();
  for (const view of views) {
    const { namespace, name, owner } = view.pod;
    const maker = owner ? `${owner.kind}/${owner.name}` : `Pod/${name}`;
    const key = JSON.stringify([namespace, maker, likeness(view)]);
    const crowd = crowds.get(key);
    if (crowd) crowd.push(view);
    else crowds.set(key, [view]);
  }
  return [...crowds.values()];
}

/** `pod web/api-1`, or `pod web/api-1 and 3 more pods of ReplicaSet api` */
export function nameCrowd([{ pod }, ...others]: Crowd): string {
  const first = `pod ${pod.namespace}/${pod.name}`;
  if (others.length === 0) return first;
  return `${first} and ${count(others.length, 'more pod')} of ${pod.owner?.kind} ${pod.owner?.name}`;
}
