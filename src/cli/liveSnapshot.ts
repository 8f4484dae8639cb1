// What is the cluster at this moment, for somebody who asks what if? It is listed when they ask: a Lull that runs keeps no raw objects (K5).
import type { Settings } from '../cluster/settings.ts';
import { decideRound } from '../engine/round.ts';
import type { Json } from '../kinds/reader.ts';
import { readObject } from '../kinds/readObject.ts';
import { ledgerKind } from '../kube/apiKind.ts';
import type { Connection } from '../kube/connection.ts';
import { listObjects } from '../kube/listing.ts';
import { Observed } from '../recording/observed.ts';
import { snapshotLines } from '../recording/snapshotLines.ts';
import type { Instant } from '../time/instant.ts';
import { factsOf, gatherReads } from './input.ts';
import { roundAsJson } from './roundJson.ts';
import { slimmed } from './slim.ts';

export interface SnapshotOptions {
  readonly connection: Connection;
  readonly settings: Settings;
  /** Of this program. */
  readonly version: string;
  readonly now: () => Instant;
}

/** A recording of one round, decided on what was just listed. */
export async function* snapshotNow({ connection, settings, version, now }: SnapshotOptions): AsyncGenerator<string> {
  const { objects } = await listObjects({ client: connection.client, keep: (object) => slimmed(object) });
  const facts = factsOf(gatherReads(objects.map((object) => ({ read: readObject(object) }))), settings);
  const observed = new Observed();
  // The ledger is written with the round that it was decided from.
  for (const object of objects) if (object.kind !== ledgerKind) observed.read(object, false);
  const at = now();
  const printed = roundAsJson(decideRound(facts, at, settings), facts.ledger) as Json;
  yield* snapshotLines({ program: version, settings, observed, last: { at, ledger: facts.ledger, printed } });
}
