// The cluster of a what-if: the recorded objects without the effects of disruptions that the other policy does not make.
import { ClusterStore } from '../cluster/store.ts';
import { type Json, mapIn } from '../kinds/read/reader.ts';
import { after, asInstant, earliest, formatInstant, type Instant } from '../time/instant.ts';
import { type History, isSameMoment, lastDisruption, type NodeDisruption } from './history.ts';
import type { GoneObject } from './recordingLine.ts';
import { goneOf, keyOf } from './recordingLine.ts';
import { replacedName, replaceNode } from './replacedNode.ts';
import { put, remove } from './replay.ts';
import type { WhatIfPolicy } from './whatIfPolicy.ts';

/** A node that the other policy disrupts. */
interface TakenNode {
  readonly at: Instant;
  /** Undefined: when it is gone in the recording, because both policies chose it at the same time. */
  readonly goneAt: Instant | undefined;
  /** Both chose it, and the recording released it again. */
  readonly releasedAt?: Instant;
}

export class WhatIfWorld {
  cluster = new ClusterStore();
  readonly #history: History;
  readonly #policy: WhatIfPolicy;
  /** The node that each claim replaces in the recording. */
  readonly #replaces = new Map<string, string>();
  readonly #leaving = new Map<string, TakenNode>();
  /** Nodes gone in this world. `renewed`: the recording has no replacement yet, so a similar node takes its place. */
  readonly #done = new Map<string, 'replaced' | 'renewed'>();
  readonly #promised = new Map<string, readonly string[]>();
  #recorded = new Map<string, Json>();
  /** The nodes, claims and pods of this world. */
  #shown = new Map<string, Json>();
  readonly #claimOf = new Map<string, string>();
  readonly #nodeOfClaim = new Map<string, string>();
  #now: Instant;

  constructor(history: History, policy: WhatIfPolicy) {
    this.#history = history;
    this.#policy = policy;
    // Nodes chosen in the first round exist before it.
    this.#now = asInstant(history.from - 1);
    for (const taking of [...history.takings.values()].flat()) {
      for (const claim of taking.replacements) this.#replaces.set(claim, taking.node);
      if (taking.at < history.from) this.#leaving.set(taking.node, alongWith(taking));
    }
  }

  /** The recorded controller restarted and lists all objects again, without those that exist only in this world. */
  keyframe(): void {
    const kept = [...this.#shown.values()].filter((object) => this.#isKept(object));
    this.cluster = new ClusterStore();
    this.#recorded = new Map();
    this.#shown = new Map();
    for (const object of this.#policy.objects) put(this.cluster, object);
    for (const object of kept) this.#put(object);
    for (const [node, targets] of this.#promised)
      for (const target of targets) put(this.cluster, promise(node, target));
  }

  put(recorded: Json): void {
    const object = this.#policy.over(recorded);
    const which = goneOf(object);
    this.#recorded.set(keyOf(which), object);
    const { nodeName } = mapIn(object.status);
    if (which.kind === 'NodeClaim' && typeof nodeName === 'string') {
      this.#nodeOfClaim.set(which.name, nodeName);
      this.#claimOf.set(nodeName, which.name);
    }
    this.#show(object);
  }

  gone(which: GoneObject): void {
    const key = keyOf(which);
    if (this.#policy.has(key)) return;
    this.#recorded.delete(key);
    const node = this.#nodeOf(which);
    if (node === undefined || !this.#isFrozen(node)) this.#remove(which);
  }

  /** Before a round: removes the nodes that are gone by now. */
  advance(now: Instant): void {
    this.#now = now;
    for (const [node, { goneAt }] of this.#leaving) {
      const isOver = goneAt === undefined ? !this.#recorded.has(`Node ${node}`) : goneAt <= now;
      if (isOver) this.#finish(node);
    }
  }

  /** After a round: the nodes it released, as in the recording. */
  release(): string[] {
    const released = [...this.#leaving].filter(
      ([, { releasedAt }]) => releasedAt !== undefined && releasedAt <= this.#now,
    );
    for (const [node] of released) {
      this.#leaving.delete(node);
      this.#forgetPromises(node);
      this.#catchUp(node);
    }
    return released.map(([node]) => node);
  }

  /** The other policy disrupts a node and plans its pods on other nodes. */
  take(node: string, promisedTo: readonly string[]): void {
    if (this.#leaving.has(node) || this.#done.has(node)) return;
    this.#promised.set(node, promisedTo);
    for (const target of promisedTo) put(this.cluster, promise(node, target));
    // If two controllers ran, both may have chosen the node: the last choice counts.
    const same = this.#history.takings.get(node)?.findLast(({ at }) => isSameMoment(at, this.#now));
    const isSame = same !== undefined && this.#recorded.has(`Node ${node}`);
    const alone = { at: this.#now, goneAt: after(this.#now, this.#history.usual) };
    this.#leaving.set(node, isSame ? { ...alongWith(same), at: this.#now } : alone);
    const claim = this.#shown.get(`NodeClaim ${this.#claimOf.get(node)}`);
    if (claim) this.#put(this.#inThisWorld(claim, node));
    // Apply the recorded changes since then.
    if (isSame) this.#catchUp(node);
    this.#showReplacements(node);
  }

  /** When the next disrupted node is gone. */
  get nextGone(): Instant | undefined {
    let next: Instant | undefined;
    for (const { goneAt } of this.#leaving.values()) next = earliest(next, goneAt);
    return next;
  }

  #show(object: Json): void {
    const which = goneOf(object);
    const node = this.#nodeOf(which);
    if ((node !== undefined && this.#isFrozen(node)) || this.#isHidden(which)) return;
    this.#put(node === undefined ? object : this.#inThisWorld(object, node));
  }

  #put(object: Json): void {
    if (object.kind === 'Node' || object.kind === 'NodeClaim' || object.kind === 'Pod')
      this.#shown.set(keyOf(goneOf(object)), object);
    put(this.cluster, object);
  }

  #remove(which: GoneObject): void {
    this.#shown.delete(keyOf(which));
    remove(this.cluster, which);
  }

  #inThisWorld(object: Json, node: string): Json {
    const leaving = this.#leaving.get(node);
    if (object.kind === 'NodeClaim' && leaving) {
      const deletionTimestamp = formatInstant(leaving.at);
      return { ...object, metadata: { ...mapIn(object.metadata), deletionTimestamp } };
    }
    if (object.kind === 'Pod' && this.#done.get(node) === 'renewed')
      return { ...object, spec: { ...mapIn(object.spec), nodeName: replacedName(node) } };
    return object;
  }

  /** The recorded node of an object; for a pod its node in this world. */
  #nodeOf(which: GoneObject): string | undefined {
    if (which.kind === 'Node') return which.name;
    if (which.kind === 'NodeClaim') return this.#nodeOfClaim.get(which.name);
    if (which.kind !== 'Pod') return undefined;
    const key = keyOf(which);
    const { nodeName } = mapIn((this.#shown.get(key) ?? this.#recorded.get(key))?.spec);
    return typeof nodeName === 'string' ? recordedName(nodeName) : undefined;
  }

  /** Recorded changes of a node that is not disrupted here, or at another time, are ignored. */
  #isFrozen(node: string): boolean {
    const taking = lastDisruption(this.#history, node);
    if (taking === undefined || taking.at > this.#now) return false;
    const leaving = this.#leaving.get(node);
    return !leaving || leaving.goneAt !== undefined;
  }

  /** A node that is gone here, or the replacement of a node that was not disrupted or was replaced differently here. */
  #isHidden({ kind, name }: GoneObject): boolean {
    if (kind !== 'Node' && kind !== 'NodeClaim') return false;
    const node = kind === 'Node' ? name : this.#nodeOfClaim.get(name);
    if (node !== undefined && this.#done.has(node)) return true;
    const claim = kind === 'NodeClaim' ? name : this.#claimOf.get(name);
    const replaced = claim === undefined ? undefined : this.#replaces.get(claim);
    return replaced !== undefined && !this.#leaving.has(replaced) && this.#done.get(replaced) !== 'replaced';
  }

  #isKept(object: Json): boolean {
    const which = goneOf(object);
    const node = this.#nodeOf(which);
    return which.name.endsWith(replacedName('')) || (node !== undefined && this.#isFrozen(node));
  }

  /** The node is gone here: shows the recorded replacement, or a similar node. */
  #finish(node: string): void {
    const taking = lastDisruption(this.#history, node);
    const old = this.#recorded.get(`Node ${node}`);
    const isRenewed = old !== undefined && (taking === undefined || taking.at > this.#now);
    this.#leaving.delete(node);
    this.#forgetPromises(node);
    this.#done.set(node, isRenewed ? 'renewed' : 'replaced');
    this.#remove({ kind: 'Node', name: node });
    const claim = this.#claimOf.get(node);
    if (claim !== undefined) this.#remove({ kind: 'NodeClaim', name: claim });
    if (isRenewed) this.#replaceNode(old, claim);
    this.#movePods(node);
    this.#showReplacements(node);
  }

  #forgetPromises(node: string): void {
    for (const target of this.#promised.get(node) ?? []) remove(this.cluster, goneOf(promise(node, target)));
    this.#promised.delete(node);
  }

  #replaceNode(node: Json, claim: string | undefined): void {
    const pool = mapIn(mapIn(node.metadata).labels)['karpenter.sh/nodepool'];
    const old = { node, claim: this.#recorded.get(`NodeClaim ${claim}`), pool: this.#recorded.get(`NodePool ${pool}`) };
    for (const object of replaceNode(old, this.#now)) this.#put(object);
  }

  /** Moves the node's pods to where the recording has them, or to its replacement. */
  #movePods(node: string): void {
    for (const [key, shown] of [...this.#shown]) {
      if (shown.kind !== 'Pod' || mapIn(shown.spec).nodeName !== node) continue;
      const recorded = this.#recorded.get(key);
      const isElsewhere = recorded && mapIn(recorded.spec).nodeName !== node;
      this.#remove(goneOf(shown));
      if (recorded && (isElsewhere || this.#done.get(node) === 'renewed')) this.#show(recorded);
    }
  }

  /** Applies the recorded state to a node that was frozen here. */
  #catchUp(node: string): void {
    for (const [key, shown] of [...this.#shown]) {
      if (this.#nodeOf(goneOf(shown)) !== node) continue;
      const recorded = this.#recorded.get(key);
      if (recorded) this.#put(this.#inThisWorld(recorded, node));
      else this.#remove(goneOf(shown));
    }
  }

  /** Shows a node's recorded replacements once it is disrupted here too. */
  #showReplacements(node: string): void {
    for (const claim of this.#history.takings.get(node)?.flatMap(({ replacements }) => replacements) ?? []) {
      for (const key of [`NodeClaim ${claim}`, `Node ${this.#nodeOfClaim.get(claim)}`]) {
        const recorded = this.#recorded.get(key);
        if (recorded) this.#show(recorded);
      }
    }
  }
}

/** A placeholder for pods planned on a node: it keeps the node from being disrupted (N0). */
const promise = (from: string, to: string): Json => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: replacedName('promised'), name: `${from} ${to}` },
  spec: {},
  status: { phase: 'Pending', nominatedNodeName: to },
});

const alongWith = ({ at, releasedAt }: NodeDisruption): TakenNode => ({
  at,
  goneAt: undefined,
  ...(releasedAt !== undefined && { releasedAt }),
});

const recordedName = (name: string): string => {
  const mark = replacedName('');
  return name.endsWith(mark) ? name.slice(0, -mark.length) : name;
};
