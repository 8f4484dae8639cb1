// Describes when pods may be moved, by PodDisruptionSchedules and annotations; one sentence per workload and rule.
import type { Pod, PodRules, PodSchedule } from '../cluster/model.ts';
import { compareText } from '../cluster/nodeView.ts';
import { isActive } from '../cluster/pod.ts';
import type { Cluster } from '../cluster/store.ts';
import type { PodTemplate } from '../kinds/podTemplate.ts';
import { describeInstant } from '../time/describeClock.ts';
import type { Instant } from '../time/instant.ts';
import { andList, count, groupsOf } from '../time/lists.ts';
import type { Window } from '../time/window.ts';
import { describeAllowed, describeOutside, describeSelected, describeWindow, utc } from './describeWindow.ts';

/** Without its name: `pods with label app=db are moved only Saturday 02:00–06:00 UTC (2 pods today)` */
export function describePodSchedule(schedule: PodSchedule, cluster: Cluster, now: Instant): string {
  const { selector, namespaces, mode, window, fault } = schedule;
  const where =
    namespaces && namespaces.requirements.length > 0 ? ` in ${describeSelected('namespace', namespaces)}` : '';
  const pods = `${describeSelected('pod', selector)}${where}`;
  const selected = cluster.podsUnder(schedule);
  const today = ` (${selected === 0 ? 'no pods' : count(selected, 'pod')} in the input)`;
  if (fault) return `is invalid, so these pods may not be moved: ${pods}${today}. ${fault.path}: ${fault.message}`;
  return `${pods} ${describeMoves(mode === 'Allow' ? describeAllowed(window, now) : describeOutside(window, now))}${today}.`;
}

/** Pods of one workload with the same rule. */
export interface PodText {
  /** `StatefulSet db/postgres`, `Pod batch/report` */
  readonly workload: string;
  readonly pods: number;
  readonly sentence: string;
}

export function describePods(pods: readonly Pod[], templates: readonly PodTemplate[], now: Instant): PodText[] {
  const told = [
    ...pods.filter(isActive).flatMap((pod) => tell(pod, now, 1)),
    // The template counts only if none of the workload's pods has the rule.
    ...templates.flatMap(({ pod }) => tell(pod, now, 0)),
  ];
  return groupsOf(told, ({ workload, rule }) => `${workload}\n${rule}`)
    .map((its) => {
      const [{ workload, rule }] = its;
      const running = its.filter(({ pods }) => pods > 0).length;
      const who = workload.startsWith('Pod ') ? workload : `${describeCount(running)} of ${workload}`;
      return { workload, pods: running, sentence: `${who} ${rule}.` };
    })
    .sort((a, b) => compareText(a.workload, b.workload));
}

const describeCount = (running: number): string => (running === 0 ? 'Pods' : count(running, 'pod'));

function tell(pod: Pod, now: Instant, pods: number): { workload: string; rule: string; pods: number }[] {
  const rule = pod.rules && describeRules(pod.rules, now);
  return rule ? [{ workload: workloadOf(pod), rule, pods }] : [];
}

/** `may be moved only Saturday 02:00–06:00 UTC`; undefined without a rule. */
function describeRules({ optOut, allow, block }: PodRules, now: Instant): string | undefined {
  const hours = describePodHours(allow, block, now);
  const isOver = optOut?.until !== undefined && optOut.until <= now;
  if (!optOut || isOver) return hours && describeMoves(hours);
  const until = optOut.until === undefined ? '' : ` until ${describeInstant(optOut.until, utc)}`;
  const forWhat = optOut.reasons ? ` for ${andList([...optOut.reasons])}` : '';
  const not = `may not be moved${forWhat}${until} (do-not-disrupt)`;
  if (!hours) return not;
  if (!forWhat && !until) return `${not}, regardless of its schedule`;
  return `${not}, and ${forWhat ? 'for other reasons' : 'then'} ${hours}`;
}

/** If a pod has both schedules, both must permit (E5). */
function describePodHours(allow: Window | undefined, block: Window | undefined, now: Instant): string | undefined {
  if (!allow) return block && describeOutside(block, now);
  return block ? `${describeAllowed(allow, now)}, but not ${describeWindow(block, now)}` : describeAllowed(allow, now);
}

const describeMoves = (hours: string): string =>
  hours.startsWith('never') ? hours.replace('never', 'may never be moved') : `may be moved ${hours}`;

/** The Deployment of a ReplicaSet: pods have the hash at the end of the ReplicaSet's name as a label. */
function workloadOf({ namespace, name, owner, labels }: Pod): string {
  if (!owner) return `Pod ${namespace}/${name}`;
  const ending = `-${labels['pod-template-hash']}`;
  return owner.kind === 'ReplicaSet' && owner.name.endsWith(ending)
    ? `Deployment ${namespace}/${owner.name.slice(0, -ending.length)}`
    : `${owner.kind} ${namespace}/${owner.name}`;
}
