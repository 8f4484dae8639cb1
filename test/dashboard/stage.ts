// What the browser sees in tests: the demo played step by step, or a cluster that does not change, behind the real server.
import { readFileSync } from 'node:fs';
import { grownObjects } from '../../bench/grownCluster.ts';
import { roundAsJson } from '../../src/cli/decide/roundJson.ts';
import { openBox, type SimulatedBox } from '../../src/cli/up/upBox.ts';
import { emptyLedger } from '../../src/cluster/ledger.ts';
import type { Settings } from '../../src/cluster/settings.ts';
import { withheldWhy } from '../../src/engine/gates/poolGates.ts';
import { decideRound } from '../../src/engine/round.ts';
import { decideSearched } from '../../src/engine/search.ts';
import type { Json } from '../../src/kinds/read/reader.ts';
import { readDocuments } from '../../src/kinds/text/documents.ts';
import { ObservedObjects } from '../../src/recording/recorder.ts';
import { snapshotLines } from '../../src/recording/snapshot.ts';
import type { Tokens } from '../../src/server/authorization.ts';
import type { DecidedRound, News, RoundSource } from '../../src/server/roundSource.ts';
import { openServer, type RunningServer } from '../../src/server/server.ts';
import { readScenario } from '../../src/sim/scenario/readScenario.ts';
import { after, asDuration, type Duration, type Instant, second } from '../../src/time/instant.ts';
import { at, type Objects, settings, storeOf } from '../build.ts';

const assets = 'dist/dashboard';

export interface DemoStage {
  readonly url: string;
  readonly box: SimulatedBox;
  /** Plays the given time in small steps. */
  play(elapsed: Duration): Promise<void>;
  close(): Promise<void>;
}

export async function openDemo({ tokens }: { tokens?: Tokens } = {}): Promise<DemoStage> {
  const { scenario } = readScenario(readDocuments(readFileSync('scenarios/demo.yaml', 'utf8'), 'demo.yaml').documents);
  if (!scenario) throw new Error('The demo scenario cannot be read');
  const box = openBox(scenario, { version: 'test' });
  let now = box.simulation.from;
  // Start with a first round.
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
  /** Also searches for groups to consolidate. */
  readonly isSearched?: true;
}

/** A cluster that does not change by itself. */
export async function openStill(objects: readonly unknown[], options: StillOptions): Promise<StillStage> {
  const chosen = options.settings ?? settings({ role: 'drive' });
  const cluster = storeOf(objects as Objects);
  const listeners = new Set<(news: News) => void>();
  const sent: unknown[] = [];
  const observed = new ObservedObjects();
  for (const object of objects) observed.read(object as Json, false);
  const decide = (now: Instant): DecidedRound => {
    const facts = { cluster, ledger: emptyLedger };
    const round = options.isSearched ? decideSearched(facts, now, chosen).round : decideRound(facts, now, chosen);
    return { round, ...facts, role: chosen.role, json: roundAsJson(round, emptyLedger) };
  };
  let now = at(options.at);
  let latest = decide(now);
  const withheld = withheldWhy(chosen);
  const source: RoundSource = {
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

const serve = (source: RoundSource, tokens?: Tokens): Promise<RunningServer> =>
  openServer(source, { port: 0, run: 'test', assets, ...(tokens && { tokens }) });
