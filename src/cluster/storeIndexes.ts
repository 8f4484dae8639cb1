// The smaller indexes of the store: claims, events, faults, DaemonSets, mounted volume claims, maintenance windows, health gates.
import { asInstant } from '../time/instant.ts';
import { defined } from './defined.ts';
import type { DaemonSet } from './facts.ts';
import type { Fault } from './fault.ts';
import type { HealthGate, HealthGateRef } from './healthGateRecord.ts';
import type { Claim, MaintenanceWindow, Node, NodeEvent, Pod } from './model.ts';
import { compareText } from './nodeView.ts';
import type { Requirement } from './selector.ts';
import { SelectorIndex } from './selectorIndex.ts';

/** Pairs nodes and claims by provider ID, as Karpenter does, or by name if there is none. */
export class ClaimIndex {
  readonly #claims = new Map<string, Claim>();
  readonly #claimsByNode = new Map<string, Set<string>>();
  readonly #claimsByProvider = new Map<string, Set<string>>();
  /** Few at any time: every round looks at each. */
  readonly #starting = new Map<string, Claim>();
  readonly #nodesByProvider = new Map<string, Set<string>>();

  get(name: string): Claim | undefined {
    return this.#claims.get(name);
  }

  get all(): Iterable<Claim> {
    return this.#claims.values();
  }

  get starting(): Iterable<Claim> {
    return this.#starting.values();
  }

  put(claim: Claim): void {
    this.#claims.set(claim.name, claim);
    if (isStarting(claim)) this.#starting.set(claim.name, claim);
    else this.#starting.delete(claim.name);
    if (claim.nodeName !== undefined) addTo(this.#claimsByNode, claim.nodeName, claim.name);
    if (claim.providerId !== undefined) addTo(this.#claimsByProvider, claim.providerId, claim.name);
  }

  remove({ name, nodeName, providerId }: Claim): void {
    this.#claims.delete(name);
    this.#starting.delete(name);
    if (nodeName !== undefined) removeFrom(this.#claimsByNode, nodeName, name);
    if (providerId !== undefined) removeFrom(this.#claimsByProvider, providerId, name);
  }

  putNode({ name, providerId }: Node): void {
    if (providerId !== undefined) addTo(this.#nodesByProvider, providerId, name);
  }

  removeNode({ name, providerId }: Node): void {
    if (providerId !== undefined) removeFrom(this.#nodesByProvider, providerId, name);
  }

  /** The names of the nodes that may belong to a claim. */
  nodesOf({ nodeName, providerId }: Claim): string[] {
    const byProvider = providerId === undefined ? undefined : this.#nodesByProvider.get(providerId);
    return [...(nodeName === undefined ? [] : [nodeName]), ...(byProvider ?? [])];
  }

  claimOf({ name, providerId }: Node): Claim | undefined {
    const byProvider = providerId === undefined ? undefined : this.#claimsByProvider.get(providerId);
    // If two claims match, take the first by name, so that the order of arrival does not matter.
    const [first] = [...(byProvider ?? this.#claimsByNode.get(name) ?? [])].sort(compareText);
    return first === undefined ? undefined : this.#claims.get(first);
  }
}

const isStarting = ({ conditions, deletingSince }: Claim): boolean =>
  deletingSince === undefined && conditions.Initialized?.status !== 'True';

function addTo(index: Map<string, Set<string>>, key: string, value: string): void {
  const values = index.get(key) ?? new Set<string>();
  index.set(key, values.add(value));
}

/** Removes empty sets too: claimOf falls back to the node name for an unknown provider ID. */
function removeFrom(index: Map<string, Set<string>>, key: string, value: string): void {
  const values = index.get(key);
  values?.delete(value);
  if (values?.size === 0) index.delete(key);
}

export class EventIndex {
  readonly #newest: Readonly<Record<NodeEvent['about'], Map<string, NodeEvent>>> = {
    everything: new Map(),
    consolidation: new Map(),
    interruption: new Map(),
    termination: new Map(),
  };

  on(node: string, about: NodeEvent['about']): NodeEvent | undefined {
    return this.#newest[about].get(node);
  }

  put(event: NodeEvent): void {
    const newest = this.#newest[event.about];
    const known = newest.get(event.node);
    if (!known || known.at <= event.at) newest.set(event.node, event);
  }

  /** API servers delete events after an hour. `key` is `namespace/name`. */
  remove(key: string): void {
    for (const newest of Object.values(this.#newest))
      for (const { namespace, name, node } of newest.values()) if (`${namespace}/${name}` === key) newest.delete(node);
  }

  forget(node: string): void {
    for (const newest of Object.values(this.#newest)) newest.delete(node);
  }
}

export class FaultIndex {
  readonly #byObject = new Map<string, readonly Fault[]>();
  #sorted: readonly Fault[] | undefined;

  get sorted(): readonly Fault[] {
    this.#sorted ??= [...this.#byObject].sort(([a], [b]) => compareText(a, b)).flatMap(([, faults]) => faults);
    return this.#sorted;
  }

  put(object: string, faults: readonly Fault[]): void {
    if (faults.length === 0 && !this.#byObject.has(object)) return;
    if (faults.length > 0) this.#byObject.set(object, faults);
    else this.#byObject.delete(object);
    this.#sorted = undefined;
  }
}

export class DaemonSetList {
  readonly #byKey = new Map<string, DaemonSet>();
  #sorted: readonly DaemonSet[] | undefined;

  get sorted(): readonly DaemonSet[] {
    this.#sorted ??= [...this.#byKey].sort(([a], [b]) => compareText(a, b)).map(([, daemonSet]) => daemonSet);
    return this.#sorted;
  }

  /** Undefined removes it. */
  put(key: string, daemonSet: DaemonSet | undefined): void {
    if (JSON.stringify(this.#byKey.get(key)) === JSON.stringify(daemonSet)) return;
    if (daemonSet) this.#byKey.set(key, daemonSet);
    else this.#byKey.delete(key);
    this.#sorted = undefined;
  }
}

export class Mounts {
  readonly #pods = new Map<string, Map<string, Pod>>();

  put(key: string, pod: Pod): void {
    for (const claim of pod.scheduling?.volumeClaims ?? []) {
      const pods = this.#pods.get(claim) ?? new Map<string, Pod>();
      pods.set(key, pod);
      this.#pods.set(claim, pods);
    }
  }

  remove(key: string, pod: Pod): void {
    for (const claim of pod.scheduling?.volumeClaims ?? []) {
      const pods = this.#pods.get(claim);
      pods?.delete(key);
      if (pods?.size === 0) this.#pods.delete(claim);
    }
  }

  /** The names of the nodes with pods that mount this claim. Undefined = none. */
  nodesWith(claim: string): readonly string[] | undefined {
    const pods = [...(this.#pods.get(claim)?.values() ?? [])];
    const names = new Set(pods.flatMap(({ nodeName }) => (nodeName === undefined ? [] : [nodeName])));
    return names.size > 0 ? [...names].sort(compareText) : undefined;
  }
}

interface NodeRule {
  readonly name: string;
  /** Absent = every node. */
  readonly selector?: readonly Requirement[];
}

/** Rules by the nodes they select. Nodes under the same rules share one array, so that memos on it are shared. */
class NodeRuleIndex<Rule extends NodeRule> {
  readonly #rules = new Map<string, Rule>();
  readonly #bySelector = new SelectorIndex<Rule>();
  readonly #lists = new Map<string, readonly Rule[]>();
  #sorted: readonly Rule[] | undefined;

  /** Sorted by name. */
  get all(): readonly Rule[] {
    this.#sorted ??= [...this.#rules.values()].sort(byName);
    return this.#sorted;
  }

  get(name: string): Rule | undefined {
    return this.#rules.get(name);
  }

  /** Undefined removes it. */
  set(name: string, rule: Rule | undefined): void {
    const known = this.#rules.get(name);
    if (known) this.#bySelector.delete(known);
    this.#rules.delete(name);
    if (rule) {
      this.#rules.set(name, rule);
      this.#bySelector.put(rule, rule.selector ?? []);
    }
    this.#lists.clear();
    this.#sorted = undefined;
  }

  over({ labels }: Node): readonly Rule[] {
    const mine = this.#bySelector.matching(labels).sort(byName);
    const key = mine.map(({ name }) => name).join(' ');
    const shared = this.#lists.get(key) ?? mine;
    this.#lists.set(key, shared);
    return shared;
  }
}

const byName = (a: NodeRule, b: NodeRule): number => compareText(a.name, b.name);

/** The maintenance windows that select a node. */
export class WindowIndex {
  readonly #rules = new NodeRuleIndex<MaintenanceWindow>();

  get all(): readonly MaintenanceWindow[] {
    return this.#rules.all;
  }

  /** Undefined removes it. Returns whether anything but the status changed; if not, the known record is kept. */
  put(name: string, window: MaintenanceWindow | undefined): boolean {
    const known = this.#rules.get(name);
    if (known && window && meaningOf(known) === meaningOf(window)) return false;
    this.#rules.set(name, window);
    return true;
  }

  over(node: Node): readonly MaintenanceWindow[] {
    return this.#rules.over(node);
  }
}

/** The health gates that select a node. */
export class GateIndex {
  readonly #refs = new NodeRuleIndex<{ -readonly [Key in keyof HealthGateRef]: HealthGateRef[Key] }>();
  #all: readonly HealthGate[] | undefined;

  /** Sorted by name; the same array until a gate changes. */
  get all(): readonly HealthGate[] {
    this.#all ??= this.#refs.all.map(({ gate }) => gate);
    return this.#all;
  }

  /** Undefined removes it. Returns whether it selects other nodes than before. */
  put(name: string, gate: HealthGate | undefined): boolean {
    this.#all = undefined;
    const known = this.#refs.get(name);
    if (known && gate && JSON.stringify(known.selector) === JSON.stringify(gate.selector)) {
      known.gate = gate;
      return false;
    }
    this.#refs.set(name, gate && defined({ name, selector: gate.selector, gate }));
    return true;
  }

  over(node: Node): readonly HealthGateRef[] {
    return this.#refs.over(node);
  }
}

/** The whole window as text, to compare. */
function meaningOf({ window, life, reasons, ...rest }: MaintenanceWindow): string {
  const begin = life.nextChange(asInstant(-Infinity));
  const end = begin === undefined ? undefined : life.nextChange(begin);
  return JSON.stringify({ ...rest, window: window.text, life: [life.text, begin, end], reasons: [...reasons] });
}
