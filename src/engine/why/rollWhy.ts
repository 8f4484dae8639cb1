// The turn and the wave of a pool that is being rolled, as `lull why` shows them (C11, P3).
import type { Roll, Turn } from '../../cluster/ledger.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { RollRule } from '../../cluster/pool.ts';
import { labelOf } from '../../cluster/selector.ts';
import type { Instant } from '../../time/instant.ts';
import { waveEnd } from '../limits/rolls.ts';
import type { Verdict } from '../verdict.ts';

export interface TurnWhy {
  readonly topologyKey: string;
  readonly domain?: string;
  readonly takenAt: Instant;
  readonly progressAt: Instant;
  /** Nodes started by an earlier round or another actor. */
  readonly inFlight: readonly string[];
  /** Nodes chosen in this round; absent = none. */
  readonly chosen?: readonly string[];
  /** Set if the domain is done but not healthy yet, or not for long enough (C13). */
  readonly settling?: string;
  readonly passAsked?: Instant;
  /** Domains that lost the turn with drifted nodes left (C12). */
  readonly leftBehind: readonly { readonly domain?: string; readonly nodes: readonly string[] }[];
}

export interface RollWhy {
  readonly startedAt: Instant;
  /** From 1. */
  readonly wave: number;
  readonly waves: number;
  /** How many nodes are replaced up to the end of the wave; absent = the rest, after the last wave. */
  readonly end?: number;
  /** The pool's nodes when the roll began. */
  readonly counted: number;
  readonly done: number;
  /** Nodes started by an earlier round or another actor. */
  readonly inFlight: readonly string[];
  /** Nodes chosen in this round; absent = none. */
  readonly chosen?: readonly string[];
  /** Set if the wave is replaced but not healthy yet, or not for long enough. */
  readonly settling?: string;
  readonly passAsked?: Instant;
  /** Since when the roll is halted (P5). */
  readonly haltedAt?: Instant;
}

export function explainRoll(roll: Roll, budget: RollRule, verdicts: readonly Verdict[]): RollWhy {
  const { startedAt, wave, counted, done, inFlight, passAsked, haltedAt } = roll;
  const end = waveEnd(budget, roll);
  const [chosen, begun] = splitChosen(inFlight, verdicts);
  const settling = verdicts.flatMap(({ refusals }) => refusals).find(({ code }) => code === 'WaveSettling');
  return {
    startedAt,
    ...(haltedAt !== undefined && { haltedAt }),
    wave: wave + 1,
    waves: budget.waves.length,
    ...(end !== Infinity && { end }),
    counted,
    done,
    inFlight: begun,
    ...(chosen.length > 0 && { chosen }),
    ...(settling && { settling: settling.message }),
    ...(passAsked !== undefined && { passAsked }),
  };
}

/** The nodes that this round chooses, and those in flight before it. */
function splitChosen(nodes: readonly string[], verdicts: readonly Verdict[]): readonly [string[], string[]] {
  const going = new Set(verdicts.filter(({ outcome }) => outcome === 'go').map(({ node }) => node));
  return [nodes.filter((node) => going.has(node)), nodes.filter((node) => !going.has(node))];
}

export function explainTurn(turn: Turn, verdicts: readonly Verdict[], views: readonly NodeView[]): TurnWhy {
  const { topologyKey, domain, takenAt, progressAt, inFlight, passAsked, passedOver } = turn;
  const [chosen, begun] = splitChosen(inFlight, verdicts);
  const settling = verdicts.flatMap(({ refusals }) => refusals).find(({ code }) => code === 'DomainSettling');
  return {
    topologyKey,
    ...(domain !== undefined && { domain }),
    takenAt,
    progressAt,
    inFlight: begun,
    ...(chosen.length > 0 && { chosen }),
    ...(settling && { settling: settling.message }),
    ...(passAsked !== undefined && { passAsked }),
    leftBehind: passedOver.map((name) => leftIn(name ?? undefined, turn, { verdicts, views })),
  };
}

function leftIn(
  domain: string | undefined,
  { topologyKey }: Turn,
  { verdicts, views }: { verdicts: readonly Verdict[]; views: readonly NodeView[] },
): TurnWhy['leftBehind'][number] {
  const drifted = new Set(verdicts.filter(({ reason }) => reason === 'Drifted').map(({ node }) => node));
  const nodes = views
    .filter(({ node }) => drifted.has(node.name) && labelOf(node.labels, topologyKey) === domain)
    .map(({ node }) => node.name);
  return { ...(domain !== undefined && { domain }), nodes };
}
