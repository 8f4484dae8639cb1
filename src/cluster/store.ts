// How do the facts stay right under single changes? Objects by name, and the indexes that views are built from.
// A view is rebuilt only when something it shows has changed, so a round pays for what changed, not for the cluster.
// Past 300 lines: one change may touch several of the indexes, and must touch them together.

import { ClaimIndex } from './claimIndex.ts';
import { crowdFaults } from './crowdFaults.ts';
import { Crowding, type Excess } from './crowding.ts';
import type { DaemonSet } from './daemonSet.ts';
import { DaemonSetList } from './daemonSetList.ts';
import { EventIndex } from './eventIndex.ts';
import { type Change, type Cluster, keyOf } from './facts.ts';
import type { Fault } from './fault.ts';
import { FaultIndex } from './faultIndex.ts';
import type { Memory } from './memory.ts';
import type {
  Claim,
  MaintenanceWindow,
  Namespace,
  Node,
  NodeEvent,
  Pdb,
  Pod,
  PodSchedule,
  Pool,
  PoolDefinition,
} from './model.ts';
import { Mounts } from './mounts.ts';
import { label } from './names.ts';
import { type NodeGroup, NodeGroups } from './nodeGroups.ts';
import { NodeList } from './nodeList.ts';
import { buildView, compareText, type NodeView } from './nodeView.ts';
import { PodIndex } from './podIndex.ts';
import { saysTheSame } from './pool.ts';
import type { TextMap } from './selector.ts';
import { VolumeIndex, type VolumeRecords } from './volumeIndex.ts';
import { WindowIndex } from './windowIndex.ts';

export { type Change, type Cluster, keyOf, type Records } from './facts.ts';

/** A node and the pods bound to its name, of which either may be seen first. */
interface Slot {
  node?: Node;
  readonly pods: Map<string, Pod>;
}

export class ClusterStore implements Cluster {
  readonly pools = new Map<string, Pool>();
  readonly volumes = new VolumeIndex((claim) => this.#mounts.nodesWith(claim)?.map((name) => this.#zoneOf(name)));
  readonly memory: Memory = [];
  readonly #slots = new Map<string, Slot>();
  readonly #views = new NodeList();
  readonly #groups = new NodeGroups();
  readonly #claims = new ClaimIndex();
  readonly #pods = new PodIndex();
  readonly #windows = new WindowIndex();
  readonly #events = new EventIndex();
  readonly #daemonSets = new DaemonSetList();
  readonly #faults = new FaultIndex();
  readonly #crowding = new Crowding(() => this.#pods.all);
  readonly #mounts = new Mounts();
  /** Nodes whose view is to be built anew. */
  readonly #stale = new Set<string>();
  /** Namespaces the nodes of whose pods are so as well: looked for when it matters, not at each of many changes. */
  readonly #staleNamespaces = new Set<string>();
  #allStale = false;
  #allFaults: { readonly from: readonly (readonly unknown[])[]; readonly all: readonly Fault[] } | undefined;
  #nodeCount = 0;
  #definition: PoolDefinition | undefined;

  apply(change: Change): void {
    const key = 'gone' in change ? change.gone : keyOf(change.put);
    const faults = 'put' in change ? (change.faults ?? []) : [];
    this.#faults.put(`${change.kind}/${key}`, faults);
    this.#update(change, key);
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
        if (this.#pods.putNamespace(key, put as Namespace | undefined)) this.#staleNamespaces.add(key);
        break;
      case 'MaintenanceWindow':
        if (this.#windows.put(key, put as MaintenanceWindow | undefined)) this.#allStale = true;
        break;
      case 'PodDisruptionSchedule':
        if (this.#pods.putSchedule(key, put as PodSchedule | undefined)) this.#allStale = true;
        break;
      case 'Event':
        if (put) this.#events.put(put as NodeEvent);
        else this.#events.remove(key);
        break;
      case 'CustomResourceDefinition':
        this.#definition = put as PoolDefinition | undefined;
        break;
      case 'DaemonSet':
        this.#daemonSets.put(key, put as DaemonSet | undefined);
        break;
      default:
        this.volumes.put(change.kind, key, put as VolumeRecords[typeof change.kind] | undefined);
    }
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

  /** Nodes come and go for years, each by a name of its own. */
  #forgetEmpty(name: string, { node, pods }: Slot): void {
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
    // Its status counts the nodes, and changes with each: what is remembered of a pool that says the same stays.
    if (known && pool && saysTheSame(known, pool)) return;
    // Whether a node is managed can hang on its pool being a Provisioner (A7).
    if (Boolean(pool?.provisioner) !== Boolean(known?.provisioner)) this.#allStale = true;
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
      rulesOn: (pod) => this.#pods.rulesOn(pod, !this.#crowding.on(pod).includes('budgets')),
      excessOn: (pod) => this.#crowding.on(pod),
    });
  }
}

function setOrDelete<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
