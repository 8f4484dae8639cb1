// Which pods are to be named only once? Those that one controller made alike: a finding for each of two hundred replicas helps nobody.
import { andList, count } from '../words/lists.ts';
import type { WrittenPod } from './pods.ts';

/** Pods of one owner that are alike in what is asked; at least one. */
export type Crowd = readonly [WrittenPod, ...WrittenPod[]];

/** In the order of their first pods. */
export function crowdsOf(views: Iterable<WrittenPod>, likeness: (view: WrittenPod) => string): Crowd[] {
  const crowds = new Map<string, [WrittenPod, ...WrittenPod[]]>();
  for (const view of views) {
    const key = JSON.stringify([view.maker, likeness(view)]);
    const crowd = crowds.get(key);
    if (crowd) crowd.push(view);
    else crowds.set(key, [view]);
  }
  return [...crowds.values()];
}

/** `3 pods`, `3 pods and 1 template of pods` */
export function countPods(views: readonly WrittenPod[]): string {
  const templates = views.filter(({ within }) => within !== '').length;
  const pods = views.length - templates;
  const counted = [...(pods > 0 || templates === 0 ? [count(pods, 'pod')] : [])];
  return andList([...counted, ...(templates > 0 ? [`${count(templates, 'template')} of pods`] : [])]);
}

/** `pod web/api-1`, `pod web/api-1 and 3 more pods of ReplicaSet api`, or `a pod of Deployment web/api` */
export function nameCrowd([{ pod, within }, ...others]: Crowd): string {
  if (within !== '') return `a pod of ${pod.owner?.kind} ${pod.namespace}/${pod.name}`;
  const first = `pod ${pod.namespace}/${pod.name}`;
  if (others.length === 0) return first;
  return `${first} and ${count(others.length, 'more pod')} of ${pod.owner?.kind} ${pod.owner?.name}`;
}
