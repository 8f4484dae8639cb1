// How does a round read to a machine? Exactly L2: fields may be added, never renamed; absent means absent.
import type { Fault } from '../cluster/fault.ts';
import type { Ledger } from '../cluster/ledger.ts';
import type { Refusal } from '../engine/refusal.ts';
import type { CommandReport, PodReport, Round, Verdict } from '../engine/verdict.ts';
import { writeLedger } from '../kinds/disruptionLedger.ts';
import { formatInstant, type Instant } from '../time/instant.ts';

/** `before` is the ledger the round was decided from: what it would change is told, what it keeps is not. */
export function roundAsJson(round: Round, before: Ledger): Record<string, unknown> {
  return {
    at: formatInstant(round.at),
    wakeAt: instant(round.wakeAt),
    verdicts: round.verdicts.map((it) => verdict(it, round)),
    commands: round.commands.map(command),
    ended: round.ended,
    actions: round.actions,
    allowances: round.allowances.map((it) => ({ ...it, nextChange: instant(it.nextChange) })),
    domains: round.domains,
    windows: round.windows.map((it) => ({ ...it, nextChange: instant(it.nextChange) })),
    pods: round.pods.map(pod),
    faults: round.faults.map(fault),
    slowClaims: round.slowClaims?.map((it) => ({ ...it, createdAt: formatInstant(it.createdAt) })),
    ...(round.ledger !== before && { ledger: writeLedger(round.ledger) }),
  };
}

/** Fields that are undefined are left out by both writers. */
const instant = (at: Instant | undefined): string | undefined => (at === undefined ? undefined : formatInstant(at));

export const refusalAsJson = ({ help: _, ...it }: Refusal): unknown => ({ ...it, liftsAt: instant(it.liftsAt) });

function verdict(it: Verdict, { at }: Round): unknown {
  const { node, claim, pool, reason, outcome, detail, podsAgreeAt, possibleAt, neverMeet, waitsFor, refusals } = it;
  return {
    node,
    claim,
    pool: pool === '' ? undefined : pool,
    reason,
    outcome,
    detail,
    podsAgreeAt: instant(podsAgreeAt),
    possibleAt: possibleAt === 'never' ? possibleAt : instant(possibleAt === 'now' ? at : possibleAt),
    neverMeet,
    waitsFor,
    refusals: refusals.map(refusalAsJson),
  };
}

function command(it: CommandReport): unknown {
  const { id, reason, hands, nodes, replacements, step, pool, startedAt, stepAt, deadline, waitingFor, why } = it;
  const { savings, podsMoved, trial } = it;
  return {
    id,
    reason,
    hands,
    nodes: nodes.map(({ name }) => name),
    replacements,
    step,
    pool,
    startedAt: formatInstant(startedAt),
    stepAt: formatInstant(stepAt),
    savings,
    podsMoved,
    trial,
    deadline: instant(deadline),
    waitingFor: waitingFor?.map(refusalAsJson),
    why,
  };
}

const pod = ({ movableAt, refusals, ...rest }: PodReport): unknown => ({
  ...rest,
  movableAt: instant(movableAt),
  refusals: refusals.map(refusalAsJson),
});

const fault = ({ object, path, value, message, severity, position }: Fault): unknown => ({
  object,
  path,
  value,
  message,
  severity,
  ...position,
});
