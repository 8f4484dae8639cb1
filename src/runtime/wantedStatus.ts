// What is a status that is to stand on an object, and what is it worked out from?
import type { Settings } from '../cluster/settings.ts';
import type { Facts } from '../engine/situation.ts';
import type { Round } from '../engine/verdict.ts';
import type { Instant } from '../time/instant.ts';

export interface WantedStatus {
  readonly kind: 'NodePool' | 'MaintenanceWindow' | 'PodDisruptionSchedule';
  readonly name: string;
  /** All that Lull says there: what is not in it any more is taken away. */
  readonly conditions: readonly WantedCondition[];
  /** Fields beside the conditions, as they are written. Those of a NodePool need a CRD that knows them (N9). */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Since when it holds is known to whoever writes it. */
export interface WantedCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** What a status is worked out from; `now` may be later than the round, in which time alone changed nothing (B7). */
export interface Told {
  readonly round: Round;
  readonly facts: Facts;
  readonly settings: Settings;
  readonly now: Instant;
  /** Whether new nodes are parked from birth, by an admission policy (N2). Absent = not known. */
  readonly bornParked?: boolean;
}
