// The package entry `lull/engine`: decides a round from facts, an instant and settings.
import type { Settings } from '../cluster/settings.ts';
import { readSettings as read } from '../kinds/readSettings.ts';

export type { Fault } from '../cluster/fault.ts';
export type { Ledger } from '../cluster/ledger.ts';
export type { Reason } from '../cluster/reason.ts';
export { defaultSettings, type Settings } from '../cluster/settings.ts';
export type { Refusal } from '../engine/refusal.ts';
export { decideRound } from '../engine/round.ts';
export type { Facts } from '../engine/situation.ts';
export type {
  Allowance,
  CommandReport,
  DomainReport,
  PodReport,
  Round,
  Verdict,
  WindowReport,
} from '../engine/verdict.ts';
export { type Duration, formatInstant, type Instant, parseInstant } from '../time/instant.ts';
export { type FactsRead, type ReadError, readFacts } from './readFacts.ts';

/** Reads settings as in a settings file (M): `{ role: 'guide', drainTimeout: '2h' }`. An invalid value is an error and keeps the default. */
export function readSettings(values: Readonly<Record<string, unknown>>): {
  readonly settings: Settings;
  readonly errors: readonly string[];
} {
  const { settings, faults } = read(values);
  return { settings, errors: faults.map(({ message }) => message) };
}
