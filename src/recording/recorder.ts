// Records what a controller sees and every round it decides, so that each round can be decided again.
import type { Ledger } from '../cluster/ledger.ts';
import type { InstanceType, Settings } from '../cluster/settings.ts';
import type { Proposal } from '../engine/consolidation/proposal.ts';
import { formatCatalogue } from '../kinds/catalogue.ts';
import { writeLedger } from '../kinds/read/disruptionLedger.ts';
import type { Json } from '../kinds/read/reader.ts';
import { formatSettings } from '../kinds/readSettings.ts';
import { formatExactly, type Instant } from '../time/instant.ts';
import { type GoneObject, goneOf, keyOf, recordingVersion, writeProposals } from './recordingLine.ts';
import { RoundWriter } from './roundDelta.ts';

export type Observation = { readonly put: Json } | { readonly gone: GoneObject } | 'restart';

export class ObservedObjects {
  #objects = new Map<string, Json>();
  readonly #listeners = new Set<(observation: Observation) => void>();

  get objects(): Iterable<Json> {
    return this.#objects.values();
  }

  get size(): number {
    return this.#objects.size;
  }

  /** The controller restarts and reads all objects again. */
  restart(): void {
    this.#objects = new Map();
    this.#notify('restart');
  }

  read(object: Json, isGone: boolean): void {
    const gone = goneOf(object);
    if (isGone) this.#objects.delete(keyOf(gone));
    else this.#objects.set(keyOf(gone), object);
    this.#notify(isGone ? { gone } : { put: object });
  }

  listen(listener: (observation: Observation) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(observation: Observation): void {
    for (const listener of this.#listeners) listener(observation);
  }
}

export interface RecorderOptions {
  readonly write: (line: string) => void;
  /** Takes many lines that are generated later, when they can be sent. Absent: they are written at once. */
  readonly writeLater?: (lines: Iterable<string>) => void;
  readonly program: string;
  readonly settings: Settings;
  /** May already contain objects: then the recording starts in the middle. */
  readonly observed: ObservedObjects;
}

/** A round with its input and its printed form (L2). */
export interface RecordableRound {
  readonly at: Instant;
  readonly ledger: Ledger;
  /** Absent: no searches. */
  readonly proposals?: readonly Proposal[];
  readonly podsBehind?: boolean;
  readonly typesAwaited?: boolean;
  /** The instance types from Karpenter's metrics (F5); absent: not read. */
  readonly instanceTypes?: readonly InstanceType[];
  readonly printed: Json;
}

/** The last line of a recording, with its instant if it is known. */
export const endLine = (rounds: number, at?: Instant): string =>
  JSON.stringify({ end: { rounds, ...(at !== undefined && { at: formatExactly(at) }) } });

function* linesOf(observations: readonly Observation[]): Generator<string> {
  for (const observation of observations) yield JSON.stringify(observation);
}

export class RoundRecorder {
  readonly #write: (line: string) => void;
  readonly #writeLater: (lines: Iterable<string>) => void;
  readonly #observed: ObservedObjects;
  readonly #stop: () => void;
  readonly #rounds = new RoundWriter();
  /** The last written value of each field; absent fields are not written. */
  readonly #fields = new Map<string, { readonly value: unknown; readonly text: string }>(
    ['proposals', 'instanceTypes'].map((name) => [name, { value: undefined, text: '[]' }]),
  );
  /** The changes since the last round: they are written with the next round, which has the instant. */
  #news: Observation[] = [];
  #needsKeyframe = true;
  #count = 0;

  constructor({ write, writeLater, program, settings, observed }: RecorderOptions) {
    this.#write = write;
    this.#writeLater =
      writeLater ??
      ((lines) => {
        for (const line of lines) write(line);
      });
    this.#observed = observed;
    const header = { version: recordingVersion, program, settings: formatSettings(settings) };
    write(JSON.stringify({ header }));
    this.#stop = observed.listen((news) => {
      if (news === 'restart') this.#needsKeyframe = true;
      else this.#news.push(news);
    });
  }

  round({ at, ledger, proposals, instanceTypes, printed, ...rest }: RecordableRound): void {
    if (this.#needsKeyframe) this.#keyframe(at);
    else if (this.#news.length > 0) this.#writeLater(linesOf(this.#news));
    this.#news = [];
    this.#needsKeyframe = false;
    this.#count++;
    const behind = `${rest.podsBehind ? '"podsBehind":true,' : ''}${rest.typesAwaited ? '"typesAwaited":true,' : ''}`;
    const facts = [
      this.#field('ledger', ledger, writeLedger),
      this.#field('proposals', proposals, (all = []) => writeProposals(all)),
      this.#field('instanceTypes', instanceTypes, (all = []) => formatCatalogue(all)),
      behind,
    ];
    this.#write(`{"round":{"at":"${formatExactly(at)}",${facts.join('')}${this.#rounds.write(printed)}}}`);
  }

  /** Ends the recording. The instant is the end of the recorded period; a snapshot has none. */
  end(at?: Instant): void {
    this.#stop();
    this.#write(endLine(this.#count, at));
  }

  #keyframe(at: Instant): void {
    this.#write(JSON.stringify({ keyframe: { at: formatExactly(at), objects: this.#observed.size } }));
    // Copy the current objects: later changes belong to the next round.
    this.#writeLater(linesOf([...this.#observed.objects].map((put) => ({ put }))));
  }

  /** A field of a round; empty if it equals that of the previous round. */
  #field<Value>(name: string, value: Value, written: (value: Value) => unknown): string {
    const before = this.#fields.get(name);
    if (before?.value === value) return '';
    const text = JSON.stringify(written(value));
    this.#fields.set(name, { value, text });
    return before?.text === text ? '' : `"${name}":${text},`;
  }
}
