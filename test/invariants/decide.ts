// Decides on a plain situation the way real ones are decided: read, stored, judged.
import { emptyLedger, type Ledger } from '../../src/cluster/ledger.ts';
import type { Settings } from '../../src/cluster/settings.ts';
import { type Change, ClusterStore } from '../../src/cluster/store.ts';
import { decideRound } from '../../src/engine/round.ts';
import type { Round } from '../../src/engine/verdict.ts';
import { readObject } from '../../src/kinds/readObject.ts';
import { readSettings } from '../../src/kinds/readSettings.ts';
import { type Instant, parseInstant } from '../../src/time/instant.ts';
import type { Plain, PlainObject } from './plain.ts';

/** A parsed situation. The store is built for each round; a store's caches from earlier rounds are tested separately. */
export interface Loaded {
  readonly changes: readonly Put[];
  readonly ledger: Ledger;
  readonly at: Instant;
  readonly settings: Settings;
}

export type Put = Extract<Change, { put: unknown }>;

export function load({ at, settings, objects }: Plain): Loaded {
  return {
    changes: putsOf(objects),
    ledger: ledgerAmong(objects),
    at: parseInstant(at) as Instant,
    settings: readSettings(settings).settings,
  };
}

export function putsOf(objects: readonly PlainObject[]): Put[] {
  return objects.flatMap((object) => {
    const read = readObject(object);
    if (read.kind === 'ignored' || read.kind === 'DisruptionLedger') return [];
    return [{ kind: read.kind, put: read.record, faults: read.faults } as Put];
  });
}

export function storeOf(changes: readonly Change[]): ClusterStore {
  const store = new ClusterStore();
  for (const change of changes) store.apply(change);
  return store;
}

function ledgerAmong(objects: readonly PlainObject[]): Ledger {
  for (const object of objects) {
    const read = readObject(object);
    if (read.kind === 'DisruptionLedger') return read.record;
  }
  return emptyLedger;
}

/** The round from the same facts at another instant. */
export const decideAt = ({ changes, ledger, settings }: Loaded, at: Instant): Round =>
  decideRound({ cluster: storeOf(changes), ledger }, at, settings);

/** Decided once, however many properties use it. */
export function decide(plain: Plain): Round {
  const round = known.get(plain) ?? decideAnew(plain);
  known.set(plain, round);
  return round;
}

const known = new WeakMap<Plain, Round>();

export function decideAnew(plain: Plain): Round {
  const loaded = load(plain);
  return decideAt(loaded, loaded.at);
}
