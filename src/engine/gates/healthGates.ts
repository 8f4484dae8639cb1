// The gate of HealthGates: holds nodes while a check fails, or while its result is unknown (O4, O5).
import { type GateState, gateStateAt } from '../../cluster/gateState.ts';
import type { HealthGate } from '../../cluster/healthGateRecord.ts';
import { memoUntil } from '../../cluster/memo.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Reason } from '../../cluster/reason.ts';
import { formatInstant, type Instant } from '../../time/instant.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import type { Gate } from './gate.ts';

export const healthGates: Gate = ({ view, reason }, { now }) => gateRefusals(view, reason, now);

/** The refusals of all gates over a node. */
export function gateRefusals({ gates }: NodeView, reason: Reason, now: Instant): readonly Refusal[] {
  let refusals = none;
  for (const { gate } of gates) {
    const refusal = gate.reasons.has(reason) ? refusalOf(gate, now) : undefined;
    if (refusal) refusals = [...refusals, refusal];
  }
  return refusals;
}

/** One refusal for all nodes under the gate. */
const refusalOf = memoUntil((gate: HealthGate, now) => {
  const state = gateStateAt(gate, now);
  return { value: state.holds ? describe(gate, state) : undefined, until: state.changesAt };
});

function describe(gate: HealthGate, { state, message, since, opensAt }: GateState): Refusal {
  const { name, note, fault } = gate;
  const owner = { kind: 'HealthGate', name };
  const from = since === undefined ? '' : ` since ${formatInstant(since)}`;
  const end = note === undefined ? '' : ` (${note})`;
  if (fault)
    return refuse('HealthGateUnknown', `HealthGate ${name} cannot be read, so it holds: ${message}${end}`, { owner });
  if (state === 'unknown')
    return refuse('HealthGateUnknown', `The state of HealthGate ${name} is unknown${from}: ${message}${end}`, {
      owner,
    });
  if (state !== 'recovering')
    return refuse('HealthGateClosed', `HealthGate ${name} is closed${from}: ${message}${end}`, { owner });
  const opens = opensAt === undefined ? '' : ` and opens at ${formatInstant(opensAt)} if it stays so`;
  return refuse('HealthGateClosed', `HealthGate ${name} is healthy again${from}${opens}${end}`, {
    owner,
    liftsAt: opensAt,
  });
}
