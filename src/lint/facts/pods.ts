// Which pods does the input hold or ask for, and which rules from outside mean each of them? All active pods, whether or not
// their node is known, and the templates that workloads make pods from.
import type { Pdb, Pod, PodSchedule } from '../../cluster/model.ts';
import { compareText, type PodView } from '../../cluster/nodeView.ts';
import { isActive } from '../../cluster/pod.ts';
import { PodIndex } from '../../cluster/podIndex.ts';
import { keyOf } from '../../cluster/store.ts';
import type { Document } from '../../kinds/documents.ts';
import { joinPath } from '../../kinds/path.ts';
import { readObject } from '../../kinds/readObject.ts';
import type { Policy } from '../rule.ts';
import { limitExamined } from './examined.ts';
import { type Template, templateOf, templatesIn } from './templates.ts';
import { valueAt, writtenAs } from './written.ts';

/** A pod or a template of pods, and where it is written. */
export interface WrittenPod extends PodView {
  /** `Pod/shop/web-1`, or the workload: `Deployment/shop/web`. */
  readonly object: string;
  /** Where in the object the pod stands; empty for a pod itself. */
  readonly within: string;
  /** Who made it: what is alike of one maker is told once. */
  readonly maker: string;
}

export interface PodFacts {
  /** Templates first, since what is wrong is best told where it was written; then pods; by namespace and name. */
  readonly pods: readonly WrittenPod[];
  /** Of these, the pods whose schedules are not looked into, since there are too many. */
  readonly unexamined: readonly WrittenPod[];
  /** By namespace and name. */
  readonly pdbs: readonly Pdb[];
  /** How many pods each of them means; 0 = not known. Those that mean none are not in it. */
  readonly guarded: ReadonlyMap<Pdb, number>;
  /** How many pods and templates a PodDisruptionSchedule means. */
  under(schedule: PodSchedule): number;
}

/** Worked out once for all rules that ask. */
export function podFacts(policy: Policy): PodFacts {
  const known = facts.get(policy.documents) ?? gather(policy);
  facts.set(policy.documents, known);
  return known;
}

const facts = new WeakMap<readonly Document[], PodFacts>();

function gather(policy: Policy): PodFacts {
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
  const asked = inOrder(templates).map((template) => asTemplate(viewOf(template.pod), template));
  const views = [...asked, ...active.map((pod) => asWritten(viewOf(pod), templates))];
  return {
    ...limitExamined(views),
    pdbs: inOrder(pdbs),
    guarded: countGuarded(views, templates),
    under: (schedule) => index.countUnder(schedule),
  };
}

const asTemplate = (view: PodView, { object, within }: Template): WrittenPod => ({
  ...view,
  object,
  within,
  maker: object,
});

/** A pod that stands for itself. */
export function asWritten(view: PodView, templates: ReadonlyMap<string, Template> = new Map()): WrittenPod {
  const { namespace, name, owner } = view.pod;
  const maker = owner ? `${owner.kind}/${namespace}/${owner.name}` : `Pod/${namespace}/${name}`;
  return { ...view, object: podObject(view.pod), within: '', maker: templateOf(view.pod, templates)?.object ?? maker };
}

/** Where there are pods they are counted; else what workloads ask for, as far as they say how many. */
function countGuarded(
  views: readonly WrittenPod[],
  templates: ReadonlyMap<string, Template>,
): ReadonlyMap<Pdb, number> {
  const counts = new Map<Pdb, { pods: number; asked: number | undefined }>();
  for (const { pdbs, object, within } of views) {
    for (const { pdb } of pdbs) {
      const { pods, asked } = counts.get(pdb) ?? { pods: 0, asked: 0 };
      const replicas = templates.get(object)?.replicas;
      if (within === '') counts.set(pdb, { pods: pods + 1, asked });
      else
        counts.set(pdb, { pods, asked: asked === undefined || replicas === undefined ? undefined : asked + replicas });
    }
  }
  return new Map([...counts].map(([pdb, { pods, asked }]) => [pdb, pods > 0 ? pods : (asked ?? 0)]));
}

const inOrder = <T>(records: ReadonlyMap<string, T>): T[] =>
  [...records].sort(([a], [b]) => compareText(a, b)).map(([, record]) => record);

/** What is written on it. */
export const annotationsOf = ({ object, within }: WrittenPod, policy: Policy): unknown =>
  valueAt(writtenAs(policy, object)?.object, ...within.split('.').filter(Boolean), 'metadata', 'annotations');

/** `within`: where the pod of a template stands. */
export const annotationPath = (key: string, within = ''): string =>
  joinPath(within === '' ? 'metadata.annotations' : `${within}.metadata.annotations`, key);

const podObject = ({ namespace, name }: Pod): string => `Pod/${namespace}/${name}`;
export const pdbObject = ({ namespace, name }: Pdb): string => `PodDisruptionBudget/${namespace}/${name}`;
