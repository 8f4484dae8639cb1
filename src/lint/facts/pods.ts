// Which pods does the input hold, and which rules from outside mean each of them? All active pods, whether or not their node is known.
import type { Pdb, Pod } from '../../cluster/model.ts';
import { compareText, type PodView } from '../../cluster/nodeView.ts';
import { isActive } from '../../cluster/pod.ts';
import { PodIndex } from '../../cluster/podIndex.ts';
import { keyOf } from '../../cluster/store.ts';
import type { Document } from '../../kinds/documents.ts';
import { readObject } from '../../kinds/readObject.ts';
import type { Policy } from '../rule.ts';

export interface PodFacts {
  /** By namespace and name. */
  readonly pods: readonly PodView[];
  /** By namespace and name. */
  readonly pdbs: readonly Pdb[];
  /** How many pods each of them means; those that mean none are not in it. */
  readonly guarded: ReadonlyMap<Pdb, number>;
}

/** Worked out once for all rules that ask. */
export function podFacts(policy: Policy): PodFacts {
  const known = facts.get(policy.documents) ?? gather(policy);
  facts.set(policy.documents, known);
  return known;
}

const facts = new WeakMap<readonly Document[], PodFacts>();

function gather({ documents, cluster }: Policy): PodFacts {
  const index = new PodIndex();
  const pods = new Map<string, Pod>();
  const pdbs = new Map<string, Pdb>();
  for (const { object } of documents) {
    if (object.kind !== 'Pod' && object.kind !== 'PodDisruptionBudget' && object.kind !== 'Namespace') continue;
    const read = readObject(object);
    if (read.kind === 'Pod') pods.set(keyOf(read.record), read.record);
    if (read.kind === 'PodDisruptionBudget') pdbs.set(keyOf(read.record), read.record);
    if (read.kind === 'Namespace') index.putNamespace(read.record.name, read.record);
  }
  for (const pdb of pdbs.values()) index.putPdb(pdb);
  const schedules = cluster.podSchedules;
  const views = inOrder(pods)
    .filter(isActive)
    .map((pod) => ({ pod, schedules: [], pdbs: [], ...index.rulesOn(pod, schedules) }));
  return { pods: views, pdbs: inOrder(pdbs), guarded: countGuarded(views) };
}

function countGuarded(views: readonly PodView[]): ReadonlyMap<Pdb, number> {
  const guarded = new Map<Pdb, number>();
  for (const { pdbs } of views) for (const { pdb } of pdbs) guarded.set(pdb, (guarded.get(pdb) ?? 0) + 1);
  return guarded;
}

const inOrder = <T>(records: ReadonlyMap<string, T>): T[] =>
  [...records].sort(([a], [b]) => compareText(a, b)).map(([, record]) => record);

export const podObject = ({ namespace, name }: Pod): string => `Pod/${namespace}/${name}`;
export const pdbObject = ({ namespace, name }: Pdb): string => `PodDisruptionBudget/${namespace}/${name}`;
