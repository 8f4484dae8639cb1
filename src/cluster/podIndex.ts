// Index of pods by namespace, with the PDBs and PodDisruptionSchedules that select them.
import type { Fault } from './fault.ts';
import type { Namespace, Pdb, Pod, PodSchedule } from './model.ts';
import { compareText, type PodView } from './nodeView.ts';
import { isActive, ScheduleShare, unevaluatedFault } from './pod.ts';
import { matches, type TextMap } from './selector.ts';
import { SelectorIndex } from './selectorIndex.ts';

interface MutablePdbRef {
  readonly id: number;
  pdb: Pdb;
}

interface NamespaceSlot {
  /** Its labels plus `kubernetes.io/metadata.name`, which every namespace has even if its object is unknown. */
  labels: TextMap;
  readonly pods: Map<string, Pod>;
  readonly pdbs: Map<string, MutablePdbRef>;
  readonly pdbsBySelector: SelectorIndex<MutablePdbRef>;
  readonly share: ScheduleShare;
}

export class PodIndex {
  readonly #pods = new Map<string, Pod>();
  readonly #pending = new Map<string, Pod>();
  readonly #namespaces = new Map<string, NamespaceSlot>();
  readonly #schedules = new Map<string, PodSchedule>();
  readonly #schedulesBySelector = new SelectorIndex<PodSchedule>();
  /** How many active pods each schedule selects; undefined = has to be counted. */
  #counts: Map<PodSchedule, number> | undefined;
  #sortedSchedules: readonly PodSchedule[] | undefined;
  #sortedPending: readonly Pod[] | undefined;
  /** Changes whenever a PDB changes. */
  pdbRevision = 0;
  /** Changes whenever the labels of a namespace change. */
  namespaceRevision = 0;
  #boxes = 0;
  readonly #turned = new Set<string>();
  #spentFaults: readonly Fault[] | undefined;

  get(key: string): Pod | undefined {
    return this.#pods.get(key);
  }

  get all(): Iterable<Pod> {
    return this.#pods.values();
  }

  /** Sorted by namespace and name. */
  get pending(): readonly Pod[] {
    this.#sortedPending ??= [...this.#pending].sort(([a], [b]) => compareText(a, b)).map(([, pod]) => pod);
    return this.#sortedPending;
  }

  /** Sorted by name. */
  get schedules(): readonly PodSchedule[] {
    this.#sortedSchedules ??= [...this.#schedules.values()].sort(byName);
    return this.#sortedSchedules;
  }

  put(key: string, pod: Pod): void {
    this.#pods.set(key, pod);
    const { pods, share } = this.#slot(pod.namespace);
    pods.set(key, pod);
    if (share.has(pod)) this.#changeShare(pod.namespace, () => share.put(key, pod));
    this.#count(pod, 1);
    if (pod.nodeName !== undefined || !isActive(pod)) return;
    this.#pending.set(key, pod);
    this.#sortedPending = undefined;
  }

  remove(key: string, pod: Pod): void {
    this.#pods.delete(key);
    if (this.#pending.delete(key)) this.#sortedPending = undefined;
    const { pods, share } = this.#slot(pod.namespace);
    pods.delete(key);
    if (share.has(pod)) this.#changeShare(pod.namespace, () => share.remove(key, pod));
    this.#count(pod, -1);
  }

  /** Namespaces that went over the limit on schedules, or back below it, since the last call (E13). */
  takeTurned(): readonly string[] {
    const turned = [...this.#turned];
    this.#turned.clear();
    return turned;
  }

  /** Faults of pods whose schedules are not evaluated (E13); the same array until one changes. */
  get spentFaults(): readonly Fault[] {
    this.#spentFaults ??= [...this.#namespaces.values()]
      .filter(({ share }) => share.isSpent)
      .flatMap(({ share }) => [...share.pods].map(unevaluatedFault));
    return this.#spentFaults;
  }

  #changeShare(namespace: string, change: () => void): void {
    const { share } = this.#slot(namespace);
    const before = share.isSpent;
    change();
    if (before || share.isSpent) this.#spentFaults = undefined;
    if (before === share.isSpent) return;
    // Two changes since the last call cancel out.
    if (!this.#turned.delete(namespace)) this.#turned.add(namespace);
  }

  /** Undefined removes the record; its pods stay. Returns whether the labels changed. */
  putNamespace(name: string, record: Namespace | undefined): boolean {
    const slot = this.#slot(name);
    const labels = { ...nameLabel(name), ...record?.labels };
    if (JSON.stringify(labels) === JSON.stringify(slot.labels)) return false;
    slot.labels = labels;
    this.#counts = undefined;
    this.namespaceRevision++;
    return true;
  }

  labelsOf(namespace: string): TextMap {
    return this.#namespaces.get(namespace)?.labels ?? nameLabel(namespace);
  }

  /** Undefined removes it. Returns whether anything but the status changed; if not, the known record is kept. */
  putSchedule(name: string, schedule: PodSchedule | undefined): boolean {
    const known = this.#schedules.get(name);
    if (known && schedule && meaningOf(known) === meaningOf(schedule)) return false;
    if (known) this.#schedulesBySelector.delete(known);
    this.#schedules.delete(name);
    if (schedule) {
      this.#schedules.set(name, schedule);
      if (!schedule.selector.nothing) this.#schedulesBySelector.put(schedule, schedule.selector.requirements);
    }
    this.#sortedSchedules = undefined;
    this.#counts = undefined;
    return true;
  }

  /** Returns whether its effect on pods changed, other than by its status. */
  putPdb(pdb: Pdb): boolean {
    const { pdbs, pdbsBySelector } = this.#slot(pdb.namespace);
    const known = pdbs.get(pdb.name);
    this.pdbRevision++;
    const same = known !== undefined && ruleOf(known.pdb) === ruleOf(pdb);
    const box = known ?? { id: this.#boxes++, pdb };
    box.pdb = pdb;
    if (same) return false;
    pdbs.set(pdb.name, box);
    if (pdb.selector.nothing) pdbsBySelector.delete(box);
    else pdbsBySelector.put(box, pdb.selector.requirements);
    return true;
  }

  pdb(namespace: string, name: string): Pdb | undefined {
    return this.#slot(namespace).pdbs.get(name)?.pdb;
  }

  removePdb(namespace: string, name: string): void {
    this.pdbRevision++;
    const { pdbs, pdbsBySelector } = this.#slot(namespace);
    const box = pdbs.get(name);
    if (box) pdbsBySelector.delete(box);
    pdbs.delete(name);
  }

  *nodesWithPodsIn(namespace: string): Generator<string, void> {
    for (const { nodeName } of this.#slot(namespace).pods.values()) if (nodeName !== undefined) yield nodeName;
  }

  countUnder(schedule: PodSchedule): number {
    if (!this.#counts) {
      this.#counts = new Map();
      for (const pod of this.#pods.values()) this.#count(pod, 1);
    }
    return this.#counts.get(schedule) ?? 0;
  }

  /** The PDBs and schedules that select a pod; undefined = none. `asksPdbs`: false if its namespace has too many PDBs. */
  rulesOn(pod: Pod, asksPdbs = true): Omit<PodView, 'pod'> | undefined {
    const saysWhen = pod.rules?.allow !== undefined || pod.rules?.block !== undefined;
    const schedules = saysWhen ? [] : this.#schedulesOver(pod);
    const { pdbsBySelector, share } = this.#slot(pod.namespace);
    const pdbs = asksPdbs ? pdbsBySelector.matching(pod.labels) : [];
    const unevaluated = share.isSpent && share.has(pod);
    if (schedules.length === 0 && pdbs.length === 0 && !unevaluated) return undefined;
    return {
      schedules: schedules.sort(byName),
      pdbs: pdbs.sort((a, b) => byName(a.pdb, b.pdb)),
      ...(unevaluated && { unevaluated }),
    };
  }

  #schedulesOver({ labels, namespace }: Pod): PodSchedule[] {
    const found = this.#schedulesBySelector.matching(labels);
    if (found.length === 0) return found;
    const here = this.#slot(namespace).labels;
    return found.filter(({ namespaces }) => !namespaces || matches(namespaces, here));
  }

  #count(pod: Pod, change: 1 | -1): void {
    if (!this.#counts || this.#schedules.size === 0 || !isActive(pod)) return;
    for (const schedule of this.#schedulesOver(pod)) {
      this.#counts.set(schedule, (this.#counts.get(schedule) ?? 0) + change);
    }
  }

  #slot(namespace: string): NamespaceSlot {
    const known = this.#namespaces.get(namespace);
    if (known) return known;
    const labels = nameLabel(namespace);
    const slot: NamespaceSlot = {
      labels,
      pods: new Map(),
      pdbs: new Map(),
      pdbsBySelector: new SelectorIndex(),
      share: new ScheduleShare(),
    };
    this.#namespaces.set(namespace, slot);
    return slot;
  }
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => compareText(a.name, b.name);

const nameLabel = (namespace: string): TextMap => ({ 'kubernetes.io/metadata.name': namespace });

/** The parts of a PDB that views depend on. Its status, which changes with every pod, is read through the PdbRef. */
const ruleOf = ({ selector, alwaysAllowUnready, fault }: Pdb): string =>
  JSON.stringify([selector, alwaysAllowUnready, fault !== undefined]);

/** The whole record as text, to compare. */
const meaningOf = ({ window, ...rest }: PodSchedule): string => JSON.stringify({ ...rest, window: window.text });
