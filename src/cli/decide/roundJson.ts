// A round as JSON (L).
import type { Fault } from '../../cluster/fault.ts';
import type { Ledger } from '../../cluster/ledger.ts';
import type { Refusal } from '../../engine/refusal.ts';
import type { CommandReport, PodReport, Round, Verdict } from '../../engine/verdict.ts';
import { writeLedger } from '../../kinds/read/disruptionLedger.ts';
import { formatInstant } from '../../time/instant.ts';
import { timeAsJson } from '../formatTime.ts';

/** `before` is the ledger the round was decided from: only what the round would change is included. */
export function roundAsJson(round: Round, before: Ledger): Record<string, unknown> {
  return {
    at: formatInstant(round.at),
    wakeAt: timeAsJson(round.wakeAt),
    verdicts: round.verdicts.map((it) => verdict(it, round)),
    commands: round.commands.map(command),
    ended: round.ended,
    actions: round.actions,
    allowances: round.allowances.map((it) => ({ ...it, nextChange: timeAsJson(it.nextChange) })),
    rates: round.rates?.map((it) => ({ ...it, freeAt: timeAsJson(it.freeAt) })),
    domains: round.domains,
    windows: round.windows.map((it) => ({ ...it, nextChange: timeAsJson(it.nextChange) })),
    gates: round.gates?.map((it) => ({ ...it, since: timeAsJson(it.since), opensAt: timeAsJson(it.opensAt) })),
    pods: round.pods.map(pod),
    faults: round.faults.map(fault),
    slowClaims: round.slowClaims?.map((it) => ({ ...it, createdAt: formatInstant(it.createdAt) })),
    interruptions: round.interruptions?.map((it) => ({ ...it, at: formatInstant(it.at) })),
    ...(round.ledger !== before && { ledger: writeLedger(round.ledger) }),
  };
}

export const refusalAsJson = ({ help: _, ...it }: Refusal): unknown => ({ ...it, liftsAt: timeAsJson(it.liftsAt) });

function verdict(it: Verdict, { at }: Round): unknown {
  const { node, claim, pool, reason, outcome, detail, podsAgreeAt, possibleAt, neverMeet, waitsFor, refusals } = it;
  return {
    node,
    claim,
    pool: pool === '' ? undefined : pool,
    reason,
    outcome,
    detail,
    podsAgreeAt: timeAsJson(podsAgreeAt),
    possibleAt: possibleAt === 'never' ? possibleAt : timeAsJson(possibleAt === 'now' ? at : possibleAt),
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
    deadline: timeAsJson(deadline),
    waitingFor: waitingFor?.map(refusalAsJson),
    why,
  };
}

const pod = ({ movableAt, refusals, ...rest }: PodReport): unknown => ({
  ...rest,
  movableAt: timeAsJson(movableAt),
  refusals: refusals.map(refusalAsJson),
});

const fault = ({ object, path, value, message, severity, position }: Fault): unknown =>
  Object.assign({ object, path, value, message, severity }, position);
