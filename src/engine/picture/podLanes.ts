// Which hours do pods have? Pods that say the same share one lane, however many there are.
import type { Pod } from '../../cluster/model.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { Window } from '../../time/window.ts';

export interface PodLane {
  readonly label: string;
  readonly detail: string;
  readonly window: Window;
  /** Whether pods stay while it is open. */
  readonly blocks: boolean;
}

export function podLanes(cluster: Cluster): PodLane[] {
  const own = new Map<string, { readonly window: Window; readonly blocks: boolean; readonly pods: Pod[] }>();
  const note = (window: Window | undefined, blocks: boolean, pod: Pod): void => {
    if (!window) return;
    const key = `${blocks} ${window.text}`;
    const known = own.get(key) ?? { window, blocks, pods: [] };
    known.pods.push(pod);
    own.set(key, known);
  };
  for (const { timed } of cluster.nodes) {
    for (const { pod, unworked } of timed) {
      if (unworked) continue;
      note(pod.rules?.allow, false, pod);
      note(pod.rules?.block, true, pod);
    }
  }
  const schedules = cluster.podSchedules.map((schedule): PodLane => {
    const blocks = schedule.mode === 'Block';
    const detail = `${cluster.podsUnder(schedule)} pods ${says(blocks)} ${schedule.window.text}`;
    return { label: schedule.name, detail, window: schedule.window, blocks };
  });
  return [...schedules, ...[...own.values()].map(ofPods)];
}

const says = (blocks: boolean): string => (blocks ? 'stay' : 'may be moved');

function ofPods({ window, blocks, pods }: { window: Window; blocks: boolean; pods: readonly Pod[] }): PodLane {
  const [first] = pods;
  const label = first ? `${first.namespace}/${first.owner?.name ?? first.name}` : '';
  const more = new Set(pods.map(({ owner, name }) => owner?.name ?? name)).size - 1;
  const detail = `${pods.length} pods ${says(blocks)} ${window.text}`;
  return { label: more > 0 ? `${label} and ${more} more` : label, detail, window, blocks };
}
