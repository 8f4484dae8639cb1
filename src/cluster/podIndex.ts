// Which pods are there, and which rules from outside mean them? By namespace, since PDBs never reach beyond theirs.
import type { Namespace, Pdb, Pod, PodSchedule } from './model.ts';
import { compareText, type PodView } from './nodeView.ts';
import { isActive } from './pod.ts';
import { matches } from './selector.ts';

interface Slot {
  record?: Namespace;
  readonly pods: Map<string, Pod>;
  readonly pdbs: Map<string, { readonly id: number; pdb: Pdb }>;
}

export class PodIndex {
  readonly #pods = new Map<string, Pod>();
  readonly #pending = new Map<string, Pod>();
  readonly #namespaces = new Map<string, Slot>();
  /** Another number whenever some PDB has changed. */
  pdbRevision = 0;
  #boxes = 0;

  get(key: string): Pod | undefined {
    return this.#pods.get(key);
  }

  get pending(): readonly Pod[] {
    return [...this.#pending].sort(([a], [b]) => compareText(a, b)).map(([, pod]) => pod);
  }

  put(key: string, pod: Pod): void {
    this.#pods.set(key, pod);
    this.#slot(pod.namespace).pods.set(key, pod);
    if (pod.nodeName === undefined && isActive(pod)) this.#pending.set(key, pod);
  }

  remove(key: string, { namespace }: Pod): void {
    this.#pods.delete(key);
    this.#pending.delete(key);
    this.#slot(namespace).pods.delete(key);
  }

  /** Undefined takes the record away; its pods stay. */
  putNamespace(name: string, record: Namespace | undefined): void {
    const slot = this.#slot(name);
    if (record) slot.record = record;
    else delete slot.record;
  }

  /** Whether it means other pods than before. */
  putPdb(pdb: Pdb): boolean {
    const { pdbs } = this.#slot(pdb.namespace);
    const box = pdbs.get(pdb.name);
    this.pdbRevision++;
    const same = box !== undefined && ruleOf(box.pdb) === ruleOf(pdb);
    if (box) box.pdb = pdb;
    else pdbs.set(pdb.name, { id: this.#boxes++, pdb });
    return !same;
  }

  removePdb(namespace: string, name: string): void {
    this.pdbRevision++;
    this.#slot(namespace).pdbs.delete(name);
  }

  nodesWithPodsIn(namespace: string): string[] {
    return [...this.#slot(namespace).pods.values()].flatMap(({ nodeName }) => nodeName ?? []);
  }

  countUnder(schedule: PodSchedule): number {
    let count = 0;
    for (const pod of this.#pods.values()) if (isActive(pod) && this.#means(schedule, pod)) count++;
    return count;
  }

  /** The rules on a pod from outside it; undefined where there are none. */
  rulesOn(pod: Pod, schedules: readonly PodSchedule[]): Omit<PodView, 'pod'> | undefined {
    const saysWhen = pod.rules?.allow !== undefined || pod.rules?.block !== undefined;
    const mine = saysWhen ? [] : schedules.filter((schedule) => this.#means(schedule, pod));
    const boxes = [...this.#slot(pod.namespace).pdbs.values()].filter(({ pdb }) => matches(pdb.selector, pod.labels));
    if (mine.length === 0 && boxes.length === 0) return undefined;
    return { schedules: mine, pdbs: boxes.sort((a, b) => compareText(a.pdb.name, b.pdb.name)) };
  }

  #means({ selector, namespaces }: PodSchedule, pod: Pod): boolean {
    if (!matches(selector, pod.labels)) return false;
    if (!namespaces) return true;
    // Every namespace carries its name as a label, whether or not we were shown the object.
    const labels = this.#namespaces.get(pod.namespace)?.record?.labels;
    return matches(namespaces, { 'kubernetes.io/metadata.name': pod.namespace, ...labels });
  }

  #slot(namespace: string): Slot {
    const slot: Slot = this.#namespaces.get(namespace) ?? { pods: new Map(), pdbs: new Map() };
    this.#namespaces.set(namespace, slot);
    return slot;
  }
}

/** Whom a PDB means is part of a view. Its status, which changes with every pod, is read through its box. */
const ruleOf = ({ selector, alwaysAllowUnready, fault }: Pdb): string =>
  JSON.stringify([selector, alwaysAllowUnready, fault !== undefined]);
