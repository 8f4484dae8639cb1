// What did Karpenter do, against what a policy allows? The policy is asked about each node as it was taken, on the cluster as it was then.
import { type Command, emptyLedger, type Turn } from '../cluster/ledger.ts';
import { taint } from '../cluster/names.ts';
import type { Settings } from '../cluster/settings.ts';
import { ClusterStore } from '../cluster/store.ts';
import { isMap, type Json } from '../kinds/reader.ts';
import type { Instant } from '../time/instant.ts';
import { type Gone, readLines } from './line.ts';
import { goneOf, keyOf } from './observed.ts';
import { Policy } from './policy.ts';
import { put, remove } from './replay.ts';
import { readTakings, type Taken, type Takings } from './shadowTakings.ts';
import { askAbout, type Opinion, turnsAt } from './shadowVerdict.ts';
import type { Otherwise } from './whatIf.ts';

/** A node that was taken, and what the policy says to it; no opinion where it could not be asked. */
export interface Shadowed extends Omit<Taken, 'round' | 'endRound' | 'how'> {
  readonly opinion?: Opinion;
  /** Why it could not be asked. */
  readonly notAsked?: string;
}

export interface Shadow {
  readonly from: Instant;
  readonly to: Instant;
  readonly rounds: number;
  readonly taken: readonly Shadowed[];
  /** Under way already when the recording began: counted as in flight, and not asked about. */
  readonly before: readonly string[];
}

export function castShadow(text: string, { objects, settings }: Otherwise): Shadow {
  const takings = readTakings(text);
  const walk = new Walk(takings, new Policy(objects));
  for (const { number, line } of readLines(text)) {
    if ('header' in line) walk.settings = settings(line.header.settings);
    else if ('keyframe' in line) walk.keyframe();
    else if ('put' in line) walk.put(line.put);
    else if ('gone' in line) walk.gone(line.gone);
    else if ('round' in line) walk.round(line.round.at, number);
  }
  const { from, to, rounds, taken } = takings;
  const before = taken.filter(({ how }) => how === 'before').map(({ node }) => node);
  return { from, to, rounds, taken: walk.shadowed, before };
}

/** A mark that shows where a node goes, as it was before it did. */
const isMark: ReadonlySet<unknown> = new Set(['DisruptionReason', 'InstanceTerminating']);

class Walk {
  settings: Settings | undefined;
  readonly shadowed: Shadowed[] = [];
  readonly #policy: Policy;
  readonly #begun: ReadonlyMap<number, readonly Taken[]>;
  readonly #ended: ReadonlyMap<number | undefined, readonly Taken[]>;
  #cluster = new ClusterStore();
  /** Nodes and claims as they were recorded, and those that went since the last round. */
  #raw = new Map<string, Json>();
  #justGone = new Map<string, Json>();
  /** What Karpenter has under way, as commands: so it counts in limits and turns, though only a taint shows it yet. */
  readonly #commands = new Map<string, Command>();
  #turns: readonly Turn[] = [];

  constructor({ taken }: Takings, policy: Policy) {
    this.#policy = policy;
    this.#begun = Map.groupBy(taken, ({ round }) => round);
    this.#ended = Map.groupBy(taken, ({ endRound }) => endRound);
  }

  keyframe(): void {
    this.#justGone = this.#raw;
    this.#raw = new Map();
    this.#cluster = new ClusterStore();
    for (const object of this.#policy.objects) put(this.#cluster, object);
  }

  put(recorded: Json): void {
    if (recorded.kind === 'Node' || recorded.kind === 'NodeClaim') this.#raw.set(keyOf(goneOf(recorded)), recorded);
    put(this.#cluster, this.#policy.over(recorded));
  }

  gone(which: Gone): void {
    const key = keyOf(which);
    const raw = this.#raw.get(key);
    if (raw) this.#justGone.set(key, raw);
    this.#raw.delete(key);
    if (!this.#policy.has(key)) remove(this.#cluster, which);
  }

  round(at: Instant, number: number): void {
    const begun = this.#begun.get(number) ?? [];
    const ended = this.#ended.get(number) ?? [];
    for (const { node } of ended) this.#commands.delete(node);
    // All of them stand as if untouched; then each is asked about after those before it.
    for (const taken of begun) this.#untouch(taken);
    for (const taken of begun) this.#ask(taken);
    for (const taken of begun) this.#restore(taken);
    for (const { node } of ended) this.#commands.delete(node);
    this.#justGone = new Map();
    if (this.#commands.size > 0 || this.#turns.length > 0) this.#turns = turnsAt(this.#scene(at));
  }

  #ask(taken: Taken): void {
    const { round: _, endRound: __, how, ...about } = taken;
    const command = commandOf(taken);
    if (how === 'before') {
      if (command) this.#commands.set(taken.node, command);
      return;
    }
    if (!command) {
      this.shadowed.push({ ...about, notAsked: how === 'unseen' ? unseen : deleted });
      return;
    }
    const opinion = askAbout(command, this.#scene(taken.at));
    this.#commands.set(taken.node, command);
    if (opinion) this.#turns = opinion.turns;
    this.shadowed.push({ ...about, ...(opinion ? { opinion } : { notAsked: notGoverned }) });
  }

  #scene(now: Instant): Parameters<typeof askAbout>[1] {
    const ledger = { ...emptyLedger, commands: [...this.#commands.values()], turns: this.#turns };
    return { cluster: this.#cluster, ledger, now, settings: this.settings as Settings };
  }

  #untouch({ how, ...taken }: Taken): void {
    if (how !== 'seen') return;
    for (const key of keysOf(taken)) {
      const raw = this.#raw.get(key) ?? this.#justGone.get(key);
      if (raw) put(this.#cluster, untouched(raw));
    }
  }

  #restore(taken: Taken): void {
    for (const key of keysOf(taken)) {
      const [raw, gone] = [this.#raw.get(key), this.#justGone.get(key)];
      if (raw) put(this.#cluster, raw);
      else if (gone) remove(this.#cluster, goneOf(gone));
    }
  }
}

const deleted = 'nothing says why: somebody deleted its claim, or its machine went';
const unseen = 'it went while nobody watched';
const notGoverned = 'its pool is not among those that Lull governs';

const keysOf = ({ node, claim }: Pick<Taken, 'node' | 'claim'>): readonly string[] => [
  `Node ${node}`,
  ...(claim === undefined ? [] : [`NodeClaim ${claim}`]),
];

function commandOf({ node, claim, pool, reason, at }: Taken): Command | undefined {
  if (!reason) return undefined;
  return {
    id: `karpenter-${node}`,
    reason,
    pool,
    hands: 'karpenter',
    nodes: [{ name: node, ...(claim !== undefined && { claim }) }],
    replacements: [],
    promisedTo: [],
    step: 'taken',
    startedAt: at,
    stepAt: at,
  };
}

/** A node or claim without what its taking wrote on it. */
function untouched(object: Json): Json {
  const [metadata, spec, status] = [mapOf(object.metadata), mapOf(object.spec), mapOf(object.status)];
  const { deletionTimestamp: _, ...rest } = metadata;
  const without = <Item>(list: unknown, isOurs: (item: Json) => boolean): Item[] | undefined =>
    Array.isArray(list) ? list.filter((item) => !isMap(item) || !isOurs(item)) : undefined;
  const taints = without(spec.taints, ({ key }) => key === taint.karpenterDisrupted);
  const conditions = without(status.conditions, ({ type }) => isMark.has(type));
  return {
    ...object,
    metadata: rest,
    spec: { ...spec, ...(taints && { taints }) },
    status: { ...status, ...(conditions && { conditions }) },
  };
}

const mapOf = (value: unknown): Json => (isMap(value) ? value : {});
