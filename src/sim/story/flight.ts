// Nodes being disrupted right now, and for which reason, derived from raw objects alone.

import { label } from '../../cluster/names.ts';
import { isTrue, nodeNameOf } from '../actors/rawObjects.ts';
import { isDeleting, type KubeObject, type Texts } from '../kubeObject.ts';
import { type RawCommand, readLedger } from '../ledgerRecord.ts';
import type { ObjectChange, Objects } from '../objects.ts';

/** A node in one of Lull's commands, or one that any actor is deleting. */
export interface NodeInFlight {
  readonly node: string;
  readonly pool: string;
  readonly labels: Texts;
  /** Absent: no command of Lull's takes it. */
  readonly command?: RawCommand;
}

interface TrackedNode {
  readonly labels: Texts;
  readonly deleting: boolean;
}

interface DeletedClaim {
  readonly node: string;
  /** Its instance is being terminated, so the node no longer counts against limits (C3). */
  readonly isTerminating: boolean;
}

export class Flight {
  readonly leaving = new Map<string, NodeInFlight>();
  readonly #nodes = new Map<string, TrackedNode>();
  readonly #commanded = new Map<string, RawCommand>();
  /** NodeClaims being deleted, by name. */
  readonly #deletedClaims = new Map<string, DeletedClaim>();
  readonly #listeners: ((leaving: NodeInFlight) => void)[] = [];

  constructor(objects: Objects) {
    for (const node of objects.list('Node')) this.#noteNode(node.metadata.name, node);
    for (const claim of objects.list('NodeClaim')) this.#noteClaim(claim.metadata.name, claim);
    for (const ledger of objects.list('DisruptionLedger')) this.#noteLedger(ledger);
    objects.onChange((change) => this.#note(change));
  }

  /** Called when a node's disruption starts. */
  onLeaving(listener: (leaving: NodeInFlight) => void): void {
    this.#listeners.push(listener);
  }

  #note({ type, object }: ObjectChange): void {
    const present = type === 'DELETED' ? undefined : object;
    if (object.kind === 'Node') this.#noteNode(object.metadata.name, present);
    else if (object.kind === 'NodeClaim') this.#noteClaim(object.metadata.name, present);
    else if (object.kind === 'DisruptionLedger') this.#noteLedger(present);
  }

  #noteNode(name: string, node: KubeObject | undefined): void {
    if (node) this.#nodes.set(name, { labels: node.metadata.labels ?? {}, deleting: isDeleting(node) });
    else this.#nodes.delete(name);
    this.#update(name);
  }

  #noteClaim(claim: string, object: KubeObject | undefined): void {
    const before = this.#deletedClaims.get(claim);
    const node = object && isDeleting(object) ? nodeNameOf(object) : undefined;
    const isTerminating = object !== undefined && isTrue(object, 'InstanceTerminating');
    if (node === before?.node && isTerminating === before?.isTerminating) return;
    if (node === undefined) this.#deletedClaims.delete(claim);
    else this.#deletedClaims.set(claim, { node, isTerminating });
    for (const name of new Set([before?.node, node])) if (name !== undefined) this.#update(name);
  }

  #noteLedger(object: KubeObject | undefined): void {
    const touched = new Set(this.#commanded.keys());
    this.#commanded.clear();
    for (const command of readLedger(object).commands.values())
      for (const { name } of command.nodes) {
        this.#commanded.set(name, command);
        touched.add(name);
      }
    for (const name of touched) this.#update(name);
  }

  #update(name: string): void {
    const node = this.#nodes.get(name);
    const command = this.#commanded.get(name);
    const deletedClaim = this.#deletedClaimOf(name);
    const isLeaving = node && (command || node.deleting || deletedClaim);
    // A node that was never initialized, such as an unused replacement, does not count (C3).
    if (!isLeaving || deletedClaim?.isTerminating || node.labels[label.initialized] !== 'true') {
      this.leaving.delete(name);
      return;
    }
    const isNew = !this.leaving.has(name);
    const pool = node.labels[label.pool] ?? command?.pool ?? '';
    const leaving = { node: name, pool, labels: node.labels, ...(command && { command }) };
    this.leaving.set(name, leaving);
    if (isNew) for (const listener of this.#listeners) listener(leaving);
  }

  #deletedClaimOf(name: string): DeletedClaim | undefined {
    for (const claim of this.#deletedClaims.values()) if (claim.node === name) return claim;
    return undefined;
  }
}
