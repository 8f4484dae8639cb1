// Decides on plain objects as `lull decide` does, from the outside (L1, L2).
import { emptyLedger, type Ledger } from '../../src/cluster/ledger.ts';
import { defaultSettings, type Settings } from '../../src/cluster/settings.ts';
import { ClusterStore } from '../../src/cluster/store.ts';
import { decideRound } from '../../src/engine/round.ts';
import { decideSearched } from '../../src/engine/search.ts';
import type { Round } from '../../src/engine/verdict.ts';
import { readObject } from '../../src/kinds/readObject.ts';
import { type Instant, parseInstant } from '../../src/time/instant.ts';

/** Upstream budgets are ceilings, terminating machines do not count, and upstream's expiry is forceful. */
const upstreamSettings: Settings = {
  ...defaultSettings,
  role: 'drive',
  defaultBudgets: 'ceiling',
  endingMachines: 'ignore',
  expiration: 'forceful',
};

export interface Asked {
  readonly objects: readonly unknown[];
  readonly at: string;
  readonly settings?: Partial<Settings>;
  readonly ledger?: Ledger;
}

export function decide({ objects, at, settings, ledger = emptyLedger }: Asked): Round {
  return decideRound({ cluster: storeOf(objects), ledger }, instant(at), { ...upstreamSettings, ...settings });
}

/** The same with groups, which are searched for between two rounds. */
export function decideWithGroups({ objects, at, settings, ledger = emptyLedger }: Asked): Round {
  const facts = { cluster: storeOf(objects), ledger };
  return decideSearched(facts, instant(at), { ...upstreamSettings, ...settings }).round;
}

export function storeOf(objects: readonly unknown[]): ClusterStore {
  const store = new ClusterStore();
  for (const object of objects) {
    const read = readObject(object);
    if (read.kind === 'ignored' || read.kind === 'DisruptionLedger') continue;
    store.put(read);
  }
  return store;
}

export function instant(text: string): Instant {
  const at = parseInstant(text);
  if (at === undefined) throw new Error(`"${text}" is not an instant`);
  return at;
}
