// Karpenter's disruptions in a recording: for each node when it started, why, and when the node was gone.
import type { Claim, Node } from '../cluster/model.ts';
import { label, taint } from '../cluster/names.ts';
import { compareText } from '../cluster/nodeView.ts';
import { isReschedulable } from '../cluster/pod.ts';
import { type Reason, reasons } from '../cluster/reason.ts';
import { type Json, mapIn } from '../kinds/read/reader.ts';
import { readObject } from '../kinds/readObject.ts';
import { asInstant, earliest, type Instant, second } from '../time/instant.ts';
import {
  type GoneObject,
  goneOf,
  keyOf,
  type LineReader,
  RecordingError,
  type RoundLine,
  readInto,
} from './recordingLine.ts';

export interface KarpenterDisruption {
  readonly node: string;
  readonly claim?: string;
  readonly pool: string;
  readonly zone?: string;
  /** Absent if unknown: it was deleted by hand, or disappeared while the recording was interrupted. */
  readonly reason?: Reason;
  readonly at: Instant;
  /** The line of the first round that shows it. */
  readonly round: number;
  /** Absent together with `releasedAt`: still in progress at the end. */
  readonly goneAt?: Instant;
  /** When Karpenter aborted it. */
  readonly releasedAt?: Instant;
  /** The line of the round in which the node was gone or the disruption aborted. */
  readonly endRound?: number;
  /** before: in progress when the recording started. unseen: the node existed in one round and was gone in the next. */
  readonly how: 'seen' | 'before' | 'unseen';
}

export interface KarpenterDisruptions {
  readonly from: Instant;
  readonly to: Instant;
  readonly rounds: number;
  /** In the order of their start. */
  readonly taken: readonly KarpenterDisruption[];
}

export function readDisruptions(text: string): KarpenterDisruptions {
  const watch = new DisruptionReader();
  readInto(watch, text);
  return watch.takings();
}

/** A disruption in progress: the reason may appear after the taint. */
interface OpenDisruption {
  readonly about: Pick<KarpenterDisruption, 'node' | 'claim' | 'pool' | 'zone'>;
  how: KarpenterDisruption['how'];
  reason: Reason | undefined;
  /** The earliest instant of its marks. */
  since: Instant | undefined;
  /** The claim is being deleted, which cannot be undone. */
  isFinal: boolean;
  ends: 'gone' | 'released' | undefined;
  /** Set with the next round. */
  shows?: { readonly round: number; readonly from: Instant; readonly to: Instant };
  ended?: { readonly round: number; readonly at: Instant };
}

class DisruptionReader implements LineReader {
  #nodes = new Map<string, Node>();
  #claims = new Map<string, Claim>();
  /** As recorded: they are read only where a reason must be inferred. */
  #pods = new Map<string, Json>();
  /** The claim's name by node, kept after the claim is gone. */
  readonly #claimOf = new Map<string, string>();
  readonly #open = new Map<string, OpenDisruption>();
  readonly #all: OpenDisruption[] = [];
  /** The nodes before the controller restarted: those it does not list again are gone. */
  #before: Iterable<string> = [];
  #first: Instant | undefined;
  #last: Instant | undefined;
  #rounds = 0;

  keyframe(): void {
    this.#before = [...this.#nodes.keys()];
    this.#nodes = new Map();
    this.#claims = new Map();
    this.#pods = new Map();
  }

  put(object: Json): void {
    if (object.kind === 'Pod') this.#pods.set(keyOf(goneOf(object)), object);
    if (object.kind !== 'Node' && object.kind !== 'NodeClaim') return;
    const read = readObject(object);
    if (read.kind === 'Node') {
      this.#nodes.set(read.record.name, read.record);
      this.#look(read.record.name);
    } else if (read.kind === 'NodeClaim') {
      const { name, nodeName } = read.record;
      this.#claims.set(name, read.record);
      if (nodeName === undefined) return;
      this.#claimOf.set(nodeName, name);
      this.#look(nodeName);
    }
  }

  gone(which: GoneObject): void {
    const { kind, name } = which;
    this.#pods.delete(keyOf(which));
    if (kind === 'NodeClaim') this.#claims.delete(name);
    if (kind !== 'Node' || !this.#nodes.delete(name)) return;
    this.#miss(name);
  }

  round({ at }: RoundLine, round: number): void {
    for (const name of this.#before) if (!this.#nodes.has(name)) this.#miss(name);
    this.#before = [];
    this.#first ??= at;
    this.#rounds++;
    // Of one moment: between two rounds a node may be recorded before its claim.
    for (const [name, open] of this.#open) open.reason ??= this.#inferReason(name);
    for (const open of this.#all) {
      open.shows ??= { round, from: this.#last ?? at, to: at };
      if (open.ends) open.ended ??= { round, at };
    }
    if (this.#rounds === 1) for (const open of this.#all) open.how = 'before';
    this.#last = at;
  }

  takings(): KarpenterDisruptions {
    if (this.#first === undefined || this.#last === undefined)
      throw new RecordingError(1, 'This recording has no round.');
    const taken = this.#all.flatMap((open) => takenOf(open) ?? []);
    taken.sort((a, b) => a.at - b.at || compareText(a.node, b.node));
    return { from: this.#first, to: this.#last, rounds: this.#rounds, taken };
  }

  #look(name: string): void {
    const node = this.#nodes.get(name);
    if (!node) return;
    const claim = this.#claims.get(this.#claimOf.get(name) ?? '');
    const open = this.#open.get(name);
    if (isMarked(node, claim)) this.#note(open ?? this.#begin(name, 'seen'), node, claim);
    else if (open && !open.isFinal) this.#end(open, 'released');
  }

  #note(open: OpenDisruption, node: Node, claim: Claim | undefined): void {
    open.reason = reasonOf(node, claim) ?? open.reason;
    open.since = earliest(open.since, sinceOf(node, claim));
    open.isFinal ||= claim?.deletingSince !== undefined;
  }

  /**
   * Karpenter 1.0 and 1.1 mark a node that they disrupt with the taint alone, and try drift, then emptiness, then consolidation. A node
   * whose claim is being deleted has the taint too, also when a person deleted it: then nothing can be inferred.
   */
  #inferReason(name: string): Reason | undefined {
    const node = this.#nodes.get(name);
    const claim = this.#claims.get(this.#claimOf.get(name) ?? '');
    if (!node || !claim || claim.conditions.DisruptionReason || !isTainted(node)) return undefined;
    if (node.deletingSince !== undefined || claim.deletingSince !== undefined) return undefined;
    if (claim.conditions.Drifted?.status === 'True') return 'Drifted';
    return this.#hasPodsToMove(name) ? 'Underutilized' : 'Empty';
  }

  #hasPodsToMove(node: string): boolean {
    for (const pod of this.#pods.values()) {
      if (mapIn(pod.spec).nodeName !== node) continue;
      const read = readObject(pod);
      if (read.kind === 'Pod' && isReschedulable(read.record)) return true;
    }
    return false;
  }

  #begin(name: string, how: KarpenterDisruption['how'], node = this.#nodes.get(name)): OpenDisruption {
    const claim = this.#claimOf.get(name);
    const labels = node?.labels ?? {};
    const zone = labels[label.zone];
    const about = {
      node: name,
      ...(claim !== undefined && { claim }),
      pool: labels[label.pool] ?? this.#claims.get(claim ?? '')?.labels[label.pool] ?? '',
      ...(zone !== undefined && { zone }),
    };
    const open: OpenDisruption = { about, how, reason: undefined, since: undefined, isFinal: false, ends: undefined };
    this.#open.set(name, open);
    this.#all.push(open);
    return open;
  }

  #miss(name: string): void {
    // A node without a claim is not Karpenter's.
    const open = this.#open.get(name) ?? (this.#claimOf.has(name) ? this.#begin(name, 'unseen') : undefined);
    if (open) this.#end(open, 'gone');
  }

  #end(open: OpenDisruption, ends: 'gone' | 'released'): void {
    open.ends = ends;
    this.#open.delete(open.about.node);
  }
}

const isTainted = ({ taints }: Node): boolean => taints.some(({ key }) => key === taint.karpenterDisrupted);

/** Karpenter sets its taint first, then the claim's condition (from 1.5 on at the latest), then deletes it. */
const isMarked = (node: Node, claim: Claim | undefined): boolean =>
  isTainted(node) ||
  claim?.conditions.DisruptionReason?.status === 'True' ||
  claim?.deletingSince !== undefined ||
  (claim !== undefined && node.deletingSince !== undefined);

function sinceOf(node: Node, claim: Claim | undefined): Instant | undefined {
  const condition = claim?.conditions.DisruptionReason;
  const commanded = condition?.status === 'True' ? condition.since : undefined;
  return earliest(commanded, earliest(claim?.deletingSince, node.deletingSince));
}

function reasonOf(node: Node, claim: Claim | undefined): Reason | undefined {
  const condition = claim?.conditions.DisruptionReason;
  if (condition?.status === 'True') return reasons.find((it) => it === condition.reason);
  const isInterrupted =
    claim?.conditions.Interrupted?.status === 'True' ||
    node.taints.some(({ key }) => taint.interruption.some((it) => it === key));
  if (isInterrupted) return 'Interrupted';
  return claim && hasExpired(claim) ? 'Expired' : undefined;
}

/** Karpenter deletes expired claims without setting a condition. Timestamps of objects have no fractions of a second. */
function hasExpired({ createdAt, deletingSince, spec: { expireAfter } }: Claim): boolean {
  if (deletingSince === undefined || expireAfter === undefined || expireAfter === 'Never') return false;
  return deletingSince - createdAt >= expireAfter - second;
}

function takenOf({ about, how, reason, since, ends, shows, ended }: OpenDisruption): KarpenterDisruption | undefined {
  // Changes after the last round do not belong to a round.
  if (!shows) return undefined;
  const at = since === undefined ? shows.to : asInstant(Math.min(Math.max(since, shows.from), shows.to));
  return {
    ...about,
    ...(reason && { reason }),
    at: how === 'before' ? (since ?? at) : at,
    round: shows.round,
    ...(ended && { [ends === 'gone' ? 'goneAt' : 'releasedAt']: ended.at, endRound: ended.round }),
    how,
  };
}
