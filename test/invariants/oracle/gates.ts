// The test's own reading of HealthGates: which hold a node, and when a recovery ends (O3–O5).
import type { PlainGate } from '../plain.ts';
import { type Host, ofKind, type Seen } from './cluster.ts';
import { readDuration, selects } from './reading.ts';

const actions: Record<string, readonly string[]> = {
  Expiration: ['Expired'],
  Consolidation: ['Empty', 'Underutilized'],
  Drift: ['Drifted'],
  Rebalance: ['Rebalance'],
  Repair: ['Unhealthy'],
};

/** The names of the gates that hold the node for the reason now. */
export const gatesHolding = (host: Host, reason: string, seen: Seen): string[] =>
  gatesOver(host, reason, seen).flatMap((gate) => (isHolding(gate, seen.now) ? [gate.metadata.name] : []));

/** When the last recovering gate over the node opens. */
export const recoveredAt = (host: Host, reason: string, seen: Seen): number =>
  Math.max(
    Number.NEGATIVE_INFINITY,
    ...gatesOver(host, reason, seen)
      .filter((gate) => !isInvalid(gate) && isFresh(gate, seen.now) && isHealthy(gate))
      .map((gate) => (gate.status?.closedSince === undefined ? Number.NEGATIVE_INFINITY : recoversAt(gate))),
  );

const gatesOver = ({ node }: Host, reason: string, seen: Seen): PlainGate[] =>
  ofKind(seen.plain.objects, 'HealthGate').filter(({ spec }) => {
    const named = (spec.actions ?? []).flatMap((action) => actions[action] ?? []);
    const isMeant = named.length === 0 ? reason !== 'Unhealthy' : named.includes(reason);
    return isMeant && (!spec.selector || selects(spec.selector, node.metadata.labels ?? {}));
  });

const isInvalid = ({ spec }: PlainGate): boolean => Object.keys(spec.check).length !== 1 || spec.interval === '1s';

/** A manual gate does not become old. */
const isFresh = ({ spec, status }: PlainGate, now: number): boolean =>
  status !== undefined && (spec.check.manual !== undefined || now - Date.parse(status.checkedAt) < 3 * 3_600_000);

const isHealthy = ({ spec, status }: PlainGate): boolean =>
  status?.state === 'Healthy' && spec.check.manual?.healthy !== false;

const recoversAt = ({ spec, status }: PlainGate): number =>
  Date.parse(status?.since ?? '') + (readDuration(spec.recoverAfter ?? '5m') ?? 0);

function isHolding(gate: PlainGate, now: number): boolean {
  const { spec, status } = gate;
  if (isInvalid(gate)) return true;
  if (spec.check.manual) {
    if (!spec.check.manual.healthy) return true;
    return status !== undefined && (status.state !== 'Healthy' || isRecovering(gate, now));
  }
  if (!status) return spec.onUnknown !== 'Ignore';
  const end = Date.parse(status.checkedAt) + 3 * 3_600_000;
  if (now >= end && spec.onUnknown !== 'Ignore') return true;
  return isHoldingJust(gate, Math.min(now, end));
}

/** By the status alone, however old it is. */
function isHoldingJust(gate: PlainGate, now: number): boolean {
  const { spec, status } = gate;
  if (status?.state === 'Healthy') return isRecovering(gate, now);
  const isClosed = status?.closedSince !== undefined;
  if (status?.state === 'Unknown') return isClosed || spec.onUnknown !== 'Ignore';
  return isClosed || now >= Date.parse(status?.since ?? '') + (readDuration(spec.failAfter ?? '0s') ?? 0);
}

const isRecovering = (gate: PlainGate, now: number): boolean =>
  gate.status?.closedSince !== undefined && now < recoversAt(gate);
