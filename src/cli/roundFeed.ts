// The feed of rounds and events for the server: the latest round, subscribers, and active recordings.
import { defined } from '../cluster/defined.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Facts } from '../engine/situation.ts';
import type { Round } from '../engine/verdict.ts';
import { mapIn } from '../kinds/read/reader.ts';
import { type ObservedObjects, RoundRecorder } from '../recording/recorder.ts';
import type { DecidedRound, News, RoundSource } from '../server/roundSource.ts';
import type { Instant } from '../time/instant.ts';
import { roundAsJson } from './decide/roundJson.ts';

type Writers = Parameters<NonNullable<RoundSource['record']>>;

interface Recording {
  readonly observed: ObservedObjects;
  readonly settings: Settings;
  readonly write: Writers[0];
  readonly writeLater: Writers[1];
}

export class RoundFeed {
  readonly #version: string;
  readonly #now: () => Instant;
  readonly #listeners = new Set<(news: News) => void>();
  readonly #recorders = new Set<RoundRecorder>();
  latest: DecidedRound | undefined;

  /** `version` is the program's. */
  constructor(version: string, now: () => Instant) {
    this.#version = version;
    this.#now = now;
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  subscribe(listener: (news: News) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(news: News): void {
    for (const listener of this.#listeners) listener(news);
  }

  decided(round: Round, facts: Facts, role: Settings['role']): void {
    const latest = decidedOf(round, facts, role);
    this.latest = latest;
    for (const recorder of this.#recorders) recorder.round({ ...facts, at: round.at, printed: mapIn(latest.json) });
    this.tell({ kind: 'round', decided: latest });
  }

  /** Returns a function that ends the recording. */
  record(recording: Recording): () => void {
    const recorder = new RoundRecorder(defined({ ...recording, program: this.#version }));
    this.#recorders.add(recorder);
    return () => {
      if (this.#recorders.delete(recorder)) recorder.end(this.#now());
    };
  }

  endRecordings(): void {
    for (const recorder of this.#recorders) recorder.end(this.#now());
    this.#recorders.clear();
  }
}

/** The JSON is created on first use, once for all readers. */
function decidedOf(round: Round, { cluster, ledger }: Facts, role: Settings['role']): DecidedRound {
  let json: unknown;
  return {
    round,
    cluster,
    role,
    ledger,
    get json() {
      json ??= roundAsJson(round, ledger);
      return json;
    },
  };
}
