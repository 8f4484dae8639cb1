// What /readyz answers: whether a Lull can do what its role asks, and whether its rounds are late.
import { sayRoughly } from './lateRounds.ts';
import type { Meter } from './meter.ts';
import type { Source } from './source.ts';

export interface Readiness {
  readonly status: 200 | 503;
  readonly text: string;
}

/** Ready: a leader has decided, is hindered by nothing and has parked what it must; a standby waits for the lease. Late rounds alone do not make it unready. */
export function readinessOf(source: Source, meter: Meter): Readiness {
  const standby = source.standby?.();
  // Read without a token: the reason, which names files, is in the log alone.
  const refused = meter.certificate?.refused === undefined ? '' : 'the new certificate is not used; see the log\n';
  if (standby !== undefined) return { status: 200, text: `${standby}\n${refused}` };
  const unasked = source.unavailable?.() ?? (source.latest() ? undefined : 'no round was decided yet');
  const stalled = source.stalled?.();
  const why = unasked ?? (stalled === undefined ? source.hindrance?.() : `nothing is decided: ${stalled}`);
  const late = meter.lateRound;
  const more = late === undefined ? '' : `rounds are late: the last one took ${sayRoughly(late)}\n`;
  return { status: why === undefined ? 200 : 503, text: `${why ?? 'ok'}\n${more}${refused}` };
}
