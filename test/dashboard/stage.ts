// What does a browser look at in the tests? The demonstration played by hand, or any cluster standing still, behind the real server.
import { readFileSync } from 'node:fs';
import { grownObjects } from '../../bench/grownCluster.ts';
import { roundAsJson } from '../../src/cli/roundJson.ts';
import { type Box, openBox } from '../../src/cli/upBox.ts';
import { emptyLedger } from '../../src/cluster/ledger.ts';
import type { Settings } from '../../src/cluster/settings.ts';
import { withheldWhy } from '../../src/engine/gates/offersWithheld.ts';
import { decideRound } from '../../src/engine/round.ts';
import { decideSearched } from '../../src/engine/searchedRound.ts';
import { readDocuments } from '../../src/kinds/documents.ts';
import type { Json } from '../../src/kinds/reader.ts';
import { Observed } from '../../src/recording/observed.ts';
import { snapshotLines } from '../../src/recording/snapshotLines.ts';
import type { Tokens } from '../../src/server/access.ts';
import { type Listening, openServer } from '../../src/server/server.ts';
import type { Decided, News, Source } from '../../src/server/source.ts';
import { readScenario } from '../../src/sim/scenario/readScenario.ts';
import { after, asDuration, type Duration, type Instant, second } from '../../src/time/instant.ts';
import { at, type Objects, settings, storeOf } from '../build.ts';

const assets = 'dist/dashboard';

export interface DemoStage {
  readonly url: string;
  readonly box: Box;
  /** Plays so much of it, in steps as a person would see it. */
  play(elapsed: Duration): Promise<void>;
  close(): Promise<void>;
}

export async function openDemo({ tokens }: { tokens?: Tokens } = {}): Promise<DemoStage> {
  const { scenario } = readScenario(readDocuments(readFileSync('scenarios/demo.yaml', 'utf8'), 'demo.yaml').documents);
  if (!scenario) throw new Error('the demonstration cannot be read');
  const box = openBox(scenario, { version: 'test' });
  let now = box.simulation.from;
  // So that there is a round to begin with.
  now = after(now, second);
  box.simulation.runUntil(now);
  const listening = await serve(box, tokens);
  return {
    url: listening.url,
    box,
    play: async (elapsed) => {
      const end = after(now, elapsed);
      while (now < end) {
        now = after(now, asDuration(Math.min(10 * second, end - now)));
        box.simulation.runUntil(now);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    close: () => listening.close(),
  };
}

export interface StillStage {
  readonly url: string;
  readonly sent: unknown[];
  /** The next round, at another time. */
  decide(now: Instant): void;
  close(): Promise<void>;
}

export interface StillOptions {
  readonly at: string;
  readonly settings?: Settings;
  /** Groups are searched for as well. */
  readonly isSearched?: true;
}

/** A cluster in which nothing moves by itself. */
export async function openStill(objects: readonly unknown[], options: StillOptions): Promise<StillStage> {
  const chosen = options.settings ?? settings({ role: 'drive' });
  const cluster = storeOf(objects as Objects);
  const listeners = new Set<(news: News) => void>();
  const sent: unknown[] = [];
  const observed = new Observed();
  for (const object of objects) observed.read(object as Json, false);
  const decide = (now: Instant): Decided => {
    const facts = { cluster, ledger: emptyLedger };
    const round = options.isSearched ? decideSearched(facts, now, chosen).round : decideRound(facts, now, chosen);
    return { round, cluster, role: chosen.role, json: roundAsJson(round, emptyLedger) };
  };
  let now = at(options.at);
  let latest = decide(now);
  const withheld = withheldWhy(chosen);
  const source: Source = {
    about: { role: chosen.role, ...(withheld !== undefined && { withheld }) },
    settings: chosen,
    now: () => now,
    latest: () => latest,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    port: {
      view: () => ({ cluster, unsynced: [], seen: {}, written: {} }),
      send: (request) => {
        sent.push(request);
        return { status: 'done' };
      },
    },
    snapshot: () => {
      const last = { at: now, ledger: emptyLedger, printed: { at: 'now' } };
      return snapshotLines({ program: 'test', settings: chosen, observed, last });
    },
  };
  const listening = await serve(source);
  return {
    url: listening.url,
    sent,
    decide: (next) => {
      now = next;
      latest = decide(now);
      for (const listener of listeners) listener({ kind: 'round', decided: latest });
    },
    close: () => listening.close(),
  };
}

export const largeObjects = (nodes: number, podsEach?: number): readonly unknown[] => [
  ...grownObjects(nodes, podsEach),
];

const serve = (source: Source, tokens?: Tokens): Promise<Listening> =>
  openServer(source, { port: 0, run: 'test', assets, ...(tokens && { tokens }) });
