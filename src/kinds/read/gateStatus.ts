// The status of a HealthGate (O3), read and written. One that cannot be read counts as absent: the gate is then Unknown.
import { defined } from '../../cluster/defined.ts';
import type { GateStatus, Health } from '../../cluster/healthGateRecord.ts';
import { formatInstant, type Instant, parseInstant } from '../../time/instant.ts';
import { type Json, mapIn, type Reader } from './reader.ts';

const healths: readonly Health[] = ['Healthy', 'Unhealthy', 'Unknown'];

/** As in the schema: messages are repeated for each node that the gate holds. */
const longestMessage = 1024;

/** Without faults: only Lull writes the status, and the next check replaces it. */
export function readGateStatus(object: Reader): GateStatus | undefined {
  const status = mapIn(object.raw('status'));
  const health = healths.find((it) => it === status.state);
  const [since, checkedAt, closedSince] = [status.since, status.checkedAt, status.closedSince].map(instantIn);
  if (!health || since === undefined || checkedAt === undefined || since > checkedAt) return undefined;
  const message = typeof status.message === 'string' ? status.message.slice(0, longestMessage) : '';
  return defined<GateStatus>({ health, since, checkedAt, message, closedSince });
}

const instantIn = (value: unknown): Instant | undefined =>
  typeof value === 'string' ? parseInstant(value) : undefined;

export const writeGateStatus = ({ health, since, message, checkedAt, closedSince }: GateStatus): Json =>
  defined({
    state: health,
    since: formatInstant(since),
    message: message.slice(0, longestMessage),
    checkedAt: formatInstant(checkedAt),
    closedSince: closedSince === undefined ? undefined : formatInstant(closedSince),
  });
