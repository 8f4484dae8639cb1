// What did Karpenter take in a recording? Each node it marked, drained or deleted: when that first showed, why, and when it was gone.
import type { Claim, Node } from '../cluster/model.ts';
import { label, taint } from '../cluster/names.ts';
import { compareText } from '../cluster/nodeView.ts';
import { type Reason, reasons } from '../cluster/reason.ts';
import type { Json } from '../kinds/reader.ts';
import { readObject } from '../kinds/readObject.ts';
import { asInstant, earliest, type Instant, second } from '../time/instant.ts';
import { type Gone, RecordingError, readLines } from './line.ts';

export interface Taken {
  readonly node: string;
  readonly claim?: string;
  readonly pool: string;
  readonly zone?: string;
  /** Absent where nothing says why: somebody deleted it, or it went while nobody watched. */
  readonly reason?: Reason;
  readonly at: Instant;
  /** The line of the first round that could see it. */
  readonly round: number;
  /** Neither this nor the next = it was under way still at the end. */
  readonly goneAt?: Instant;
  /** Karpenter gave it up again. */
  readonly releasedAt?: Instant;
  /** The line of the round in which it was gone or given up. */
  readonly endRound?: number;
  /** before: it was under way when the recording began. unseen: it was there in one round and gone in the next. */
  readonly how: 'seen' | 'before' | 'unseen';
}

export interface Takings {
  readonly from: Instant;
  readonly to: Instant;
  readonly rounds: number;
  /** In the order in which they were taken. */
  readonly taken: readonly Taken[];
}

export function readTakings(text: string): Takings {
  const watch = new Watch();
  for (const { number, line } of readLines(text)) {
    if ('keyframe' in line) watch.keyframe();
    else if ('put' in line) watch.put(line.put);
    else if ('gone' in line) watch.gone(line.gone);
    else if ('round' in line) watch.round(line.round.at, number);
  }
  return watch.takings();
}

/** A taking as it becomes known: the reason may show after the taint. */
interface Open {
  readonly about: Pick<Taken, 'node' | 'claim' | 'pool' | 'zone'>;
  how: Taken['how'];
  reason: Reason | undefined;
  /** The earliest that its marks say. */
  since: Instant | undefined;
  /** A claim that is being deleted does not come back. */
  isFinal: boolean;
  ends: 'gone' | 'released' | undefined;
  /** Filled in with the round that follows. */
  shows?: { readonly round: number; readonly from: Instant; readonly to: Instant };
  ended?: { readonly round: number; readonly at: Instant };
}

class Watch {
  #nodes = new Map<string, Node>();
  #claims = new Map<string, Claim>();
  /** By node: the name of its claim, known still when the claim is gone. */
  readonly #claimOf = new Map<string, string>();
  readonly #open = new Map<string, Open>();
  readonly #all: Open[] = [];
  /** The nodes before a controller began anew: what is not among those it lists then is gone. */
  #before: Iterable<string> = [];
  #first: Instant | undefined;
  #last: Instant | undefined;
  #rounds = 0;

  keyframe(): void {
    this.#before = [...this.#nodes.keys()];
    this.#nodes = new Map();
    this.#claims = new Map();
  }

  put(object: Json): void {
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

  gone({ kind, name }: Gone): void {
    if (kind === 'NodeClaim') this.#claims.delete(name);
    if (kind !== 'Node' || !this.#nodes.delete(name)) return;
    this.#miss(name);
  }

  round(at: Instant, round: number): void {
    for (const name of this.#before) if (!this.#nodes.has(name)) this.#miss(name);
    this.#before = [];
    this.#first ??= at;
    this.#rounds++;
    for (const open of this.#all) {
      open.shows ??= { round, from: this.#last ?? at, to: at };
      if (open.ends) open.ended ??= { round, at };
    }
    if (this.#rounds === 1) for (const open of this.#all) open.how = 'before';
    this.#last = at;
  }

  takings(): Takings {
    if (this.#first === undefined || this.#last === undefined)
      throw new RecordingError(1, 'There is no round in this recording.');
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

  #note(open: Open, node: Node, claim: Claim | undefined): void {
    open.reason = reasonOf(node, claim) ?? open.reason;
    open.since = earliest(open.since, sinceOf(node, claim));
    open.isFinal ||= claim?.deletingSince !== undefined;
  }

  #begin(name: string, how: Taken['how'], node = this.#nodes.get(name)): Open {
    const claim = this.#claimOf.get(name);
    const labels = node?.labels ?? {};
    const zone = labels[label.zone];
    const about = {
      node: name,
      ...(claim !== undefined && { claim }),
      pool: labels[label.pool] ?? this.#claims.get(claim ?? '')?.labels[label.pool] ?? '',
      ...(zone !== undefined && { zone }),
    };
    const open: Open = { about, how, reason: undefined, since: undefined, isFinal: false, ends: undefined };
    this.#open.set(name, open);
    this.#all.push(open);
    return open;
  }

  #miss(name: string): void {
    // What no claim belongs to is none of Karpenter's.
    const open = this.#open.get(name) ?? (this.#claimOf.has(name) ? this.#begin(name, 'unseen') : undefined);
    if (open) this.#end(open, 'gone');
  }

  #end(open: Open, ends: 'gone' | 'released'): void {
    open.ends = ends;
    this.#open.delete(open.about.node);
  }
}

/** Karpenter's taint comes first, then the condition of its claim, then the deletion. */
const isMarked = (node: Node, claim: Claim | undefined): boolean =>
  node.taints.some(({ key }) => key === taint.karpenterDisrupted) ||
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

/** Karpenter deletes what has expired without a condition that says so. Instants of objects have no fractions of a second. */
function hasExpired({ createdAt, deletingSince, spec: { expireAfter } }: Claim): boolean {
  if (deletingSince === undefined || expireAfter === undefined || expireAfter === 'Never') return false;
  return deletingSince - createdAt >= expireAfter - second;
}

function takenOf({ about, how, reason, since, ends, shows, ended }: Open): Taken | undefined {
  // What came after the last round was seen by nobody.
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
