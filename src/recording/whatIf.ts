// What-if: decides a recorded cluster again with another policy, and reports which nodes go earlier, later, or not at all.
import { defined } from '../cluster/defined.ts';
import { emptyLedger, type Ledger, type Turn } from '../cluster/ledger.ts';
import { defaultSettings, type Settings } from '../cluster/settings.ts';
import { searchRequest } from '../engine/consolidation/searchTask.ts';
import { reportRound } from '../engine/report/report.ts';
import { decide, decideRound } from '../engine/round.ts';
import { InlineSearcher } from '../engine/search.ts';
import type { Facts } from '../engine/situation.ts';
import type { Round, Verdict } from '../engine/verdict.ts';
import { type Until, untilWhen } from '../engine/why/wishWhy.ts';
import type { Json } from '../kinds/read/reader.ts';
import { earliest, type Instant } from '../time/instant.ts';
import { type History, isSameMoment, lastDisruption, type NodeDisruption, readHistory } from './history.ts';
import { type GoneObject, type Header, type LineReader, type RoundLine, readInto } from './recordingLine.ts';
import { ledgerOf, settingsOf as recordedSettings } from './replay.ts';
import { PolicyCluster, WhatIfPolicy } from './whatIfPolicy.ts';
import { WhatIfWorld } from './whatIfWorld.ts';

/** When and why a node was chosen. */
interface NodeChoice {
  readonly at: Instant;
  readonly reason: string;
}

export interface NodeDifference {
  readonly node: string;
  readonly pool: string;
  readonly change: 'earlier' | 'later' | 'not' | 'new';
  readonly recorded?: NodeChoice;
  readonly instead?: NodeChoice;
  /** The other policy's refusals when the recorded policy chose the node. */
  readonly heldBy?: { readonly code: string; readonly message: string; readonly until: Until };
}

export interface WhatIf {
  readonly from: Instant;
  readonly to: Instant;
  readonly rounds: number;
  /** The number of nodes that go at the same time, within a minute. */
  readonly same: number;
  readonly differences: readonly NodeDifference[];
}

export interface PolicyOverride {
  readonly objects: readonly Json[];
  /** Changes the recorded settings. */
  readonly settings: (recorded: Json) => Settings;
}

export function askWhatIf(text: string, { objects, settings }: PolicyOverride): WhatIf {
  const history = readHistory(text);
  const run = new WhatIfRun(history, new WhatIfPolicy(objects), settings);
  readInto(run, text);
  return run.outcome();
}

/** The most additional rounds between two recorded ones. */
const mostBetween = 10_000;

class WhatIfRun implements LineReader {
  readonly #history: History;
  readonly #policy: WhatIfPolicy;
  readonly #settingsOf: PolicyOverride['settings'];
  #settings = defaultSettings;
  readonly #world: WhatIfWorld;
  /** Absent once the other policy decides differently: from then on the clusters differ too. */
  #inStep: LockstepRun | undefined;
  #types: Facts['instanceTypes'];
  readonly #chosen = new Map<string, NodeChoice & { readonly pool: string }>();
  readonly #heldBy = new Map<string, NonNullable<NodeDifference['heldBy']>>();
  /** The recorded disruptions in order, and the number of those processed. */
  readonly #takings: readonly NodeDisruption[];
  #taken = 0;
  /** The nodes disrupted in the recording, by instant. */
  readonly #takenAt: ReadonlyMap<Instant, readonly NodeDisruption[]>;
  /** The latest turns of the recording. */
  readonly #turns = new Map<string, Turn>();
  /** Failed launches do not depend on the policy. */
  #backoffs: Ledger['backoffs'] = [];
  #ledger: Ledger | undefined;
  /** The other policy may allow other groups than those the recorded searches found. */
  readonly #searcher = new InlineSearcher();
  #rounds = 0;

  constructor(history: History, policy: WhatIfPolicy, settingsOf: PolicyOverride['settings']) {
    this.#history = history;
    this.#policy = policy;
    this.#settingsOf = settingsOf;
    this.#world = new WhatIfWorld(history, policy);
    this.#takings = [...history.takings.values()].flat().sort((a, b) => a.at - b.at);
    this.#takenAt = Map.groupBy(this.#takings, ({ at }) => at);
  }

  header({ settings }: Header, number: number): void {
    this.#settings = this.#settingsOf(settings);
    this.#inStep = new LockstepRun(this.#policy, recordedSettings(settings, number), this.#settings);
  }

  keyframe(): void {
    this.#world.keyframe();
    this.#inStep?.keyframe();
  }

  put(object: Json): void {
    this.#world.put(object);
    this.#inStep?.put(object);
  }

  gone(which: GoneObject): void {
    this.#world.gone(which);
    this.#inStep?.gone(which);
  }

  /** Decides at the recorded round, and again wherever time alone changes something before the next round or the end. */
  round(line: RoundLine, number: number): void {
    if (line.ledger) this.#note(ledgerOf(line.ledger, number));
    this.#inStep?.note(line);
    this.#types = line.instanceTypes ?? this.#types;
    const next = this.#history.rounds[++this.#rounds] ?? this.#history.to;
    let wakeAt = this.#decide(line.at, true);
    for (let extra = 0; extra < mostBetween; extra++) {
      const now = earliest(wakeAt, this.#world.nextGone);
      if (now === undefined || now >= next) return;
      wakeAt = this.#decide(now, false);
    }
  }

  /** Takes the turns from the start of the recording; from then on the other policy has its own. */
  #note(recorded: Ledger): void {
    this.#inStep?.remember(recorded);
    this.#ledger ??= this.#without(recorded);
    for (const turn of recorded.turns) this.#turns.set(nameOfTurn(turn), turn);
    this.#backoffs = recorded.backoffs;
  }

  #decide(at: Instant, isRecorded: boolean): Instant | undefined {
    this.#world.advance(at);
    const round = this.#roundInStep(at, isRecorded) ?? this.#roundOfItsOwn(at);
    for (const { node } of this.#takenAt.get(at) ?? []) this.#noteHeld(node, round.verdicts);
    for (const { reason, pool, nodes, promisedTo, startedAt } of round.commands) {
      if (startedAt !== at) continue;
      for (const { name } of nodes) {
        if (this.#chosen.has(name)) continue;
        this.#chosen.set(name, { at, reason, pool });
        this.#world.take(name, promisedTo);
      }
    }
    if (this.#inStep) this.#followOthers(at);
    for (const released of this.#world.release()) this.#chosen.delete(released);
    this.#ledger = this.#without(round.ledger);
    return round.wakeAt;
  }

  /** If two controllers ran, the recorded one also saw nodes that the other had chosen. */
  #followOthers(at: Instant): void {
    for (const { node, pool, reason, at: since } of this.#takings.slice(this.#taken)) {
      if (since > at) return;
      this.#taken++;
      if (since < this.#history.from || this.#chosen.has(node)) continue;
      this.#chosen.set(node, { at: since, reason, pool });
      this.#world.take(node, []);
    }
  }

  #roundInStep(at: Instant, isRecorded: boolean): Round | undefined {
    const decided = this.#inStep?.decide(at, isRecorded);
    if (!decided?.isSame) this.#inStep = undefined;
    return decided?.round;
  }

  #roundOfItsOwn(at: Instant): Round {
    const settings = this.#settings;
    const types = this.#types && { instanceTypes: this.#types };
    const facts = { cluster: this.#world.cluster, ledger: this.#ledger ?? emptyLedger, ...types };
    const { proposals } = this.#searcher;
    const decided = decide({ ...facts, proposals }, at, settings);
    const request = searchRequest(decided);
    if (request) this.#searcher.submit(request, at);
    const found = this.#searcher.proposals;
    return reportRound(found === proposals ? decided : decide({ ...facts, proposals: found }, at, settings));
  }

  #noteHeld(node: string, verdicts: readonly Verdict[]): void {
    const reason = lastDisruption(this.#history, node)?.reason;
    const mine = verdicts.filter((it) => it.node === node && it.outcome === 'held');
    const verdict = mine.find((it) => it.reason === reason) ?? mine[0];
    const [refusal] = verdict?.refusals ?? [];
    if (verdict && refusal)
      this.#heldBy.set(node, { code: refusal.code, message: refusal.message, until: untilWhen(verdict) });
  }

  /** Nodes being disrupted are in the facts; the expected pods are those the recording expected in that domain. */
  #without({ turns, rolls }: Ledger): Ledger {
    const { cluster } = this.#world;
    const seen = turns.map((turn) => {
      const { replacements = [], expected = [] } = this.#turns.get(nameOfTurn(turn)) ?? {};
      return { ...turn, expected, replacements: replacements.filter((name) => cluster.claim(name)) };
    });
    const waves = rolls?.map((roll) => ({ ...roll, replacements: [], expected: [] }));
    return { ...emptyLedger, turns: seen, backoffs: this.#backoffs, ...defined({ rolls: waves }) };
  }

  outcome(): WhatIf {
    const { from, to, takings, rounds } = this.#history;
    // Disruptions that started before the recording do not depend on the policy.
    const recorded = [...takings.keys()].filter((node) => (lastDisruption(this.#history, node)?.at ?? 0) >= from);
    const names = [...new Set([...recorded, ...this.#chosen.keys()])].sort();
    const differences = names.flatMap((node) => this.#compare(node) ?? []);
    return { from, to, rounds: rounds.length, same: names.length - differences.length, differences };
  }

  #compare(node: string): NodeDifference | undefined {
    const [was, is] = [lastDisruption(this.#history, node), this.#chosen.get(node)];
    if (was && is && isSameMoment(was.at, is.at)) return undefined;
    const heldBy = this.#heldBy.get(node);
    return {
      node,
      pool: was?.pool ?? is?.pool ?? '',
      change: !is ? 'not' : !was ? 'new' : is.at < was.at ? 'earlier' : 'later',
      ...(was && { recorded: { at: was.at, reason: was.reason } }),
      ...(is && { instead: { at: is.at, reason: is.reason } }),
      ...(heldBy && (!is || (was && is.at > was.at)) && { heldBy }),
    };
  }
}

const nameOfTurn = ({ pool, topologyKey, domain }: Turn): string => JSON.stringify([pool, topologyKey, domain]);

/** Runs both policies while they decide the same: until they differ, the recorded facts apply unchanged. */
class LockstepRun {
  readonly #recorded: PolicyCluster;
  readonly #other: PolicyCluster;
  readonly #settings: { readonly recorded: Settings; readonly other: Settings };
  #facts: Omit<Facts, 'cluster'> = { ledger: emptyLedger };

  constructor(policy: WhatIfPolicy, recorded: Settings, other: Settings) {
    this.#recorded = new PolicyCluster(new WhatIfPolicy([]));
    this.#other = new PolicyCluster(policy);
    this.#settings = { recorded, other };
  }

  keyframe(): void {
    this.#recorded.keyframe();
    this.#other.keyframe();
  }

  put(object: Json): void {
    this.#recorded.put(object);
    this.#other.put(object);
  }

  gone(which: GoneObject): void {
    this.#recorded.gone(which);
    this.#other.gone(which);
  }

  remember(ledger: Ledger): void {
    this.#facts = { ...this.#facts, ledger };
  }

  /** The recorded search results and instance types, which the other policy gets too. */
  note({ proposals, instanceTypes }: RoundLine): void {
    this.#facts = { ...this.#facts, ...defined({ proposals, instanceTypes }) };
  }

  /** The other policy's round, and whether both start the same commands. Between recorded rounds the recorded policy starts nothing. */
  decide(at: Instant, isRecorded: boolean): { readonly round: Round; readonly isSame: boolean } {
    const facts = this.#facts;
    const round = decideRound({ ...facts, cluster: this.#other.cluster }, at, this.#settings.other);
    const recorded = (): Round =>
      decideRound({ ...facts, cluster: this.#recorded.cluster }, at, this.#settings.recorded);
    return { round, isSame: startsOf(round) === (isRecorded ? startsOf(recorded()) : '') };
  }
}

const startsOf = ({ commands, at }: Round): string =>
  commands
    .filter(({ startedAt }) => startedAt === at)
    .map(({ id }) => id)
    .join(' ');
