// How is a recording made? While a controller runs: what it sees, and every round it decides, so that each can be decided again.
import type { Ledger } from '../cluster/ledger.ts';
import type { InstanceType, Settings } from '../cluster/settings.ts';
import type { Proposal } from '../engine/consolidation/proposal.ts';
import { formatCatalogue } from '../kinds/catalogue.ts';
import { writeLedger } from '../kinds/disruptionLedger.ts';
import type { Json } from '../kinds/reader.ts';
import { formatSettings } from '../kinds/settings.ts';
import { formatExactly, type Instant } from '../time/instant.ts';
import { recordingVersion } from './line.ts';
import type { Observation, Observed } from './observed.ts';
import { writeProposals } from './proposals.ts';
import { RoundWriter } from './roundDelta.ts';

export interface RecorderOptions {
  readonly write: (line: string) => void;
  /** Takes many lines that may be made later, when they can be sent. Absent = they are written at once. */
  readonly writeLater?: (lines: Iterable<string>) => void;
  readonly program: string;
  readonly settings: Settings;
  /** May hold something already: then the recording begins in the middle. */
  readonly observed: Observed;
}

/** A round, from what it was decided, and as L2 prints it. */
export interface Recordable {
  readonly at: Instant;
  readonly ledger: Ledger;
  /** Absent = nobody searches. */
  readonly proposals?: readonly Proposal[];
  readonly podsBehind?: boolean;
  readonly typesAwaited?: boolean;
  /** F5: what Karpenter's metrics said of instance types; absent = nothing was read. */
  readonly instanceTypes?: readonly InstanceType[];
  readonly printed: Json;
}

/** The last line of a recording; without an instant where it is not known. */
export const endLine = (rounds: number, at?: Instant): string =>
  JSON.stringify({ end: { rounds, ...(at !== undefined && { at: formatExactly(at) }) } });

function* linesOf(observations: readonly Observation[]): Generator<string> {
  for (const observation of observations) yield JSON.stringify(observation);
}

export class Recorder {
  readonly #write: (line: string) => void;
  readonly #writeLater: (lines: Iterable<string>) => void;
  readonly #observed: Observed;
  readonly #stop: () => void;
  readonly #rounds = new RoundWriter();
  #ledger: { readonly record: Ledger; readonly text: string } | undefined;
  #proposals: { readonly list: readonly Proposal[]; readonly text: string } = { list: [], text: '[]' };
  #types: readonly InstanceType[] | undefined;
  /** What came since the last round: only with a round is it known when. */
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

  round({ at, ledger, proposals = [], instanceTypes, printed, ...rest }: Recordable): void {
    if (this.#needsKeyframe) this.#keyframe(at);
    else if (this.#news.length > 0) this.#writeLater(linesOf(this.#news));
    this.#news = [];
    this.#needsKeyframe = false;
    this.#count++;
    const behind = `${rest.podsBehind ? '"podsBehind":true,' : ''}${rest.typesAwaited ? '"typesAwaited":true,' : ''}`;
    const facts = `${this.#ledgerOf(ledger)}${this.#proposalsOf(proposals)}${this.#typesOf(instanceTypes)}${behind}`;
    this.#write(`{"round":{"at":"${formatExactly(at)}",${facts}${this.#rounds.write(printed)}}}`);
  }

  /** Nothing is recorded from here on. The instant says how long nothing happened after the last round; a snapshot has none. */
  end(at?: Instant): void {
    this.#stop();
    this.#write(endLine(this.#count, at));
  }

  #keyframe(at: Instant): void {
    this.#write(JSON.stringify({ keyframe: { at: formatExactly(at), objects: this.#observed.size } }));
    // As they are now: what changes before a line is made belongs to the next round.
    this.#writeLater(linesOf([...this.#observed.objects].map((put) => ({ put }))));
  }

  /** Empty where it is the one of the round before. */
  #ledgerOf(record: Ledger): string {
    if (this.#ledger?.record === record) return '';
    const text = JSON.stringify(writeLedger(record));
    const isSame = this.#ledger?.text === text;
    this.#ledger = { record, text };
    return isSame ? '' : `"ledger":${text},`;
  }

  /** Empty where they are those of the round before. */
  #typesOf(types: readonly InstanceType[] | undefined): string {
    if (this.#types === types) return '';
    this.#types = types;
    return `"instanceTypes":${JSON.stringify(formatCatalogue(types ?? []))},`;
  }

  /** Empty where they are those of the round before. */
  #proposalsOf(list: readonly Proposal[]): string {
    if (this.#proposals.list === list) return '';
    const text = writeProposals(list);
    const isSame = this.#proposals.text === text;
    this.#proposals = { list, text };
    return isSame ? '' : `"proposals":${text},`;
  }
}
