// How do the facts stay right under single changes? Objects by name, and the indexes that views are built from.
// A view is rebuilt only when something it shows has changed, so a round pays for what changed, not for the cluster.

import { ClaimIndex } from './claimIndex.ts';
import type { Fault } from './fault.ts';
import type { Claim, MaintenanceWindow, Namespace, Node, Pdb, Pod, PodSchedule, Pool } from './model.ts';
import { buildView, compareText, type NodeView } from './nodeView.ts';
import { PodIndex } from './podIndex.ts';
import { matchesAll } from './selector.ts';

/** The facts as the engine reads them. */
export interface Cluster {
  /** Every node, by name. */
  readonly nodes: readonly NodeView[];
  readonly pools: ReadonlyMap<string, Pool>;
  readonly windows: readonly MaintenanceWindow[];
  readonly podSchedules: readonly PodSchedule[];
  /** Active pods that are bound to no node yet. */
  readonly pendingPods: readonly Pod[];
  readonly faults: readonly Fault[];
  claim(name: string): Claim | undefined;
  /** Another number whenever some PDB has changed. */
  readonly pdbRevision: number;
  /** How many active pods a PodDisruptionSchedule means. */
  podsUnder(schedule: PodSchedule): number;
}

/** The records the store holds, by kind. */
export interface Records {
  Node: Node;
  NodeClaim: Claim;
  NodePool: Pool;
  Pod: Pod;
  PodDisruptionBudget: Pdb;
  PodDisruptionSchedule: PodSchedule;
  MaintenanceWindow: MaintenanceWindow;
  Namespace: Namespace;
}

export type Change = {
  [Kind in keyof Records]:
    | { readonly kind: Kind; readonly put: Records[Kind]; readonly faults?: readonly Fault[] }
    | { readonly kind: Kind; readonly gone: string };
}[keyof Records];

/** `name`, or `namespace/name`. */
export const keyOf = (record: { readonly name: string; readonly namespace?: string }): string =>
  record.namespace === undefined ? record.name : `${record.namespace}/${record.name}`;

/** A node and the pods bound to its name, of which either may be seen first. */
interface Slot {
  node?: Node;
  readonly pods: Map<string, Pod>;
  view?: NodeView;
}

interface Rules {
  readonly windows: readonly MaintenanceWindow[];
  readonly schedules: readonly PodSchedule[];
}

export class ClusterStore implements Cluster {
  readonly pools = new Map<string, Pool>();
  readonly #slots = new Map<string, Slot>();
  readonly #claims = new ClaimIndex();
  readonly #pods = new PodIndex();
  readonly #windows = new Map<string, MaintenanceWindow>();
  readonly #schedules = new Map<string, PodSchedule>();
  readonly #windowSets = new Map<string, readonly MaintenanceWindow[]>();
  readonly #faults = new Map<string, readonly Fault[]>();
  /** Nodes whose view is to be built anew. */
  readonly #stale = new Set<string>();
  #sorted: NodeView[] | undefined;

  apply(change: Change): void {
    const key = 'gone' in change ? change.gone : keyOf(change.put);
    const faults = 'put' in change ? (change.faults ?? []) : [];
    if (faults.length > 0) this.#faults.set(`${change.kind}/${key}`, faults);
    else this.#faults.delete(`${change.kind}/${key}`);
    this.#update(change, key);
  }

  get nodes(): readonly NodeView[] {
    if (this.#stale.size > 0) this.#refresh();
    return this.#sorted ?? this.#sortNodes();
  }

  get windows(): readonly MaintenanceWindow[] {
    return [...this.#windows.values()].sort((a, b) => compareText(a.name, b.name));
  }

  get podSchedules(): readonly PodSchedule[] {
    return [...this.#schedules.values()].sort((a, b) => compareText(a.name, b.name));
  }

  get pendingPods(): readonly Pod[] {
    return this.#pods.pending;
  }

  get pdbRevision(): number {
    return this.#pods.pdbRevision;
  }

  get faults(): readonly Fault[] {
    return [...this.#faults.keys()].sort(compareText).flatMap((key) => this.#faults.get(key) ?? []);
  }

  claim(name: string): Claim | undefined {
    return this.#claims.get(name);
  }

  podsUnder(schedule: PodSchedule): number {
    return this.#pods.countUnder(schedule);
  }

  #update(change: Change, key: string): void {
    const put = 'put' in change ? change.put : undefined;
    switch (change.kind) {
      case 'Node':
        this.#updateNode(key, put as Node | undefined);
        break;
      case 'NodeClaim':
        this.#updateClaim(key, put as Claim | undefined);
        break;
      case 'Pod':
        this.#updatePod(key, put as Pod | undefined);
        break;
      case 'PodDisruptionBudget':
        this.#updatePdb(key, put as Pdb | undefined);
        break;
      case 'NodePool':
        this.#updatePool(key, put as Pool | undefined);
        break;
      case 'Namespace':
        this.#pods.putNamespace(key, put as Namespace | undefined);
        this.#markStale(this.#pods.nodesWithPodsIn(key));
        break;
      case 'MaintenanceWindow':
        setOrDelete(this.#windows, key, put as MaintenanceWindow | undefined);
        this.#windowSets.clear();
        this.#markStale(this.#slots.keys());
        break;
      case 'PodDisruptionSchedule':
        setOrDelete(this.#schedules, key, put as PodSchedule | undefined);
        this.#markStale(this.#slots.keys());
        break;
    }
  }

  #updateNode(name: string, node: Node | undefined): void {
    const slot = this.#slot(name);
    if (slot.node) this.#claims.removeNode(slot.node);
    if (node) {
      slot.node = node;
      this.#claims.putNode(node);
      this.#stale.add(name);
      return;
    }
    delete slot.node;
    delete slot.view;
    this.#stale.delete(name);
    this.#sorted = undefined;
  }

  #updateClaim(name: string, claim: Claim | undefined): void {
    const known = this.#claims.get(name);
    if (known) {
      this.#markStale(this.#claims.nodesOf(known));
      this.#claims.remove(known);
    }
    if (!claim) return;
    this.#claims.put(claim);
    this.#markStale(this.#claims.nodesOf(claim));
  }

  #updatePod(key: string, pod: Pod | undefined): void {
    const known = this.#pods.get(key);
    if (known) {
      this.#pods.remove(key, known);
      if (known.nodeName !== undefined) this.#slot(known.nodeName).pods.delete(key);
    }
    if (pod) {
      this.#pods.put(key, pod);
      if (pod.nodeName !== undefined) this.#slot(pod.nodeName).pods.set(key, pod);
    }
    this.#markStale([known?.nodeName, pod?.nodeName].filter((name) => name !== undefined));
  }

  #updatePdb(key: string, pdb: Pdb | undefined): void {
    const [namespace = '', name = ''] = key.split('/');
    if (pdb) {
      if (!this.#pods.putPdb(pdb)) return;
    } else this.#pods.removePdb(namespace, name);
    this.#markStale(this.#pods.nodesWithPodsIn(namespace));
  }

  #updatePool(name: string, pool: Pool | undefined): void {
    // Whether a node is managed can hang on its pool being a Provisioner (A7).
    if (Boolean(pool?.provisioner) !== Boolean(this.pools.get(name)?.provisioner)) this.#markStale(this.#slots.keys());
    setOrDelete(this.pools, name, pool);
  }

  #slot(name: string): Slot {
    const slot = this.#slots.get(name) ?? { pods: new Map<string, Pod>() };
    this.#slots.set(name, slot);
    return slot;
  }

  #markStale(names: Iterable<string>): void {
    for (const name of names) if (this.#slots.get(name)?.node) this.#stale.add(name);
  }

  #refresh(): void {
    const rules = { windows: this.windows, schedules: this.podSchedules };
    for (const name of this.#stale) {
      const slot = this.#slot(name);
      if (!slot.node) continue;
      const isKnown = slot.view !== undefined;
      slot.view = this.#view(slot.node, slot.pods, rules);
      if (this.#sorted && isKnown) this.#sorted[indexOfName(this.#sorted, name)] = slot.view;
      else this.#sorted = undefined;
    }
    this.#stale.clear();
  }

  #view(node: Node, pods: ReadonlyMap<string, Pod>, { windows, schedules }: Rules): NodeView {
    return buildView({
      node,
      claim: this.#claims.claimOf(node),
      isProvisioner: (name) => this.pools.get(name)?.provisioner === true,
      pods: [...pods.values()],
      windows: this.#windowsOver(node, windows),
      rulesOn: (pod) => this.#pods.rulesOn(pod, schedules),
    });
  }

  /** Nodes under the same windows share one list, so that what follows from it is worked out once. */
  #windowsOver(node: Node, windows: readonly MaintenanceWindow[]): readonly MaintenanceWindow[] {
    const mine = windows.filter((window) => !window.selector || matchesAll(window.selector, node.labels));
    const key = mine.map(({ name }) => name).join(' ');
    const shared = this.#windowSets.get(key) ?? mine;
    this.#windowSets.set(key, shared);
    return shared;
  }

  #sortNodes(): readonly NodeView[] {
    const views: NodeView[] = [];
    for (const slot of this.#slots.values()) if (slot.view) views.push(slot.view);
    this.#sorted = views.sort((a, b) => compareText(a.node.name, b.node.name));
    return this.#sorted;
  }
}

function setOrDelete<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

/** Where a node stands in the list sorted by name. */
function indexOfName(views: readonly NodeView[], name: string): number {
  let low = 0;
  let high = views.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((views[middle] as NodeView).node.name < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
