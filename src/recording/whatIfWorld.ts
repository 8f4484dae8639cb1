// What would the cluster look like, had other nodes been taken? The recorded objects, but for what the recorded policy did and the other would not have done.
import { ClusterStore } from '../cluster/store.ts';
import { isMap, type Json } from '../kinds/reader.ts';
import { after, asInstant, earliest, formatInstant, type Instant } from '../time/instant.ts';
import { type History, isSameMoment, lastTaking, type Taking } from './history.ts';
import type { Gone } from './line.ts';
import { goneOf, keyOf } from './observed.ts';
import type { Policy } from './policy.ts';
import { renew, renewedName } from './renewed.ts';
import { put, remove } from './replay.ts';

/** A node that the other policy takes. */
interface Leaving {
  readonly at: Instant;
  /** Undefined = when it is gone in the recording, since both took it at the same time. */
  readonly goneAt: Instant | undefined;
  /** Both took it, and the recording gave it up again. */
  readonly releasedAt?: Instant;
}

export class WhatIfWorld {
  cluster = new ClusterStore();
  readonly #history: History;
  readonly #policy: Policy;
  /** By the name of a claim: the node it replaces in the recording. */
  readonly #replaces = new Map<string, string>();
  readonly #leaving = new Map<string, Leaving>();
  /** Taken here and gone. `renewed` = the recording has no replacement yet, so that one like it stands in its place. */
  readonly #done = new Map<string, 'replaced' | 'renewed'>();
  readonly #promised = new Map<string, readonly string[]>();
  #recorded = new Map<string, Json>();
  /** What this world shows of nodes, claims and pods, as it was put. */
  #shown = new Map<string, Json>();
  readonly #claimOf = new Map<string, string>();
  readonly #nodeOfClaim = new Map<string, string>();
  #now: Instant;

  constructor(history: History, policy: Policy) {
    this.#history = history;
    this.#policy = policy;
    // What the first round takes is there before it.
    this.#now = asInstant(history.from - 1);
    for (const taking of [...history.takings.values()].flat()) {
      for (const claim of taking.replacements) this.#replaces.set(claim, taking.node);
      if (taking.at < history.from) this.#leaving.set(taking.node, alongWith(taking));
    }
  }

  /** The recorded controller began anew and lists everything; what has stopped changing here is not in that list. */
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
    const { nodeName } = mapOf(object.status);
    if (which.kind === 'NodeClaim' && typeof nodeName === 'string') {
      this.#nodeOfClaim.set(which.name, nodeName);
      this.#claimOf.set(nodeName, which.name);
    }
    this.#show(object);
  }

  gone(which: Gone): void {
    const key = keyOf(which);
    if (this.#policy.has(key)) return;
    this.#recorded.delete(key);
    const node = this.#nodeOf(which);
    if (node === undefined || !this.#isFrozen(node)) this.#remove(which);
  }

  /** Before a round: whoever is gone by now. */
  advance(now: Instant): void {
    this.#now = now;
    for (const [node, { goneAt }] of this.#leaving) {
      const isOver = goneAt === undefined ? !this.#recorded.has(`Node ${node}`) : goneAt <= now;
      if (isOver) this.#finish(node);
    }
  }

  /** After a round: whoever was released by it, as in the recording. */
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

  /** The other policy takes a node, and promises its pods to others. */
  take(node: string, promisedTo: readonly string[]): void {
    if (this.#leaving.has(node) || this.#done.has(node)) return;
    this.#promised.set(node, promisedTo);
    for (const target of promisedTo) put(this.cluster, promise(node, target));
    // Where two controllers ran, one may have chosen it, and lost the race to the other who chose it too: the last counts.
    const same = this.#history.takings.get(node)?.findLast(({ at }) => isSameMoment(at, this.#now));
    const isSame = same !== undefined && this.#recorded.has(`Node ${node}`);
    const alone = { at: this.#now, goneAt: after(this.#now, this.#history.usual) };
    this.#leaving.set(node, isSame ? { ...alongWith(same), at: this.#now } : alone);
    const claim = this.#shown.get(`NodeClaim ${this.#claimOf.get(node)}`);
    if (claim) this.#put(this.#inThisWorld(claim, node));
    // What happened to it there in the moment between is caught up with.
    if (isSame) this.#catchUp(node);
    this.#showReplacements(node);
  }

  /** When the next of those that it took is gone. */
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

  #remove(which: Gone): void {
    this.#shown.delete(keyOf(which));
    remove(this.cluster, which);
  }

  #inThisWorld(object: Json, node: string): Json {
    const leaving = this.#leaving.get(node);
    if (object.kind === 'NodeClaim' && leaving) {
      const deletionTimestamp = formatInstant(leaving.at);
      return { ...object, metadata: { ...mapOf(object.metadata), deletionTimestamp } };
    }
    if (object.kind === 'Pod' && this.#done.get(node) === 'renewed')
      return { ...object, spec: { ...mapOf(object.spec), nodeName: renewedName(node) } };
    return object;
  }

  /** The recorded node that an object belongs to: for a pod the one it is on in this world. */
  #nodeOf(which: Gone): string | undefined {
    if (which.kind === 'Node') return which.name;
    if (which.kind === 'NodeClaim') return this.#nodeOfClaim.get(which.name);
    if (which.kind !== 'Pod') return undefined;
    const key = keyOf(which);
    const { nodeName } = mapOf((this.#shown.get(key) ?? this.#recorded.get(key))?.spec);
    return typeof nodeName === 'string' ? recordedName(nodeName) : undefined;
  }

  /** What the recording does to a node that is not taken here yet, or at another time, does not happen here. */
  #isFrozen(node: string): boolean {
    const taking = lastTaking(this.#history, node);
    if (taking === undefined || taking.at > this.#now) return false;
    const leaving = this.#leaving.get(node);
    return !leaving || leaving.goneAt !== undefined;
  }

  /** A node that is here no more, and the replacement of one that was not taken here, or renewed here. */
  #isHidden({ kind, name }: Gone): boolean {
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
    return which.name.endsWith(renewedName('')) || (node !== undefined && this.#isFrozen(node));
  }

  /** The node is gone here: what the recording has in its place comes, or else one like it. */
  #finish(node: string): void {
    const taking = lastTaking(this.#history, node);
    const old = this.#recorded.get(`Node ${node}`);
    const isRenewed = old !== undefined && (taking === undefined || taking.at > this.#now);
    this.#leaving.delete(node);
    this.#forgetPromises(node);
    this.#done.set(node, isRenewed ? 'renewed' : 'replaced');
    this.#remove({ kind: 'Node', name: node });
    const claim = this.#claimOf.get(node);
    if (claim !== undefined) this.#remove({ kind: 'NodeClaim', name: claim });
    if (isRenewed) this.#renew(old, claim);
    this.#movePods(node);
    this.#showReplacements(node);
  }

  #forgetPromises(node: string): void {
    for (const target of this.#promised.get(node) ?? []) remove(this.cluster, goneOf(promise(node, target)));
    this.#promised.delete(node);
  }

  #renew(node: Json, claim: string | undefined): void {
    const pool = mapOf(mapOf(node.metadata).labels)['karpenter.sh/nodepool'];
    const old = { node, claim: this.#recorded.get(`NodeClaim ${claim}`), pool: this.#recorded.get(`NodePool ${pool}`) };
    for (const object of renew(old, this.#now)) this.#put(object);
  }

  /** Its pods are where the recording has them by now, or on the one in its place. */
  #movePods(node: string): void {
    for (const [key, shown] of [...this.#shown]) {
      if (shown.kind !== 'Pod' || mapOf(shown.spec).nodeName !== node) continue;
      const recorded = this.#recorded.get(key);
      const isElsewhere = recorded && mapOf(recorded.spec).nodeName !== node;
      this.#remove(goneOf(shown));
      if (recorded && (isElsewhere || this.#done.get(node) === 'renewed')) this.#show(recorded);
    }
  }

  /** It stood still here for a moment: from now on it is as recorded. */
  #catchUp(node: string): void {
    for (const [key, shown] of [...this.#shown]) {
      if (this.#nodeOf(goneOf(shown)) !== node) continue;
      const recorded = this.#recorded.get(key);
      if (recorded) this.#put(this.#inThisWorld(recorded, node));
      else this.#remove(goneOf(shown));
    }
  }

  /** The replacements the recording has for a node show once it is taken here too. */
  #showReplacements(node: string): void {
    for (const claim of this.#history.takings.get(node)?.flatMap(({ replacements }) => replacements) ?? []) {
      for (const key of [`NodeClaim ${claim}`, `Node ${this.#nodeOfClaim.get(claim)}`]) {
        const recorded = this.#recorded.get(key);
        if (recorded) this.#show(recorded);
      }
    }
  }
}

/** N0: a pod on its way to a node keeps it from being taken. This one stands for those of a node that leaves. */
const promise = (from: string, to: string): Json => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: renewedName('promised'), name: `${from} ${to}` },
  spec: {},
  status: { phase: 'Pending', nominatedNodeName: to },
});

const alongWith = ({ at, releasedAt }: Taking): Leaving => ({
  at,
  goneAt: undefined,
  ...(releasedAt !== undefined && { releasedAt }),
});

const mapOf = (value: unknown): Json => (isMap(value) ? value : {});

const recordedName = (name: string): string => {
  const mark = renewedName('');
  return name.endsWith(mark) ? name.slice(0, -mark.length) : name;
};
