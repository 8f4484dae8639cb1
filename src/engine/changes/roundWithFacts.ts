// A round together with its facts: the input of changes, statuses and events.
import type { Settings } from '../../cluster/settings.ts';
import type { Instant } from '../../time/instant.ts';
import type { Facts } from '../situation.ts';
import type { Round } from '../verdict.ts';

export interface RoundWithFacts {
  readonly round: Round;
  /** The committed ledger: a round that lost the write race has done nothing. */
  readonly facts: Pick<Facts, 'cluster' | 'ledger'>;
  readonly settings: Pick<Settings, 'role'>;
  /** May be later than the round, if time alone has changed nothing since (B7). */
  readonly now: Instant;
}
