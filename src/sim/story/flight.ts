// Which nodes are on their way out at this moment, and for what? Worked out from raw objects alone.
import { label } from '../../cluster/names.ts';
import { isDeleting, type KubeObject, type Texts } from '../kubeObject.ts';
import type { Changed, Objects } from '../objects.ts';
import { hasTrue } from './hasTrue.ts';
import { ledgerIn, type RawCommand } from './ledgerSpec.ts';

/** A node of a command of Lull's, or one that is being deleted, by whomever. */
export interface Leaving {
  readonly node: string;
  readonly pool: string;
  readonly labels: Texts;
  /** Absent = nobody commanded it. */
  readonly command?: RawCommand;
}

interface Known {
  readonly labels: Texts;
  readonly deleting: boolean;
}

interface Ending {
  readonly node: string;
  /** C3: its machine is being given back, so that it counts no more. */
  readonly isLeft: boolean;
}

export class Flight {
  readonly leaving = new Map<string, Leaving>();
  readonly #nodes = new Map<string, Known>();
  readonly #commanded = new Map<string, RawCommand>();
  /** Claims that are being deleted. */
  readonly #ending = new Map<string, Ending>();
  readonly #listeners: ((leaving: Leaving) => void)[] = [];

  constructor(objects: Objects) {
    for (const node of objects.list('Node')) this.#noteNode(node.metadata.name, node);
    for (const claim of objects.list('NodeClaim')) this.#noteClaim(claim.metadata.name, claim);
    for (const ledger of objects.list('DisruptionLedger')) this.#noteLedger(ledger);
    objects.onChange((change) => this.#note(change));
  }

  /** Called when a node begins to leave. */
  onLeaving(listener: (leaving: Leaving) => void): void {
    this.#listeners.push(listener);
  }

  #note({ type, object }: Changed): void {
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
    const before = this.#ending.get(claim);
    const node = object && isDeleting(object) ? (object.status?.nodeName as string | undefined) : undefined;
    const isLeft = object !== undefined && hasTrue(object, 'InstanceTerminating');
    if (node === before?.node && isLeft === before?.isLeft) return;
    if (node === undefined) this.#ending.delete(claim);
    else this.#ending.set(claim, { node, isLeft });
    for (const name of new Set([before?.node, node])) if (name !== undefined) this.#update(name);
  }

  #noteLedger(object: KubeObject | undefined): void {
    const touched = new Set(this.#commanded.keys());
    this.#commanded.clear();
    for (const command of ledgerIn(object).commands)
      for (const { name } of command.nodes) {
        this.#commanded.set(name, command);
        touched.add(name);
      }
    for (const name of touched) this.#update(name);
  }

  #update(name: string): void {
    const node = this.#nodes.get(name);
    const command = this.#commanded.get(name);
    const ending = this.#endingOf(name);
    const isLeaving = node && (command || node.deleting || ending);
    // What never came up does not leave either: a replacement that is taken back counts for nothing (C3).
    if (!isLeaving || ending?.isLeft || node.labels[label.initialized] !== 'true') {
      this.leaving.delete(name);
      return;
    }
    const isNew = !this.leaving.has(name);
    const pool = node.labels[label.pool] ?? command?.pool ?? '';
    const leaving = { node: name, pool, labels: node.labels, ...(command && { command }) };
    this.leaving.set(name, leaving);
    if (isNew) for (const listener of this.#listeners) listener(leaving);
  }

  #endingOf(name: string): Ending | undefined {
    for (const ending of this.#ending.values()) if (ending.node === name) return ending;
    return undefined;
  }
}
