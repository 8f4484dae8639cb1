// Does every command end (G4, G7)? No step lasts longer than what it waits for may take.
import { parseDuration } from '../../time/duration.ts';
import { asDuration, type Duration, type Instant, minute } from '../../time/instant.ts';
import type { LedgerRecord, RawCommand } from './ledgerRecord.ts';
import { isActive, isDrained, textAt } from './raw.ts';
import { isTakenAnyway, type Surroundings } from './surroundings.ts';
import { type Finding, finding } from './violation.ts';

/** Passes, watches that lag, crashes and their recovery, machines that go. */
const slack: Duration = asDuration(15 * minute);

/**
 * What Lull cannot end: a node that goes whatever anyone says is drained as long as a PDB holds its pods (A2); and what others
 * deleted with pods on it waits for Karpenter's terminator, which a PDB may hold for ever.
 */
export function isOutOfHands(command: RawCommand, around: Surroundings): boolean {
  // What Karpenter has begun it ends, or not.
  if (command.step === 'taken') return true;
  // N3: what is forced is offered again and again, whether Karpenter can take it or not.
  if (command.step === 'offered' || command.step === 'withdrawn') return isTakenAnyway(command, around);
  if (command.step === 'draining') return isTakenAnyway(command, around);
  if (command.step !== 'terminating') return false;
  return command.nodes.some(({ name }) =>
    [...around.objects.podsOn(name)].some((pod) => isActive(pod) && isDrained(pod)),
  );
}

interface Followed {
  readonly command: RawCommand;
  readonly enteredAt: Instant;
  /** How long the step may last; longer where the cluster was disturbed. */
  readonly bound: number;
}

export class Ends {
  readonly #around: Surroundings;
  readonly #followed = new Map<string, Followed>();
  readonly #disturbances: { readonly from: Instant; readonly to: Instant }[] = [];

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** A time in which nobody could be asked for anything. */
  disturbed(from: Instant, to: Instant): void {
    this.#disturbances.push({ from, to });
  }

  /** After each write of the ledger: steps that are over are measured. */
  follow({ commands }: LedgerRecord, at: Instant): Finding[] {
    const findings = [...this.#followed.values()].flatMap((followed) => {
      const now = commands.get(followed.command.id);
      return now?.step === followed.command.step ? [] : this.#tooLong(followed, at);
    });
    for (const id of this.#followed.keys()) if (!commands.has(id)) this.#followed.delete(id);
    for (const command of commands.values()) {
      if (this.#followed.get(command.id)?.command.step === command.step) continue;
      this.#followed.set(command.id, { command, enteredAt: at, bound: this.#boundOf(command) });
    }
    return findings;
  }

  /** What has not ended though its time is over. */
  unended(at: Instant): Finding[] {
    return [...this.#followed.values()].flatMap((followed) => this.#tooLong(followed, at));
  }

  #tooLong({ command, enteredAt, bound }: Followed, at: Instant): Finding[] {
    const lost = this.#disturbances
      .filter(({ from, to }) => to > enteredAt && from < at)
      .reduce((sum, { from, to }) => sum + Math.min(to, at) - Math.max(from, enteredAt), 0);
    const lasted = at - enteredAt;
    if (lasted <= bound + slack + lost || isOutOfHands(command, this.#around)) return [];
    const limit = `${Math.round((bound + slack + lost) / minute)} min`;
    return [
      finding('G7', `${command.id} was ${command.step} for ${Math.round(lasted / minute)} min, more than ${limit}`),
    ];
  }

  #boundOf(command: RawCommand): number {
    const { consolidationPause, replacementTimeout, offerTimeoutUnderutilized } = this.#around.settings;
    if (command.step === 'offered') return offerTimeoutUnderutilized;
    if (command.step === 'chosen') return consolidationPause;
    if (command.step === 'replacing') return replacementTimeout;
    const grace = Math.max(0, ...command.nodes.map(({ claim }) => this.#graceOf(claim)));
    // Karpenter's terminator waits for what is left as long as the claim lets it.
    if (command.step === 'terminating') return isOutOfHands(command, this.#around) ? Number.POSITIVE_INFINITY : grace;
    return command.step === 'draining' ? Math.max(grace, this.#drainBound(command)) : 0;
  }

  /** G7 counts from the last progress: each pod may take all of it. */
  #drainBound({ nodes }: RawCommand): number {
    const pods = nodes.flatMap(({ name }) => [...this.#around.objects.podsOn(name)].filter(isDrained)).length;
    return (pods + 1) * this.#around.settings.drainTimeout;
  }

  #graceOf(claim: string | undefined): number {
    const object = claim === undefined ? undefined : this.#around.objects.get('NodeClaim', claim);
    return parseDuration(textAt(object?.spec, 'terminationGracePeriod') ?? '') ?? 0;
  }
}
