// H3 in guide: which pods are forced before Karpenter's own deadline? Those that one PDB covers, one at a time instead of all at it.
import type { Pod } from '../../cluster/model.ts';
import type { NodeView, PdbBox } from '../../cluster/nodeView.ts';
import { isEvictable } from '../../cluster/pod.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import type { Situation } from '../situation.ts';
import type { Action } from './action.ts';
import { pdbsOn } from './drains.ts';
import { force } from './evictions.ts';
import { type Doomed, spreadOut } from './forced.ts';

export interface Forcing {
  readonly actions: readonly Action[];
  readonly wakeAt: Instant | undefined;
}

interface Sentence extends Doomed {
  readonly pod: Pod;
}

/** A pod that shares its PDB with no other is forced by Karpenter at the same moment anyway. */
export function forceAhead(views: readonly NodeView[], { now }: Situation): Forcing {
  const actions: Action[] = [];
  let wakeAt: Instant | undefined;
  for (const group of groupsOn(views)) {
    const moments = spreadOut(group);
    for (const { key, pod, deadline } of group.length > 1 ? group : []) {
      const moment = moments.get(key) as Instant;
      if (moment <= now) actions.push(force(pod, undefined, { deadline, now }));
      else wakeAt = earliest(wakeAt, moment);
    }
  }
  return { actions, wakeAt };
}

function groupsOn(views: readonly NodeView[]): Iterable<readonly Sentence[]> {
  const groups = new Map<PdbBox, Sentence[]>();
  for (const view of views) {
    const { deletingSince: drainAt, terminateAt: deadline } = view.claim ?? {};
    if (drainAt === undefined || deadline === undefined) continue;
    const boxes = pdbsOn(view);
    for (const pod of view.pods.filter(isEvictable)) {
      const box = boxes.get(pod);
      const { namespace, name, graceSeconds } = pod;
      const sentence = { key: `${namespace}/${name}`, graceSeconds, drainAt, deadline, pod };
      if (box) groups.set(box, [...(groups.get(box) ?? []), sentence]);
    }
  }
  return groups.values();
}
