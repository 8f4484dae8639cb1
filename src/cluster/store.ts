// The in-memory cluster store: objects by name, and the indexes that node views are built from.
// A view is rebuilt only when something in it changed, so the cost of a round follows the changes, not the cluster size.
// Past 300 lines: one change may touch several indexes, which must be updated together.
import { Crowding, crowdFaults, type Excess } from './crowding.ts';
import {
  type Change,
  type Cluster,
  type DaemonSet,
  keyOf,
  type ReadRecord,
  type RecordKind,
  type Records,
} from './facts.ts';
import type { Fault } from './fault.ts';
import type { HealthGate } from './healthGateRecord.ts';
import type { Memory } from './memo.ts';
import type {
  Claim,
  MaintenanceWindow,
  Node,
  NodeEvent,
  Pdb,
  Pod,
  PodSchedule,
  Pool,
  PoolDefinition,
} from './model.ts';
import { label } from './names.ts';
import { type NodeGroup, NodeGroups, NodeList } from './nodeGroups.ts';
import { buildView, compareText, type NodeView } from './nodeView.ts';
import { PodIndex } from './podIndex.ts';
import { saysTheSame } from './pool.ts';
import type { TextMap } from './selector.ts';
import { ClaimIndex, DaemonSetList, EventIndex, FaultIndex, GateIndex, Mounts, WindowIndex } from './storeIndexes.ts';
import { VolumeIndex } from './volumes.ts';

export { type Change, type Cluster, keyOf, type Records } from './facts.ts';

/** A node and the pods bound to its name. Either may be seen first. */
interface NodeSlot {
  node?: Node;
  readonly pods: Map<string, Pod>;
}

/** The update of the indexes for each kind; undefined = the object is gone. */
type Updates = { readonly [Kind in RecordKind]: (key: string, record: Records[Kind] | undefined) => void };

const isRecordKind = (kind: string, updates: Updates): kind is RecordKind => Object.hasOwn(updates, kind);

export class ClusterStore implements Cluster {
  readonly pools = new Map<string, Pool>();
  readonly volumes = new VolumeIndex((claim) => this.#mounts.nodesWith(claim)?.map((name) => this.#zoneOf(name)));
  readonly memory: Memory = [];
  readonly #slots = new Map<string, NodeSlot>();
  readonly #views = new NodeList();
  readonly #groups = new NodeGroups();
  readonly #claims = new ClaimIndex();
  readonly #pods = new PodIndex();
  readonly #windows = new WindowIndex();
  readonly #gates = new GateIndex();
  readonly #events = new EventIndex();
  readonly #daemonSets = new DaemonSetList();
  readonly #faults = new FaultIndex();
  readonly #crowding = new Crowding(() => this.#pods.all);
  readonly #mounts = new Mounts();
  /** Nodes whose view has to be rebuilt. */
  readonly #stale = new Set<string>();
  /** Namespaces whose pods' nodes have to be rebuilt. Resolved to nodes on the next read, not on each change. */
  readonly #staleNamespaces = new Set<string>();
  #allStale = false;
  #allFaults: { readonly from: readonly (readonly unknown[])[]; readonly all: readonly Fault[] } | undefined;
  #nodeCount = 0;
  #definition: PoolDefinition | undefined;

  readonly #updates: Updates = {
    Node: (name, node) => this.#updateNode(name, node),
    NodeClaim: (name, claim) => this.#updateClaim(name, claim),
    Pod: (key, pod) => this.#updatePod(key, pod),
    PodDisruptionBudget: (key, pdb) => this.#updatePdb(key, pdb),
    NodePool: (name, pool) => this.#updatePool(name, pool),
    Namespace: (name, namespace) => {
      if (this.#pods.putNamespace(name, namespace)) this.#staleNamespaces.add(name);
    },
    MaintenanceWindow: (name, window) => {
      if (this.#windows.put(name, window)) this.#allStale = true;
    },
    HealthGate: (name, gate) => {
      if (this.#gates.put(name, gate)) this.#allStale = true;
    },
    PodDisruptionSchedule: (name, schedule) => {
      if (this.#pods.putSchedule(name, schedule)) this.#allStale = true;
    },
    Event: (key, event) => {
      if (event) this.#events.put(event);
      else this.#events.remove(key);
    },
    CustomResourceDefinition: (_, definition) => {
      this.#definition = definition;
    },
    DaemonSet: (key, daemonSet) => this.#daemonSets.put(key, daemonSet),
    PersistentVolumeClaim: (key, claim) => this.volumes.put('PersistentVolumeClaim', key, claim),
    PersistentVolume: (name, volume) => this.volumes.put('PersistentVolume', name, volume),
    StorageClass: (name, storageClass) => this.volumes.put('StorageClass', name, storageClass),
    CSINode: (name, limits) => this.volumes.put('CSINode', name, limits),
  };

  apply(change: Change): void {
    if ('gone' in change) this.remove(change.kind, change.gone);
    else this.put({ kind: change.kind, record: change.put, faults: change.faults });
  }

  /** Adds or replaces an object. */
  put<Kind extends RecordKind>({ kind, record, faults = [] }: ReadRecord<Kind>): void {
    const key = keyOf(record);
    this.#faults.put(`${kind}/${key}`, faults);
    this.#updates[kind](key, record);
  }

  /** Removes an object. Kinds that the store does not hold are ignored. */
  remove(kind: string, key: string): void {
    this.#faults.put(`${kind}/${key}`, []);
    if (isRecordKind(kind, this.#updates)) this.#updates[kind](key, undefined);
  }

  get nodes(): readonly NodeView[] {
    this.#refresh();
    return this.#views.sorted;
  }

  get groups(): readonly NodeGroup[] {
    this.#refresh();
    return this.#groups.all;
  }

  get windows(): readonly MaintenanceWindow[] {
    return this.#windows.all;
  }

  get gates(): readonly HealthGate[] {
    return this.#gates.all;
  }

  get podSchedules(): readonly PodSchedule[] {
    return this.#pods.schedules;
  }

  get pendingPods(): readonly Pod[] {
    return this.#pods.pending;
  }

  get pdbRevision(): number {
    return this.#pods.pdbRevision;
  }

  get faults(): readonly Fault[] {
    this.#settleCrowds();
    const [read, spent, { crowded }] = [this.#faults.sorted, this.#pods.spentFaults, this.#crowding];
    if (spent.length + crowded.length === 0) return read;
    const from = [read, spent, crowded];
    if (!this.#allFaults?.from.every((it, index) => it === from[index])) {
      const all = [...read, ...spent, ...crowdFaults(crowded)].sort((a, b) => compareText(a.object, b.object));
      this.#allFaults = { from, all };
    }
    return this.#allFaults.all;
  }

  excessOn(pod: Pod): readonly Excess[] {
    this.#settleCrowds();
    return this.#crowding.on(pod);
  }

  node(name: string): NodeView | undefined {
    this.#refresh();
    return this.#views.get(name);
  }

  nodesOf(pool: string): NodeGroup {
    this.#refresh();
    return this.#groups.ofPool(pool);
  }

  get claims(): Iterable<Claim> {
    return this.#claims.all;
  }

  get startingClaims(): Iterable<Claim> {
    return this.#claims.starting;
  }

  claim(name: string): Claim | undefined {
    return this.#claims.get(name);
  }

  pdb(key: string): Pdb | undefined {
    const [namespace = '', name = ''] = key.split('/');
    return this.#pods.pdb(namespace, name);
  }

  podsUnder(schedule: PodSchedule): number {
    return this.#pods.countUnder(schedule);
  }

  eventOn(node: string, about: NodeEvent['about']): NodeEvent | undefined {
    return this.#events.on(node, about);
  }

  get poolDefinition(): PoolDefinition | undefined {
    return this.#definition;
  }

  get daemonSets(): readonly DaemonSet[] {
    return this.#daemonSets.sorted;
  }

  namespaceLabels(name: string): TextMap {
    return this.#pods.labelsOf(name);
  }

  get namespaceRevision(): number {
    return this.#pods.namespaceRevision;
  }

  #updateNode(name: string, node: Node | undefined): void {
    const slot = this.#slot(name);
    const zone = this.#zoneOf(name);
    if (slot.node) this.#claims.removeNode(slot.node);
    if ((node?.labels[label.zone] ?? '') !== zone) this.volumes.noteMove();
    this.#nodeCount += Number(node !== undefined) - Number(slot.node !== undefined);
    if (node) {
      slot.node = node;
      this.#claims.putNode(node);
      this.#stale.add(name);
      return;
    }
    delete slot.node;
    this.#events.forget(name);
    const view = this.#views.get(name);
    if (view) this.#groups.delete(view);
    this.#views.delete(name);
    this.#stale.delete(name);
    this.#forgetEmpty(name, slot);
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
    this.#crowding.change(known, pod);
    if (known) {
      this.#pods.remove(key, known);
      this.#mounts.remove(key, known);
      if (known.nodeName !== undefined && known.nodeName !== pod?.nodeName) this.#leave(known.nodeName, key);
    }
    if (pod) {
      this.#pods.put(key, pod);
      this.#mounts.put(key, pod);
      if (pod.nodeName !== undefined) this.#slot(pod.nodeName).pods.set(key, pod);
    }
    if (known?.scheduling?.volumeClaims.length || pod?.scheduling?.volumeClaims.length) this.volumes.noteMove();
    this.#markStale([known?.nodeName, pod?.nodeName].filter((name) => name !== undefined));
  }

  #zoneOf(name: string): string {
    return this.#slots.get(name)?.node?.labels[label.zone] ?? '';
  }

  #leave(nodeName: string, key: string): void {
    const slot = this.#slot(nodeName);
    slot.pods.delete(key);
    this.#forgetEmpty(nodeName, slot);
  }

  /** New nodes have new names, so empty slots would pile up over time. */
  #forgetEmpty(name: string, { node, pods }: NodeSlot): void {
    if (!node && pods.size === 0) this.#slots.delete(name);
  }

  #updatePdb(key: string, pdb: Pdb | undefined): void {
    const [namespace = '', name = ''] = key.split('/');
    if (pdb) {
      if (!this.#pods.putPdb(pdb)) return;
    } else this.#pods.removePdb(namespace, name);
    this.#crowding.changePdb(namespace, name, pdb);
    this.#staleNamespaces.add(namespace);
  }

  #updatePool(name: string, pool: Pool | undefined): void {
    const known = this.pools.get(name);
    // The status changes with every node. Keeping the known object keeps what is memoized on it.
    if (known && pool && saysTheSame(known, pool)) return;
    // Whether a node is managed may depend on its pool being a Provisioner (A7).
    if (Boolean(pool?.provisioner) !== Boolean(known?.provisioner)) this.#allStale = true;
    setOrDelete(this.pools, name, pool);
  }

  #slot(name: string): NodeSlot {
    const slot = this.#slots.get(name) ?? { pods: new Map<string, Pod>() };
    this.#slots.set(name, slot);
    return slot;
  }

  #markStale(names: Iterable<string>): void {
    for (const name of names) if (this.#slots.get(name)?.node) this.#stale.add(name);
  }

  #refresh(): void {
    for (const namespace of this.#pods.takeTurned()) this.#staleNamespaces.add(namespace);
    this.#settleCrowds();
    if (this.#allStale) this.#markStale(this.#slots.keys());
    else for (const namespace of this.#staleNamespaces) this.#markStale(this.#pods.nodesWithPodsIn(namespace));
    this.#allStale = false;
    this.#staleNamespaces.clear();
    for (const name of this.#stale) {
      const slot = this.#slots.get(name);
      if (!slot?.node) continue;
      const view = this.#view(slot.node, slot.pods);
      this.#groups.put(view, this.#views.get(name));
      this.#views.put(view);
    }
    this.#stale.clear();
  }

  #settleCrowds(): void {
    for (const namespace of this.#crowding.settle(this.#nodeCount)) this.#staleNamespaces.add(namespace);
  }

  #view(node: Node, pods: ReadonlyMap<string, Pod>): NodeView {
    return buildView({
      node,
      claim: this.#claims.claimOf(node),
      isProvisioner: (name) => this.pools.get(name)?.provisioner === true,
      pods: [...pods.values()],
      windows: this.#windows.over(node),
      gates: this.#gates.over(node),
      rulesOn: (pod) => this.#pods.rulesOn(pod, !this.#crowding.on(pod).includes('budgets')),
      excessOn: (pod) => this.#crowding.on(pod),
    });
  }
}

function setOrDelete<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
