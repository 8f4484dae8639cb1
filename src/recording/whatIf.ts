// What would another policy have done? The recorded cluster, decided again and again under it; and which nodes would have gone earlier, later, or not.
import { emptyLedger, type Ledger, type Turn } from '../cluster/ledger.ts';
import type { Settings } from '../cluster/settings.ts';
import { InlineSearcher } from '../engine/pacedSearch.ts';
import { reportRound } from '../engine/report/report.ts';
import { decide } from '../engine/round.ts';
import type { Facts } from '../engine/situation.ts';
import type { Round, Verdict } from '../engine/verdict.ts';
import { type Until, untilWhen } from '../engine/why/untilWhen.ts';
import type { Json } from '../kinds/reader.ts';
import { earliest, type Instant } from '../time/instant.ts';
import { type History, isSameMoment, lastTaking, readHistory, type Taking } from './history.ts';
import { InStep } from './inStep.ts';
import { type Gone, readLines } from './line.ts';
import { Policy } from './policy.ts';
import { ledgerOf, settingsOf as recordedSettings } from './replay.ts';
import { WhatIfWorld } from './whatIfWorld.ts';

/** When and why a node was chosen. */
export interface Choice {
  readonly at: Instant;
  readonly reason: string;
}

export interface Difference {
  readonly node: string;
  readonly pool: string;
  readonly change: 'earlier' | 'later' | 'not' | 'new';
  readonly recorded?: Choice;
  readonly instead?: Choice;
  /** What the other policy said when the recorded one chose it: why it goes later, or not. */
  readonly heldBy?: { readonly code: string; readonly message: string; readonly until: Until };
}

export interface WhatIf {
  readonly from: Instant;
  readonly to: Instant;
  readonly rounds: number;
  /** How many nodes go when they did, or within a minute of it. */
  readonly same: number;
  readonly differences: readonly Difference[];
}

export interface Otherwise {
  readonly objects: readonly Json[];
  /** Those of the recording, with whatever is to be other. */
  readonly settings: (recorded: Json) => Settings;
}

export function askWhatIf(text: string, { objects, settings: settingsOf }: Otherwise): WhatIf {
  const history = readHistory(text);
  const policy = new Policy(objects);
  const run = new Run(history, new WhatIfWorld(history, policy));
  for (const { number, line } of readLines(text)) {
    if ('header' in line) {
      run.settings = settingsOf(line.header.settings);
      run.inStep = new InStep(policy, recordedSettings(line.header.settings, number), run.settings);
    } else if ('keyframe' in line) run.keyframe();
    else if ('put' in line) run.put(line.put);
    else if ('gone' in line) run.gone(line.gone);
    else if ('round' in line) {
      if (line.round.ledger) run.note(ledgerOf(line.round.ledger, number));
      if (line.round.proposals) run.inStep?.hint(line.round.proposals);
      if (line.round.instanceTypes) run.price(line.round.instanceTypes);
      run.round(line.round.at);
    }
  }
  return run.outcome();
}

/** A gap between two recorded rounds in which time alone could bring more than this is not looked into any further. */
const mostBetween = 10_000;

class Run {
  settings: Settings | undefined;
  /** Gone once the other policy does something else: from then on its cluster is another one too. */
  inStep: InStep | undefined;
  readonly #history: History;
  readonly #world: WhatIfWorld;
  #types: Facts['instanceTypes'];
  readonly #chosen = new Map<string, Choice & { readonly pool: string }>();
  readonly #heldBy = new Map<string, NonNullable<Difference['heldBy']>>();
  /** What the recording takes, in order, and how much of it has come by now. */
  readonly #takings: readonly Taking[];
  #taken = 0;
  /** By instant: the nodes that the recording takes then. */
  readonly #takenAt: ReadonlyMap<Instant, readonly Taking[]>;
  /** The turns of the recording, as they were last. */
  readonly #turns = new Map<string, Turn>();
  /** That launches fail is no matter of policy. */
  #backoffs: Ledger['backoffs'] = [];
  #ledger: Ledger | undefined;
  /** The other policy may let other groups go than those that were searched for then. */
  readonly #searcher = new InlineSearcher();
  #rounds = 0;

  constructor(history: History, world: WhatIfWorld) {
    this.#history = history;
    this.#world = world;
    this.#takings = [...history.takings.values()].flat().sort((a, b) => a.at - b.at);
    this.#takenAt = Map.groupBy(this.#takings, ({ at }) => at);
  }

  keyframe(): void {
    this.#world.keyframe();
    this.inStep?.keyframe();
  }

  put(object: Json): void {
    this.#world.put(object);
    this.inStep?.put(object);
  }

  gone(which: Gone): void {
    this.#world.gone(which);
    this.inStep?.gone(which);
  }

  /** Whose turn it was when the recording began; from then on the other policy has its own turns. */
  note(recorded: Ledger): void {
    this.inStep?.note(recorded);
    this.#ledger ??= this.#without(recorded);
    for (const turn of recorded.turns) this.#turns.set(nameOfTurn(turn), turn);
    this.#backoffs = recorded.backoffs;
  }

  /** At a recorded round, and after it wherever time alone changes something before the next one, or before the end. */
  round(at: Instant): void {
    const next = this.#history.rounds[++this.#rounds] ?? this.#history.to;
    let wakeAt = this.#decide(at, true);
    for (let extra = 0; extra < mostBetween; extra++) {
      const now = earliest(wakeAt, this.#world.nextGone);
      if (now === undefined || now >= next) return;
      wakeAt = this.#decide(now, false);
    }
  }

  #decide(at: Instant, isRecorded: boolean): Instant | undefined {
    if (!this.settings) return undefined;
    this.#world.advance(at);
    const round = this.#roundInStep(at, isRecorded) ?? this.#roundOfItsOwn(at, this.settings);
    for (const { node } of this.#takenAt.get(at) ?? []) this.#noteHeld(node, round.verdicts);
    for (const { reason, pool, nodes, promisedTo, startedAt } of round.commands) {
      if (startedAt !== at) continue;
      for (const { name } of nodes) {
        if (this.#chosen.has(name)) continue;
        this.#chosen.set(name, { at, reason, pool });
        this.#world.take(name, promisedTo);
      }
    }
    if (this.inStep) this.#followOthers(at);
    for (const released of this.#world.release()) this.#chosen.delete(released);
    this.#ledger = this.#without(round.ledger);
    return round.wakeAt;
  }

  /** Where two controllers ran, the recorded one saw nodes go that the other had chosen. */
  #followOthers(at: Instant): void {
    for (; this.#taken < this.#takings.length; this.#taken++) {
      const { node, pool, reason, at: since } = this.#takings[this.#taken] as Taking;
      if (since > at) return;
      if (since < this.#history.from || this.#chosen.has(node)) continue;
      this.#chosen.set(node, { at: since, reason, pool });
      this.#world.take(node, []);
    }
  }

  price(types: Facts['instanceTypes']): void {
    this.#types = types;
    this.inStep?.price(types);
  }

  #roundInStep(at: Instant, isRecorded: boolean): Round | undefined {
    const decided = this.inStep?.decide(at, isRecorded);
    if (!decided?.isSame) this.inStep = undefined;
    return decided?.round;
  }

  #roundOfItsOwn(at: Instant, settings: Settings): Round {
    const types = this.#types && { instanceTypes: this.#types };
    const facts = { cluster: this.#world.cluster, ledger: this.#ledger ?? emptyLedger, ...types };
    const { proposals } = this.#searcher;
    const decided = decide({ ...facts, proposals }, at, settings);
    if (decided.search) this.#searcher.submit(decided.search, at);
    const found = this.#searcher.proposals;
    return reportRound(found === proposals ? decided : decide({ ...facts, proposals: found }, at, settings));
  }

  #noteHeld(node: string, verdicts: readonly Verdict[]): void {
    const reason = lastTaking(this.#history, node)?.reason;
    const mine = verdicts.filter((it) => it.node === node && it.outcome === 'held');
    const verdict = mine.find((it) => it.reason === reason) ?? mine[0];
    const [refusal] = verdict?.refusals ?? [];
    if (verdict && refusal)
      this.#heldBy.set(node, { code: refusal.code, message: refusal.message, until: untilWhen(verdict) });
  }

  /** Nodes on their way out show in the facts. What is waited for after them is what the recording waited for in that domain. */
  #without({ turns }: Ledger): Ledger {
    const { cluster } = this.#world;
    const seen = turns.map((turn) => {
      const { replacements = [], expected = [] } = this.#turns.get(nameOfTurn(turn)) ?? {};
      return { ...turn, expected, replacements: replacements.filter((name) => cluster.claim(name)) };
    });
    return { ...emptyLedger, turns: seen, backoffs: this.#backoffs };
  }

  outcome(): WhatIf {
    const { from, to, takings, rounds } = this.#history;
    // What was under way before the recording began is no question of policy any more.
    const recorded = [...takings.keys()].filter((node) => (lastTaking(this.#history, node)?.at ?? 0) >= from);
    const names = [...new Set([...recorded, ...this.#chosen.keys()])].sort();
    const differences = names.flatMap((node) => this.#compare(node) ?? []);
    return { from, to, rounds: rounds.length, same: names.length - differences.length, differences };
  }

  #compare(node: string): Difference | undefined {
    const [was, is] = [lastTaking(this.#history, node), this.#chosen.get(node)];
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
