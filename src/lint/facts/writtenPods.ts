// Pods and pod templates as written, with the rules that apply to each, and how to name them.
import { memo } from '../../cluster/memo.ts';
import type { Pdb, Pod, PodSchedule } from '../../cluster/model.ts';
import { compareText, type PodView } from '../../cluster/nodeView.ts';
import { isActive } from '../../cluster/pod.ts';
import { PodIndex } from '../../cluster/podIndex.ts';
import type { Reason } from '../../cluster/reason.ts';
import { keyOf } from '../../cluster/store.ts';
import { scheduleWindows } from '../../engine/rules/podRules.ts';
import { type PodTemplate, podTemplateOf } from '../../kinds/podTemplate.ts';
import { steering } from '../../kinds/read/knownKeys.ts';
import { readObject } from '../../kinds/readObject.ts';
import { joinPath } from '../../kinds/text/path.ts';
import { all } from '../../time/combine.ts';
import { schedulesOf } from '../../time/describeCron.ts';
import { andList, count, groupsOf } from '../../time/lists.ts';
import type { FieldLocation, LintPolicy } from '../rule.ts';
import { templatesIn, writtenAt } from './writtenObjects.ts';

/** A pod or a pod template, and where it is written. */
export interface WrittenPod extends PodView {
  /** `Pod/shop/web-1`, or the workload: `Deployment/shop/web`. */
  readonly object: string;
  /** The path of the pod within the object; empty for a pod itself. */
  readonly within: string;
  /** The object that created it: the same problem is reported once per maker. */
  readonly maker: string;
}

export interface PodFacts {
  /** Templates first, since problems are best reported where they were written; then pods; by namespace and name. */
  readonly pods: readonly WrittenPod[];
  /** The pods whose schedules are not checked, because there are too many. */
  readonly unexamined: readonly WrittenPod[];
  /** By namespace and name. */
  readonly pdbs: readonly Pdb[];
  /** How many pods each selects; 0 = unknown. Without those that select none. */
  readonly guarded: ReadonlyMap<Pdb, number>;
  /** How many pods and templates a PodDisruptionSchedule selects. */
  under(schedule: PodSchedule): number;
}

export const podFacts = memo((policy: LintPolicy): PodFacts => {
  const index = new PodIndex();
  const pods = new Map<string, Pod>();
  const pdbs = new Map<string, Pdb>();
  for (const { object } of policy.documents) {
    if (object.kind !== 'Pod' && object.kind !== 'PodDisruptionBudget' && object.kind !== 'Namespace') continue;
    const read = readObject(object);
    if (read.kind === 'Pod') pods.set(keyOf(read.record), read.record);
    if (read.kind === 'PodDisruptionBudget') pdbs.set(keyOf(read.record), read.record);
    if (read.kind === 'Namespace') index.putNamespace(read.record.name, read.record);
  }
  for (const pdb of pdbs.values()) index.putPdb(pdb);
  for (const schedule of policy.cluster.podSchedules) index.putSchedule(schedule.name, schedule);
  const templates = templatesIn(policy);
  const active = inOrder(pods).filter(isActive);
  for (const { object, pod } of inOrder(templates)) index.put(object, pod);
  for (const pod of active) index.put(podObject(pod), pod);
  const viewOf = (pod: Pod): PodView => ({ pod, schedules: [], pdbs: [], ...index.rulesOn(pod) });
  const templateViews = inOrder(templates).map(({ pod, object, within }) => ({
    ...viewOf(pod),
    object,
    within,
    maker: object,
  }));
  const views: WrittenPod[] = [...templateViews, ...active.map((pod) => asWritten(viewOf(pod), templates))];
  return {
    ...limitExamined(views),
    pdbs: inOrder(pdbs),
    guarded: countGuarded(views, templates),
    under: (schedule) => index.countUnder(schedule),
  };
});

/** A pod that is written itself, not by a template. */
export function asWritten(view: PodView, templates: ReadonlyMap<string, PodTemplate> = new Map()): WrittenPod {
  const { namespace, name, owner } = view.pod;
  const maker = owner ? `${owner.kind}/${namespace}/${owner.name}` : `Pod/${namespace}/${name}`;
  return {
    ...view,
    object: podObject(view.pod),
    within: '',
    maker: podTemplateOf(view.pod, templates)?.object ?? maker,
  };
}

/** Counts pods where there are any; if not, the replicas of workloads, as far as these are given. */
function countGuarded(
  views: readonly WrittenPod[],
  templates: ReadonlyMap<string, PodTemplate>,
): ReadonlyMap<Pdb, number> {
  const counts = new Map<Pdb, { pods: number; expected: number | undefined }>();
  for (const { pdbs, object, within } of views) {
    for (const { pdb } of pdbs) {
      const { pods, expected } = counts.get(pdb) ?? { pods: 0, expected: 0 };
      const replicas = templates.get(object)?.replicas;
      if (within === '') counts.set(pdb, { pods: pods + 1, expected });
      else
        counts.set(pdb, {
          pods,
          expected: expected === undefined || replicas === undefined ? undefined : expected + replicas,
        });
    }
  }
  return new Map([...counts].map(([pdb, { pods, expected }]) => [pdb, pods > 0 ? pods : (expected ?? 0)]));
}

const inOrder = <T>(records: ReadonlyMap<string, T>): T[] =>
  [...records].sort(([a], [b]) => compareText(a, b)).map(([, record]) => record);

/** The value of an annotation as written. */
export const annotationOf = ({ object, within }: WrittenPod, key: string, policy: LintPolicy): unknown =>
  writtenAt(policy, object, ...within.split('.').filter(Boolean), 'metadata', 'annotations', key);

/** `within`: the path of a template's pod. */
export const annotationPath = (key: string, within = ''): string =>
  joinPath(within === '' ? 'metadata.annotations' : `${within}.metadata.annotations`, key);

const podObject = ({ namespace, name }: Pod): string => `Pod/${namespace}/${name}`;
export const pdbObject = ({ namespace, name }: Pdb): string => `PodDisruptionBudget/${namespace}/${name}`;

/** The most openings a day that the cost of one schedule counts. */
const mostADay = 11;
/** The most openings a day of all different schedules together. A thousand pods with a daily schedule each take 2,000. */
const mostInAll = 3000;

/** Pods beyond the cost limit are marked like pods whose schedules the engine does not work out (E13). */
function limitExamined(pods: readonly WrittenPod[]): Pick<PodFacts, 'pods' | 'unexamined'> {
  const costs = new Map<string, number>();
  for (const pod of pods) {
    const key = scheduleKeyOf(pod);
    if (key !== '' && !pod.unevaluated && !costs.has(key)) costs.set(key, costOf(pod));
  }
  let left = mostInAll;
  const beyond = new Set<string>();
  for (const [key, cost] of [...costs].sort(([a, one], [b, other]) => one - other || (a < b ? -1 : 1))) {
    if (cost > left) beyond.add(key);
    else left -= cost;
  }
  if (beyond.size === 0) return { pods, unexamined: [] };
  const isBeyond = (pod: WrittenPod): boolean => !pod.unevaluated && beyond.has(scheduleKeyOf(pod));
  return {
    pods: pods.map((pod) => (isBeyond(pod) ? { ...pod, unevaluated: true } : pod)),
    unexamined: pods.filter(isBeyond),
  };
}

/** Equal for pods with the same schedules; empty for pods without. */
const scheduleKeyOf = ({ pod: { rules } }: PodView): string =>
  rules?.allow || rules?.block ? `${rules.allow?.text ?? ''}\n${rules.block?.text ?? ''}` : '';

function costOf({ pod: { rules } }: PodView): number {
  let cost = 0;
  for (const window of [rules?.allow, rules?.block]) {
    for (const { cron } of (window && schedulesOf(window)) ?? []) {
      const { minutes, hours } = cron.pattern;
      cost += 1 + Math.min(mostADay, members(hours) * (members(minutes.to31) + members(minutes.from32)));
    }
  }
  return cost;
}

function members(bits: number): number {
  let known = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) known++;
  return known;
}

/** Pods of one owner with the same value of a key; at least one. */
export type WrittenPodGroup = readonly [WrittenPod, ...WrittenPod[]];

/** In the order of their first pods. */
export const podGroupsOf = (views: readonly WrittenPod[], keyOf: (view: WrittenPod) => string): WrittenPodGroup[] =>
  groupsOf(views, (view) => JSON.stringify([view.maker, keyOf(view)]));

/** `3 pods`, `3 pods and 1 pod template` */
export function countPods(views: readonly WrittenPod[]): string {
  const templates = views.filter(({ within }) => within !== '').length;
  const pods = views.length - templates;
  const counted = pods > 0 || templates === 0 ? [count(pods, 'pod')] : [];
  return andList([...counted, ...(templates > 0 ? [count(templates, 'pod template')] : [])]);
}

/** `pod web/api-1`, `pod web/api-1 and 3 more pods of ReplicaSet api`, or `a pod of Deployment web/api` */
export function namePods([{ pod, within }, ...others]: WrittenPodGroup): string {
  if (within !== '') return `a pod of ${pod.owner?.kind} ${pod.namespace}/${pod.name}`;
  const first = `pod ${pod.namespace}/${pod.name}`;
  if (others.length === 0) return first;
  return `${first} and ${count(others.length, 'more pod')} of ${pod.owner?.kind} ${pod.owner?.name}`;
}

/** The annotation by which a pod opts out permanently and for every reason; undefined if it does not. */
export const optOutKey = (written: WrittenPod, policy: LintPolicy): string | undefined =>
  written.pod.rules?.optOut?.reasons ? undefined : permanentKey(written, policy);

/** The annotation by which a pod opts out of this reason permanently. */
export const optOutKeyFor = (reason: Reason, written: WrittenPod, policy: LintPolicy): string | undefined =>
  (written.pod.rules?.optOut?.reasons?.has(reason) ?? true) ? permanentKey(written, policy) : undefined;

/** Opt-outs that end by themselves (E1) do not count, even if their end is unknown. */
function permanentKey(written: WrittenPod, policy: LintPolicy): string | undefined {
  const { rules } = written.pod;
  if (!rules?.optOut || rules.optOut.until !== undefined) return undefined;
  // Also matches an unquoted true.
  return [steering.doNotDisrupt, steering.doNotEvict].find((key) => `${annotationOf(written, key, policy)}` === 'true');
}

/** Whether the pod has schedules, its own or a PodDisruptionSchedule's, and all of them are valid and worked out. */
export const isScheduled = (view: PodView): boolean =>
  !view.unevaluated && scheduleWindows(view).length > 0 && view.schedules.every(({ fault }) => fault === undefined);

/** The pod's windows as text; equal for pods with the same windows. */
export const hoursText = (view: PodView): string => all(scheduleWindows(view)).text;

/** The PodDisruptionSchedule that selects the pod, or its own annotation. */
export function scheduleOf({ pod, schedules, object, within }: WrittenPod): FieldLocation {
  const [first] = schedules;
  if (first) return { object: `PodDisruptionSchedule/${first.name}`, path: 'spec.schedule' };
  const key = pod.rules?.allow ? steering.schedule : steering.blockSchedule;
  return { object, path: annotationPath(key, within) };
}
