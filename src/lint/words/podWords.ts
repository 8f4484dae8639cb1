// When may pods be moved, by PodDisruptionSchedules and by their own annotations? Alike pods of one workload in one sentence.
import type { Pod, PodRules, PodSchedule } from '../../cluster/model.ts';
import { compareText } from '../../cluster/nodeView.ts';
import { isActive } from '../../cluster/pod.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { Instant } from '../../time/instant.ts';
import type { Window } from '../../time/window.ts';
import type { Template } from '../facts/templates.ts';
import { sayInstant } from './clockWords.ts';
import { andList, count } from './lists.ts';
import { saySelected } from './selectorWords.ts';
import { sayBut, sayOnly, sayWindow, utc } from './windowWords.ts';

/** Without its name: `pods with label app=db are moved only Saturday 02:00–06:00 UTC (2 pods today)` */
export function sayPodSchedule(schedule: PodSchedule, cluster: Cluster, now: Instant): string {
  const { selector, namespaces, mode, window, fault } = schedule;
  const where = namespaces && namespaces.requirements.length > 0 ? ` in ${saySelected('namespace', namespaces)}` : '';
  const pods = `${saySelected('pod', selector)}${where}`;
  const meant = cluster.podsUnder(schedule);
  const today = ` (${meant === 0 ? 'no pod' : count(meant, 'pod')} in this input)`;
  if (fault) return `cannot be read, so these may not be moved: ${pods}${today}. ${fault.path}: ${fault.message}`;
  return `${pods} ${sayMoved(mode === 'Allow' ? sayOnly(window, now) : sayBut(window, now))}${today}.`;
}

/** Pods of one workload that say the same. */
export interface PodWords {
  /** `StatefulSet db/postgres`, `Pod batch/report` */
  readonly workload: string;
  readonly pods: number;
  readonly sentence: string;
}

export function sayPods(pods: readonly Pod[], templates: readonly Template[], now: Instant): PodWords[] {
  const told = [
    ...pods.filter(isActive).flatMap((pod) => tell(pod, now, 1)),
    // A workload tells its own only where none of its pods does.
    ...templates.flatMap(({ pod }) => tell(pod, now, 0)),
  ];
  const alike = [...Map.groupBy(told, ({ workload, rule }) => `${workload}\n${rule}`).values()];
  return alike
    .map((its) => {
      const [{ workload, rule }] = its as [(typeof its)[0], ...typeof its];
      const running = its.filter(({ pods }) => pods > 0).length;
      const who = workload.startsWith('Pod ') ? workload : `${sayCount(running)} of ${workload}`;
      return { workload, pods: running, sentence: `${who} ${rule}.` };
    })
    .sort((a, b) => compareText(a.workload, b.workload));
}

const sayCount = (running: number): string => (running === 0 ? 'Pods' : count(running, 'pod'));

function tell(pod: Pod, now: Instant, pods: number): { workload: string; rule: string; pods: number }[] {
  const rule = pod.rules && sayRules(pod.rules, now);
  return rule ? [{ workload: workloadOf(pod), rule, pods }] : [];
}

/** `may be moved only Saturday 02:00–06:00 UTC`; undefined where nothing is left to say. */
function sayRules({ optOut, allow, block }: PodRules, now: Instant): string | undefined {
  const hours = sayPodHours(allow, block, now);
  const isOver = optOut?.until !== undefined && optOut.until <= now;
  if (!optOut || isOver) return hours && sayMoved(hours);
  const until = optOut.until === undefined ? '' : ` until ${sayInstant(optOut.until, utc)}`;
  const forWhat = optOut.reasons ? ` for ${andList([...optOut.reasons])}` : '';
  const not = `may not be moved${forWhat}${until} (do-not-disrupt)`;
  if (!hours) return not;
  if (!forWhat && !until) return `${not}, whatever its schedule says`;
  return `${not}, and ${forWhat ? 'for other reasons' : 'then'} ${hours}`;
}

/** E5: with both, both must permit. */
function sayPodHours(allow: Window | undefined, block: Window | undefined, now: Instant): string | undefined {
  if (!allow) return block && sayBut(block, now);
  return block ? `${sayOnly(allow, now)}, but not ${sayWindow(block, now)}` : sayOnly(allow, now);
}

const sayMoved = (hours: string): string =>
  hours.startsWith('never') ? hours.replace('never', 'may never be moved') : `may be moved ${hours}`;

/** The ReplicaSets of a Deployment come and go; its pods carry the ending of their name as a label. */
function workloadOf({ namespace, name, owner, labels }: Pod): string {
  if (!owner) return `Pod ${namespace}/${name}`;
  const ending = `-${labels['pod-template-hash']}`;
  return owner.kind === 'ReplicaSet' && owner.name.endsWith(ending)
    ? `Deployment ${namespace}/${owner.name.slice(0, -ending.length)}`
    : `${owner.kind} ${namespace}/${owner.name}`;
}
