// What is a notice, and how is one looked for?
import type { Ledger } from '../cluster/ledger.ts';
import type { Round } from '../engine/verdict.ts';
import type { HeldToExpiry } from './forcedExpiry.ts';
import type { Told } from './wantedStatus.ts';

export interface Notice {
  readonly about: About;
  readonly type: 'Normal' | 'Warning';
  /** One word, as events have it. */
  readonly reason: string;
  readonly message: string;
  /** With object and reason: which notice this is. Told again it is the same one. */
  readonly key: string;
  /** Where not all can be told, the least important are left out first. */
  readonly weight: 0 | 1 | 2 | 3;
  /** While it waits to be told, a newer one of the same topic takes its place. */
  readonly topic?: string;
  /** It holds for longer already: whoever started anew need not say it once more where it stands. */
  readonly standing?: true;
}

export interface About {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

/** What the next round is compared with. */
export interface Remembered {
  readonly ledger: Ledger;
  readonly round: Round;
  /** By what it is about: what was said last. */
  readonly said: ReadonlyMap<string, string>;
  /** N7: who is held while its hard expiry comes nearer, by node. */
  readonly expiring: HeldToExpiry;
}

/** How a kind of notice is looked for: in what stands now, against what was remembered. Undefined = this process has just begun. */
export interface Looking {
  readonly told: Told;
  readonly before: Remembered | undefined;
  /** Whether this is said of it for the first time; from then on it is remembered, until a round does not say it. */
  isNew(about: string, says: string): boolean;
}

/** Of what was there when this process began nobody knows whether it was told. */
export const standing = (before: Remembered | undefined): { standing?: true } => (before ? {} : { standing: true });
