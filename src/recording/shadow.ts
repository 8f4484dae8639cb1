// Compares what Karpenter did in a recording with a policy: evaluates the policy for each node at the time of its disruption.
import { type Command, emptyLedger } from '../cluster/ledger.ts';
import { taint } from '../cluster/names.ts';
import { defaultSettings } from '../cluster/settings.ts';
import { isMap, type Json, mapIn } from '../kinds/read/reader.ts';
import type { Instant } from '../time/instant.ts';
import { type KarpenterDisruption, type KarpenterDisruptions, readDisruptions } from './karpenterDisruptions.ts';
import {
  type GoneObject,
  goneOf,
  type Header,
  keyOf,
  type LineReader,
  type RoundLine,
  readInto,
} from './recordingLine.ts';
import { evaluateNode, type Opinion, paceAt, type ShadowPace } from './shadowVerdict.ts';
import type { PolicyOverride } from './whatIf.ts';
import { PolicyCluster, WhatIfPolicy } from './whatIfPolicy.ts';

/** A disrupted node with the policy's opinion; without one if the policy could not be evaluated. */
export interface ShadowedNode extends Omit<KarpenterDisruption, 'round' | 'endRound' | 'how'> {
  readonly opinion?: Opinion;
  /** Why the policy could not be evaluated. */
  readonly notAsked?: string;
}

export interface Shadow {
  readonly from: Instant;
  readonly to: Instant;
  readonly rounds: number;
  readonly taken: readonly ShadowedNode[];
  /** Already in progress when the recording started: counted as in flight, but not evaluated. */
  readonly before: readonly string[];
}

export function shadowRecording(text: string, { objects, settings }: PolicyOverride): Shadow {
  const takings = readDisruptions(text);
  const walk = new ShadowReader(takings, new WhatIfPolicy(objects), settings);
  readInto(walk, text);
  const { from, to, rounds, taken } = takings;
  const before = taken.filter(({ how }) => how === 'before').map(({ node }) => node);
  return { from, to, rounds, taken: walk.shadowed, before };
}

/** Conditions that a disruption sets; they are removed to restore the state before it. */
const isMark: ReadonlySet<unknown> = new Set(['DisruptionReason', 'InstanceTerminating']);

class ShadowReader implements LineReader {
  readonly shadowed: ShadowedNode[] = [];
  readonly #world: PolicyCluster;
  readonly #settingsOf: PolicyOverride['settings'];
  #settings = defaultSettings;
  readonly #begun: ReadonlyMap<number, readonly KarpenterDisruption[]>;
  readonly #ended: ReadonlyMap<number | undefined, readonly KarpenterDisruption[]>;
  /** Nodes and claims as recorded, and those deleted since the last round. */
  #raw = new Map<string, Json>();
  #justGone = new Map<string, Json>();
  /** Karpenter's disruptions as commands, so that they count in limits and turns from their taint on. */
  readonly #commands = new Map<string, Command>();
  #pace: ShadowPace = { turns: [] };

  constructor({ taken }: KarpenterDisruptions, policy: WhatIfPolicy, settingsOf: PolicyOverride['settings']) {
    this.#world = new PolicyCluster(policy);
    this.#settingsOf = settingsOf;
    this.#begun = Map.groupBy(taken, ({ round }) => round);
    this.#ended = Map.groupBy(taken, ({ endRound }) => endRound);
  }

  header({ settings }: Header): void {
    this.#settings = this.#settingsOf(settings);
  }

  keyframe(): void {
    this.#justGone = this.#raw;
    this.#raw = new Map();
    this.#world.keyframe();
  }

  put(recorded: Json): void {
    if (recorded.kind === 'Node' || recorded.kind === 'NodeClaim') this.#raw.set(keyOf(goneOf(recorded)), recorded);
    this.#world.put(recorded);
  }

  gone(which: GoneObject): void {
    const key = keyOf(which);
    const raw = this.#raw.get(key);
    if (raw) this.#justGone.set(key, raw);
    this.#raw.delete(key);
    this.#world.gone(which);
  }

  round({ at }: RoundLine, number: number): void {
    const begun = this.#begun.get(number) ?? [];
    const ended = this.#ended.get(number) ?? [];
    for (const { node } of ended) this.#commands.delete(node);
    // Restore all disrupted nodes first, then evaluate them one after another.
    for (const taken of begun) this.#untouch(taken);
    for (const taken of begun) this.#ask(taken);
    for (const taken of begun) this.#restore(taken);
    for (const { node } of ended) this.#commands.delete(node);
    this.#justGone = new Map();
    const { turns, rolls = [] } = this.#pace;
    if (this.#commands.size > 0 || turns.length > 0 || rolls.length > 0) this.#pace = paceAt(this.#scene(at));
  }

  #ask(taken: KarpenterDisruption): void {
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
    const opinion = evaluateNode(command, this.#scene(taken.at));
    this.#commands.set(taken.node, command);
    if (opinion) this.#pace = opinion.pace;
    this.shadowed.push({ ...about, ...(opinion ? { opinion } : { notAsked: notGoverned }) });
  }

  #scene(now: Instant): Parameters<typeof evaluateNode>[1] {
    const ledger = { ...emptyLedger, commands: [...this.#commands.values()], ...this.#pace };
    return { cluster: this.#world.cluster, ledger, now, settings: this.#settings };
  }

  #untouch({ how, ...taken }: KarpenterDisruption): void {
    if (how !== 'seen') return;
    for (const key of keysOf(taken)) {
      const raw = this.#raw.get(key) ?? this.#justGone.get(key);
      if (raw) this.#world.put(untouched(raw));
    }
  }

  #restore(taken: KarpenterDisruption): void {
    for (const key of keysOf(taken)) {
      const [raw, gone] = [this.#raw.get(key), this.#justGone.get(key)];
      if (raw) this.#world.put(raw);
      else if (gone) this.#world.gone(goneOf(gone));
    }
  }
}

const deleted = 'the reason is unknown: its NodeClaim was deleted, or its instance disappeared';
const unseen = 'it disappeared while the recording was interrupted';
const notGoverned = 'Lull does not govern its pool';

const keysOf = ({ node, claim }: Pick<KarpenterDisruption, 'node' | 'claim'>): readonly string[] => [
  `Node ${node}`,
  ...(claim === undefined ? [] : [`NodeClaim ${claim}`]),
];

function commandOf({ node, claim, pool, reason, at }: KarpenterDisruption): Command | undefined {
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

/** A node or claim without the marks of its disruption. */
function untouched(object: Json): Json {
  const [metadata, spec, status] = [mapIn(object.metadata), mapIn(object.spec), mapIn(object.status)];
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
